/** The kernel's counters that moved, leg by leg: a table, and nothing when none did. */
import { html } from '../html.js';
import { bytes, count, duration } from '../units.js';
import { countersMoved, IN_MS, KERNEL_WORDS } from './kernel-words.js';

/** @typedef {import('../types.js').Facts} Facts */

const PAGE_BYTES = 4096;
const pages = (/** @type {number | undefined} */ n) => (n === undefined ? '–' : bytes(n * PAGE_BYTES));

/**
 * @param {string} name @param {Array<Record<string, number>>} readings
 * @param {Facts[]} legs whose readings these are: where it is narrow, each value stands below its leg's name
 */
function row(name, readings, legs) {
  const [title, meaning, change] = KERNEL_WORDS[name] ?? [name, ''];
  const value = (/** @type {number} */ n) => (IN_MS.has(name) ? duration(n * 1e6) : count(n));
  return html`<tr><th scope="row">${title} ${KERNEL_WORDS[name] ? html`<code>${name}</code>` : null}${
    meaning || change
      ? html`<span>${meaning}${change ? html` <em>What changes it: ${change}${change.endsWith('.') ? '' : '.'}</em>` : null}</span>`
      : null
  }</th>${readings.map(
    (kernel, i) => html`<td data-leg="${legs[i].label}">${value(kernel[name] ?? 0)}</td>`,
  )}</tr>`;
}

/** @param {Array<Record<string, number>>} readings @param {Facts[]} legs @param {any} memPages tcp_mem */
function memoryRow(readings, legs, memPages) {
  if (!readings.some((kernel) => kernel.TcpMemPages > 0)) return null;
  const most = readings.reduce((sum, kernel) => Math.max(sum, kernel.TcpMemPages ?? 0), 0);
  const where = memPages
    ? `Of the whole machine. ${most < memPages.pressure ? 'Pressure begins at' : 'Pressure began at'} ${pages(memPages.pressure)}, and from ${pages(
        memPages.high,
      )} on nothing is given (net.ipv4.tcp_mem).`
    : 'Of the whole machine.';
  return html`<tr><th scope="row">most memory that TCP held <code>TcpMemPages</code><span>${where}</span></th>${readings.map(
    (kernel, i) => html`<td data-leg="${legs[i].label}">${pages(kernel.TcpMemPages)}</td>`,
  )}</tr>`;
}

/**
 * @param {Facts[]} ran
 * @param {(f: Facts) => Record<string, number> | undefined} of
 * @param {string} where the words on whose counters these are
 * @param {any} [memPages] tcp_mem
 * @returns {import('../html.js').Fragment | null}
 */
export function counters(ran, of, where, memPages) {
  const readings = ran.map((f) => of(f) ?? {});
  const moved = countersMoved(readings);
  const memory = memoryRow(readings, ran, memPages);
  if (!moved.length && !memory) return null;
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Kernel counters, ${where}"><table class="counters"><thead><tr><td>Counted by the kernel, ${where}${
    moved.length ? '' : ': nothing was dropped, sent again or reset'
  }</td>${ran.map((f) => html`<th scope="col" class="leg leg-${f.index % 8}"><i class="chip"></i>${f.label}</th>`)}</tr></thead><tbody>${moved.map(
    (name) => row(name, readings, ran),
  )}${memory}</tbody></table></div>`;
}
