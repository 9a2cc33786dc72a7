/**
 * The list of runs in index.html. Each page says in its head what a list needs; so the list is made from the pages that
 * are there, whether or not their run folders still are.
 */
import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { drawnAxis } from '../../client/judge/drawn-axis.js';
import { isObject } from '../../client/measure/objects.js';
import { endingText, isInterrupted } from '../../client/words/endings.js';
import { bareRate, count, duration, percent } from '../../client/words/format.js';
import { axisLine, dotLane } from '../html/sections/lane.js';
import { html } from '../html/html.js';
import { legClass } from '../html/sections/leg-name.js';
import { coloursOf } from '../model/server-colours.js';

/**
 * @import { DrawnAxis } from '../../client/judge/drawn-axis.js'
 * @import { CaseDigest, RunDigest } from '../../client/judge/run-digest.js'
 * @import { Fragment } from '../html/html.js'
 */

/**
 * @typedef {{ file: string, run: string, scenario: string, startedAt: string, load?: string,
 *   complete: boolean, endedBy?: string, digest?: RunDigest }} Card
 */

/** The head of a page is read, not its charts; of many legs it is longer than one piece. */
const HEAD_BYTES = 65_536;
const MAX_HEAD_BYTES = 8 * 1024 * 1024;

/**
 * @param {unknown} card as a page has it
 * @returns {card is Omit<Card, 'file'>} whether a list can show it; another program's page, or a damaged one, has none
 */
const isCard = (card) =>
  isObject(card) &&
  typeof card.run === 'string' &&
  typeof card.scenario === 'string' &&
  (card.digest === undefined ||
    (isObject(card.digest) && Array.isArray(card.digest.cases) && Array.isArray(card.digest.failures)));

/**
 * @param {string} path
 * @returns {Promise<Omit<Card, 'file'> | null>} what the page says of its run, null when it is no page of a run
 */
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
  /** @type {Card[]} */
  const cards = [];
  // one after the other: hundreds of pages must not need hundreds of descriptors
  for (const file of names) {
    const card = await cardOf(join(folder, file));
    if (card?.run) cards.push({ ...card, file });
  }
  return cards.sort(
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

/** With more servers in a group a run has one line for all, without intervals. */
const MOST_LINES = 6;

/** The history of a load: key of a case, title, and how its values are written. */
const HISTORY = /** @type {const} */ ([
  ['cpuNs', 'CPU per transfer', duration],
  ['perSecond', 'transfers/s', bareRate],
]);

/** @param {Card} card @returns {{ isBad: boolean, text: string }} what became of the run, in a few words */
function resultOf({ complete, digest, endedBy = '' }) {
  const share = Math.max(0, ...(digest?.cases ?? []).map(({ failedShare = 0 }) => failedShare));
  const failed = (digest?.failures ?? []).filter(
    ({ code }) => code !== 'incomplete' && !(share > 0 && (code === 'errors' || code === 'replies')),
  );
  const parts = [
    ...(complete ? [] : [isInterrupted(endedBy) || endedBy === 'cut' ? endingText(endedBy) : 'incomplete']),
    ...(share > 0 ? [`${percent(share)} failed`] : []),
    ...failed.map(({ code, count: n, text }) => (code === 'unanswered' ? `${count(n)} not served` : text)),
  ];
  return { isBad: parts.length > 0, text: parts.join(', ') || 'ok' };
}

/** @param {Card} card @returns {CaseDigest[]} */
const casesOf = ({ digest }) => digest?.cases ?? [];

/**
 * @param {Card} card @param {typeof HISTORY[number]} figure @param {DrawnAxis | undefined} axis of the group
 * @param {Map<string, number>} colours of its servers
 * @returns {Fragment} the cell of a run: a line for each server
 */
function historyCell(card, [key, , write], axis, colours) {
  const known = casesOf(card).filter((one) => one[key]);
  if (known.length === 0) return html`<td></td>`;
  const of = (/** @type {CaseDigest} */ one) => ({
    value: Number(one[key]),
    look: legClass(colours.get(one.label) ?? 0),
  });
  const said = known.map((one) => {
    const interval = one[`${key}95`];
    return `${one.label} ${write(one[key])}${interval ? ` (${write(interval[0])} to ${write(interval[1])})` : ''}`;
  });
  const lanes =
    axis &&
    (colours.size > MOST_LINES
      ? dotLane(axis, known.map(of))
      : [...colours].map(([label, colour]) => {
          const one = known.find((own) => own.label === label);
          return html`<span class="${legClass(colour)}">${dotLane(axis, one ? [of(one)] : [], one?.[`${key}95`])}</span>`;
        }));
  return html`<td class="lane-of" data-name="${key}" title="${said.join('; ')}">${colours.size === 1 ? html`<small>${write(known[0][key])}</small>` : null}${lanes}</td>`;
}

/**
 * @param {Card[]} cards of one load, the newest first @param {string} newest id of the run that this page is of
 * @returns {Fragment} a head with the load, its servers and the axes, and a row for each run
 */
function group(cards, newest) {
  const [{ scenario, load = '' }] = cards;
  const colours = coloursOf([...new Set(cards.flatMap((card) => casesOf(card).map(({ label }) => label)))]);
  const figures = HISTORY.map((figure) => {
    const [key] = figure;
    const drawn = cards.flatMap((card) =>
      casesOf(card).flatMap((one) => {
        const value = one[key] ?? 0;
        const [low, high] = one[`${key}95`] ?? [value, value];
        return value > 0 ? [{ value, low, high }] : [];
      }),
    );
    return { figure, axis: drawnAxis(drawn), isKnown: drawn.length > 0 };
  });
  const rows = cards.map((card) => {
    const { isBad, text } = resultOf(card);
    const when = card.startedAt ? `${card.startedAt.slice(0, 16).replace('T', ' ')} UTC` : card.run;
    const link =
      card.run === newest
        ? html`<b>${when}</b> (this page)`
        : html`<a href="./${encodeURIComponent(card.file)}">${when}</a>`;
    return html`<tr data-run="${card.run}"><th scope="row">${link}</th><td class="result${isBad ? ' bad' : ''}" data-name="result">${text}</td>${figures.map(
      ({ figure, axis }) => historyCell(card, figure, axis, colours),
    )}</tr>`;
  });
  return html`<tbody><tr class="group"><th scope="rowgroup" colspan="2"><b>${scenario}</b> ${load}<span>${
    colours.size > MOST_LINES
      ? `${count(colours.size)} servers`
      : [...colours].map(
          ([label, colour]) => html`<span class="${legClass(colour)}"><i class="chip"></i>${label}</span> `,
        )
  }</span></th>${figures.map(
    ({ figure: [, title, write], axis, isKnown }) =>
      html`<td class="lane-of">${isKnown && html`<small>${title}</small>`}${axis && axisLine(axis, write)}</td>`,
  )}</tr>${rows}</tbody>`;
}

/** @param {Card[]} cards the newest first, whose page this is; every page links to their list @returns {string} */
export function runsSection(cards) {
  /** @type {Map<string, Card[]>} */
  const byLoad = new Map();
  for (const card of cards) {
    const load = card.digest?.load ?? JSON.stringify([card.scenario, card.load]);
    byLoad.set(load, [...(byLoad.get(load) ?? []), card]);
  }
  return html`<section id="runs" aria-labelledby="runs-title"><h2 id="runs-title">All runs</h2>
<div class="scroll" tabindex="0" role="region" aria-label="Table of all runs"><table class="runs">${[...byLoad.values()].map((own) => group(own, cards[0].run))}</table></div></section>`
    .text;
}
