/**
 * The list of runs in index.html. Each page says in its head what a list needs; so the list is made from the pages that
 * are there, whether or not their run folders still are.
 */
import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { areMany } from '../model/leg-order.js';
import { html } from '../html/html.js';
import { compactCount, count, duration } from '../../client/results/format.js';
import { trendsOf } from '../../client/results/history.js';
import { failuresText, figureTexts } from '../../client/results/run-digest.js';
import { history } from '../html/sections/history.js';

/**
 * @typedef {{ file: string, run: string, scenario: string, startedAt: string, load?: string,
 *   complete: boolean, digest?: import('../../client/results/run-digest.js').RunDigest, legs: Array<{label: string, line: string}> }} Card
 */

/** The head of a page is read, not its charts. */
const HEAD_BYTES = 65_536;

/** @param {string} path @returns {Promise<any>} what the page says of its run, null when it is no page of a run */
async function cardOf(path) {
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    const found = /<meta name="broadside-run" content="([^"]*)">/.exec(buffer.toString('utf8', 0, bytesRead));
    if (!found) return null;
    const text = found[1]
      .replaceAll('&quot;', '"')
      .replaceAll('&#39;', "'")
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&amp;', '&');
    return JSON.parse(text);
  } catch {
    return null;
  } finally {
    await file.close();
  }
}

/** @param {string} folder the report folder @returns {Promise<Card[]>} the newest first */
export async function listPages(folder) {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.html') && name !== 'index.html');
  const cards = await Promise.all(names.map(async (file) => ({ ...(await cardOf(join(folder, file))), file })));
  return cards
    .filter((card) => card.run)
    .sort(
      (a, b) =>
        (b.startedAt ?? '').localeCompare(a.startedAt ?? '') || b.run.localeCompare(a.run, 'en', { numeric: true }),
    );
}

/**
 * @param {Omit<Card, 'file'>} card of a run @param {Card[]} cards the newest first
 * @returns {Card | undefined} of the last run before it with the same name and load
 */
export const previousOf = ({ run, startedAt, digest }, cards) =>
  cards.find(
    (card) =>
      card.run !== run &&
      (card.startedAt ?? '') < startedAt &&
      digest !== undefined &&
      card.digest?.load === digest.load,
  );

/** @param {Card['legs']} legs @returns {import('../html/html.js').Fragment} */
function legLines(legs) {
  const lines = html`<ul>${legs.map((leg) => html`<li><b>${leg.label}</b> ${leg.line}</li>`)}</ul>`;
  return areMany(legs) ? html`<details><summary>${count(legs.length)} servers</summary>${lines}</details>` : lines;
}

/** @param {Card} card @returns {Record<string, string>} its figures, for the comparison of two runs by eye */
function figuresOf({ digest }) {
  if (!digest) return {};
  const figures = digest.cases.flatMap(({ label, perSecond, p99Ns }) => [
    [`${label}: transfers/s`, compactCount(perSecond)],
    [`${label}: p99`, duration(p99Ns)],
  ]);
  return { ...Object.fromEntries(figures), failures: failuresText(digest) || 'none' };
}

/** @param {Card} card @param {number} at its place in the list; the first is the page itself */
function runItem(card, at) {
  const { digest } = card;
  const texts = digest && figureTexts(digest);
  const failures = digest ? failuresText(digest) : '';
  const name =
    at === 0
      ? html`<b>${card.scenario}</b> <span class="when">(this page)</span>`
      : html`<a href="./${encodeURIComponent(card.file)}">${card.scenario}</a>`;
  return html`<li data-run="${card.run}" data-figures="${JSON.stringify(figuresOf(card))}"><input type="checkbox" aria-label="Compare ${card.run}"> ${name} <span class="when">${(card.startedAt ?? '').slice(0, 16).replace('T', ' ')} UTC</span>${
    card.complete ? null : html` <span class="tag">incomplete</span>`
  }${card.load ? html`<p class="load">${card.load}</p>` : null}${
    texts ? html`<p class="figures">${texts.perSecond} transfers/s, p99 ${texts.p99}</p>` : null
  }${failures === '' ? null : html`<p class="bad">${failures}</p>`}${legLines(card.legs)}</li>`;
}

/** @param {Card[]} cards the newest first, whose page this is @returns {string} */
export function runsSection(cards) {
  if (cards.length < 2) return '';
  const recorded = cards.flatMap(({ run, startedAt, digest }) => (digest ? [{ run, startedAt, digest }] : []));
  return html`${history(trendsOf(recorded))}<section id="runs" aria-labelledby="runs-title"><h2 id="runs-title">All runs</h2>
<p class="load"><label>Filter <input type="search" id="runs-filter" placeholder="name, server, failure"></label> Check two runs to see them side by side.</p>
<div id="runs-picked" hidden></div><ul class="runs">${cards.map(runItem)}</ul></section>`.text;
}
