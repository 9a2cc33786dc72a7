/**
 * The list of runs in index.html. Each page says in its head what a list needs; so the list is made from the pages that
 * are there, whether or not their run folders still are.
 */
import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { areMany } from '../model/leg-order.js';
import { html } from '../html/html.js';
import { count } from '../../client/words/format.js';
import { failuresText, figureTexts } from '../../client/judge/run-digest.js';

/**
 * @import { RunDigest } from '../../client/judge/run-digest.js'
 * @import { Fragment } from '../html/html.js'
 */

/**
 * @typedef {{ file: string, run: string, scenario: string, startedAt: string, load?: string,
 *   complete: boolean, digest?: RunDigest, legs: Array<{label: string, line: string}> }} Card
 */

/** The head of a page is read, not its charts; of many legs it is longer than one piece. */
const HEAD_BYTES = 65_536;
const MAX_HEAD_BYTES = 8 * 1024 * 1024;

/**
 * @param {any} card as a page has it
 * @returns {boolean} whether a list can show it; another program's page, or a damaged one, has none
 */
const isCard = (card) =>
  typeof card?.run === 'string' &&
  Array.isArray(card.legs) &&
  card.legs.every((/** @type {any} */ leg) => typeof leg?.label === 'string') &&
  (card.digest === undefined || (Array.isArray(card.digest?.cases) && Array.isArray(card.digest.failures)));

/** @param {string} path @returns {Promise<any>} what the page says of its run, null when it is no page of a run */
async function cardOf(path) {
  const file = await open(path, 'r');
  try {
    let found = null;
    for (let size = HEAD_BYTES; found === null && size <= MAX_HEAD_BYTES; size *= 4) {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(size), 0, size, 0);
      const head = buffer.toString('utf8', 0, bytesRead);
      found = /<meta name="broadside-run" content="([^"]*)">/.exec(head);
      if (bytesRead < size || !head.includes('<meta name="broadside-run"')) break;
    }
    if (!found) return null;
    const text = found[1]
      .replaceAll('&quot;', '"')
      .replaceAll('&#39;', "'")
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&amp;', '&');
    const card = JSON.parse(text);
    return isCard(card) ? card : null;
  } catch {
    return null;
  } finally {
    await file.close();
  }
}

/** @param {string} folder the report folder @returns {Promise<Card[]>} the newest first */
export async function listPages(folder) {
  const entries = (await readdir(folder, { withFileTypes: true })).filter(
    (one) => one.isFile() || one.isSymbolicLink(),
  );
  const names = entries.map(({ name }) => name).filter((name) => name.endsWith('.html') && name !== 'index.html');
  const cards = [];
  // one after the other: hundreds of pages must not need hundreds of descriptors
  for (const file of names) cards.push({ ...(await cardOf(join(folder, file))), file });
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

/** @param {Card['legs']} legs @returns {Fragment} */
function legLines(legs) {
  const lines = html`<ul>${legs.map((leg) => html`<li><b>${leg.label}</b> ${leg.line}</li>`)}</ul>`;
  return areMany(legs) ? html`<details><summary>${count(legs.length)} cases</summary>${lines}</details>` : lines;
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
  return html`<li data-run="${card.run}">${name} <span class="when">${(card.startedAt ?? '').slice(0, 16).replace('T', ' ')} UTC</span>${
    card.complete ? null : html` <span class="tag">incomplete</span>`
  }${card.load ? html`<p class="load">${card.load}</p>` : null}${
    texts && digest.cases.some(({ perSecond, p99Ns }) => perSecond !== undefined || p99Ns !== undefined)
      ? html`<p class="figures">${texts.perSecond} transfers/s, p99 ${texts.p99}</p>`
      : null
  }${failures === '' ? null : html`<p class="bad">${failures}</p>`}${legLines(card.legs)}</li>`;
}

/** @param {Card[]} cards the newest first, whose page this is; every page links to their list @returns {string} */
export function runsSection(cards) {
  return html`<section id="runs" aria-labelledby="runs-title"><h2 id="runs-title">All runs</h2>
<ul class="runs">${cards.map(runItem)}</ul></section>`.text;
}
