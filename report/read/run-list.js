/**
 * The list of runs in index.html. Each page says in its head what a list needs; so the list is made from the pages that
 * are there, whether or not their run folders still are.
 */
import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { areMany } from '../model/leg-order.js';
import { html } from '../html/html.js';
import { count } from '../../client/results/format.js';

/**
 * @typedef {{ file: string, run: string, scenario: string, startedAt: string, load?: string,
 *   complete: boolean, legs: Array<{label: string, line: string}> }} Card
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

/** @param {Card['legs']} legs @returns {import('../html/html.js').Fragment} */
function legLines(legs) {
  const lines = html`<ul>${legs.map((leg) => html`<li><b>${leg.label}</b> ${leg.line}</li>`)}</ul>`;
  return areMany(legs) ? html`<details><summary>${count(legs.length)} servers</summary>${lines}</details>` : lines;
}

/** @param {Card[]} cards without the one shown @returns {string} */
export function runsSection(cards) {
  if (cards.length === 0) return '';
  return html`<section id="runs" aria-labelledby="runs-title"><h2 id="runs-title">Other runs</h2><ul class="runs">${cards.map(
    (card) =>
      html`<li><a href="./${encodeURIComponent(card.file)}">${card.scenario}</a> <span class="when">${(card.startedAt ?? '').slice(0, 16).replace('T', ' ')} UTC</span>${
        card.complete ? null : html` <span class="tag">incomplete</span>`
      }${card.load ? html`<p class="load">${card.load}</p>` : null}${legLines(card.legs)}</li>`,
  )}</ul></section>`.text;
}
