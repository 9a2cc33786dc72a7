/**
 * The list of runs in index.html. It is built from the meta element in each page's head, so it includes runs whose
 * folder was deleted.
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

/** Only a page's head is read; with many legs it exceeds one piece. */
const HEAD_BYTES = 65_536;
const MAX_HEAD_BYTES = 8 * 1024 * 1024;

/**
 * @param {unknown} card content of a page's meta element
 * @returns {card is Omit<Card, 'file'>} false for another program's page or a damaged one
 */
const isCard = (card) =>
  isObject(card) &&
  typeof card.run === 'string' &&
  typeof card.scenario === 'string' &&
  (card.digest === undefined ||
    (isObject(card.digest) && Array.isArray(card.digest.cases) && Array.isArray(card.digest.failures)));

/**
 * @param {string} path
 * @returns {Promise<Omit<Card, 'file'> | null>} the card of the page's run; null when the file is not a run's page
 */
async function cardOf(path) {
  const file = await open(path, 'r');
  try {
    let match = null;
    for (let size = HEAD_BYTES; match === null && size <= MAX_HEAD_BYTES; size *= 4) {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(size), 0, size, 0);
      const head = buffer.toString('utf8', 0, bytesRead);
      match = /<meta name="broadside-run" content="([^"]*)">/.exec(head);
      if (bytesRead < size || !head.includes('<meta name="broadside-run"')) break;
    }
    if (!match) return null;
    const text = match[1]
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

/** @param {string} folder the report folder @returns {Promise<Card[]>} newest first */
export async function listPages(folder) {
  const entries = (await readdir(folder, { withFileTypes: true })).filter(
    (entry) => entry.isFile() || entry.isSymbolicLink(),
  );
  const names = entries.map(({ name }) => name).filter((name) => name.endsWith('.html') && name !== 'index.html');
  /** @type {Card[]} */
  const cards = [];
  // Pages are read one after the other, so that hundreds of them need one descriptor.
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
 * @param {Omit<Card, 'file'>} card of a run @param {Card[]} cards newest first
 * @returns {Card | undefined} card of the latest earlier run with the same name and load
 */
export const previousOf = ({ run, startedAt, digest }, cards) =>
  cards.find(
    (card) =>
      card.run !== run &&
      (card.startedAt ?? '') < startedAt &&
      digest !== undefined &&
      card.digest?.load === digest.load,
  );

/** In a group with more servers, a run has one line for all of them, without intervals. */
const MAX_LINES = 6;

/** Columns of a load's history: key of a case, title, and the function that formats its values. */
const HISTORY = /** @type {const} */ ([
  ['cpuNs', 'CPU per transfer', duration],
  ['perSecond', 'transfers/s', bareRate],
]);

/** @param {Card} card @returns {{ isBad: boolean, text: string }} the run's outcome in a few words */
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
 * @param {Card} card @param {typeof HISTORY[number]} figure @param {DrawnAxis | undefined} axis the group's axis
 * @param {Map<string, number>} colours colour of each of the group's servers
 * @returns {Fragment} the run's cell, with a line for each server
 */
function historyCell(card, [key, , write], axis, colours) {
  const cases = casesOf(card).filter((digest) => digest[key]);
  if (cases.length === 0) return html`<td></td>`;
  const dotOf = (/** @type {CaseDigest} */ digest) => ({
    value: Number(digest[key]),
    look: legClass(colours.get(digest.label) ?? 0),
  });
  const texts = cases.map((digest) => {
    const interval = digest[`${key}95`];
    return `${digest.label} ${write(digest[key])}${interval ? ` (${write(interval[0])} to ${write(interval[1])})` : ''}`;
  });
  const lanes =
    axis &&
    (colours.size > MAX_LINES
      ? dotLane(axis, cases.map(dotOf))
      : [...colours].map(([label, colour]) => {
          const digest = cases.find((candidate) => candidate.label === label);
          return html`<span class="${legClass(colour)}">${dotLane(axis, digest ? [dotOf(digest)] : [], digest?.[`${key}95`])}</span>`;
        }));
  return html`<td class="lane-of" data-name="${key}" title="${texts.join('; ')}">${colours.size === 1 ? html`<small>${write(cases[0][key])}</small>` : null}${lanes}</td>`;
}

/**
 * @param {Card[]} cards runs with the same load, newest first @param {string} newest id of the run that this page shows
 * @returns {Fragment} a head with the load, its servers and the axes, and a row for each run
 */
function group(cards, newest) {
  const [{ scenario, load = '' }] = cards;
  const colours = coloursOf([...new Set(cards.flatMap((card) => casesOf(card).map(({ label }) => label)))]);
  const figures = HISTORY.map((figure) => {
    const [key] = figure;
    const drawn = cards.flatMap((card) =>
      casesOf(card).flatMap((digest) => {
        const value = digest[key] ?? 0;
        const [low, high] = digest[`${key}95`] ?? [value, value];
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
    colours.size > MAX_LINES
      ? `${count(colours.size)} servers`
      : [...colours].map(
          ([label, colour]) => html`<span class="${legClass(colour)}"><i class="chip"></i>${label}</span> `,
        )
  }</span></th>${figures.map(
    ({ figure: [, title, write], axis, isKnown }) =>
      html`<td class="lane-of">${isKnown && html`<small>${title}</small>`}${axis && axisLine(axis, write)}</td>`,
  )}</tr>${rows}</tbody>`;
}

/** @param {Card[]} cards newest first; the page shows the first of them @returns {string} */
export function runsSection(cards) {
  /** @type {Map<string, Card[]>} */
  const byLoad = new Map();
  for (const card of cards) {
    const load = card.digest?.load ?? JSON.stringify([card.scenario, card.load]);
    byLoad.set(load, [...(byLoad.get(load) ?? []), card]);
  }
  return html`<section id="runs" aria-labelledby="runs-title"><h2 id="runs-title">All runs</h2>
<div class="scroll" tabindex="0" role="region" aria-label="Table of all runs"><table class="runs">${[...byLoad.values()].map((runs) => group(runs, cards[0].run))}</table></div></section>`
    .text;
}
