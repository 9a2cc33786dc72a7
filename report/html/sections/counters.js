/**
 * The kernel's counters that moved, leg by leg: a row for each cause and the counters folded below, nothing when none
 * did.
 */
import { areShared } from '../../model/charts/kernel.js';
import { areMany } from '../../model/leg-order.js';
import { html } from '../html.js';
import { bytes, count, counted, duration } from '../../../client/words/format.js';
import { causesMoved, countersMoved, IN_MS, KERNEL_WORDS } from './kernel-words.js';
import { columnHead, rowHead } from './leg-name.js';

/**
 * @import { PageLeg, TcpMemory } from '../../types.js'
 * @import { Fragment } from '../html.js'
 */

/** @typedef {'machine' | 'server'} Namespace  of this machine, or another one, in which the server runs */

/** @type {Record<Namespace, string>} */
const WHERE = {
  machine: 'Kernel counters of this machine’s whole network namespace, not only of this run',
  server: 'Kernel counters of the server’s own network namespace',
};

/** @param {number | undefined} n @param {TcpMemory | undefined} memPages */
const pages = (n, memPages) => (n === undefined || !memPages ? '–' : bytes(n * memPages.pageBytes));

/** @param {string} name @param {number} n @returns {string} */
const valueText = (name, n) => (IN_MS.has(name) ? duration(n * 1e6) : count(n));

/** @param {string} name @returns {unknown} what the counter counts, and what would change it */
function meaningOf(name) {
  const [, meaning, change] = KERNEL_WORDS[name] ?? [name, ''];
  if (!meaning && !change) return null;
  return html`${meaning}${change ? html` <em>Remedy: ${change}</em>` : null}`;
}

/**
 * @param {string} name @param {Array<Record<string, number>>} readings
 * @param {PageLeg[]} legs whose readings these are: where it is narrow, each value is below its leg's name
 */
function row(name, readings, legs) {
  const meaning = meaningOf(name);
  return html`<tr data-counter="${name}"><th scope="row">${KERNEL_WORDS[name]?.[0] ?? name} ${KERNEL_WORDS[name] ? html`<code>${name}</code>` : null}${
    meaning ? html`<span>${meaning}</span>` : null
  }</th>${readings.map((kernel, i) => html`<td data-name="${legs[i].label}">${valueText(name, kernel[name] ?? 0)}</td>`)}</tr>`;
}

/**
 * A cause: the counter that says most of it, and how many others moved with it.
 * @param {ReturnType<typeof causesMoved>[number]} cause @param {Array<Record<string, number>>} readings
 * @param {PageLeg[]} legs whose readings these are
 */
function causeRow({ cause, name, counters: [first, ...others] }, readings, legs) {
  const more = others.length === 0 ? '' : ` and ${counted(others.length, 'other counter')}`;
  // each of them has a row below where some are folded; else this is the only one
  return html`<tr data-cause="${cause}" data-counter="${first}"><th scope="row"><b>${name}</b>: ${KERNEL_WORDS[first]?.[0] ?? first} <code>${first}${more}</code><span>${meaningOf(first)}</span></th>${readings.map(
    (kernel, i) => html`<td data-name="${legs[i].label}">${valueText(first, kernel[first] ?? 0)}</td>`,
  )}</tr>`;
}

/** A few connections are opened by whatever runs on a machine. */
const FEW_CONNECTIONS = 10;

/**
 * @param {PageLeg} leg
 * @param {PageLeg[]} ran
 * @returns {number} attempts to connect while it ran: also of those that it took turns with
 */
function attemptsDuring({ summary }, ran) {
  const { slices } = summary;
  const all = ran.flatMap(({ shown }) => shown.legs);
  const legs = slices ? all.filter((leg) => leg.slices?.group === slices.group) : [summary];
  return legs.reduce((sum, { attempts }) => sum + (attempts?.total ?? 0), 0);
}

/**
 * @param {PageLeg[]} ran
 * @returns {Fragment | null} that the counts are not of this run alone, where the kernel opened more connections
 */
function otherPrograms(ran) {
  const more = ran.flatMap((f) => {
    const attempts = attemptsDuring(f, ran);
    const n = (f.summary.kernel?.TcpActiveOpens ?? 0) - attempts;
    return n > Math.max(FEW_CONNECTIONS, attempts * 0.05) ? [`${count(n)} with ${f.label}`] : [];
  });
  if (more.length === 0) return null;
  return html`<p class="small" data-code="other-connections">Other programs on this machine, or the server itself, opened connections at the same time (${more.join(', ')}): some of these counts are theirs.</p>`;
}

/** @param {number} most pages held @param {TcpMemory | undefined} memPages @returns {string} */
function memoryText(most, memPages) {
  if (!memPages) return 'On the whole machine.';
  const begins = most < memPages.pressure ? 'Pressure begins at' : 'Pressure began at';
  return `On the whole machine. ${begins} ${pages(memPages.pressure, memPages)}, and above ${pages(memPages.high, memPages)} the kernel refuses socket memory (net.ipv4.tcp_mem).`;
}

/** @param {Array<Record<string, number>>} readings @returns {number} pages that TCP held, at most */
const mostHeld = (readings) => readings.reduce((sum, kernel) => Math.max(sum, kernel.TcpMemPages ?? 0), 0);

/** @param {Array<Record<string, number>>} readings @param {PageLeg[]} legs @param {TcpMemory | undefined} memPages */
function memoryRow(readings, legs, memPages) {
  const most = mostHeld(readings);
  if (most === 0) return null;
  return html`<tr data-counter="TcpMemPages"><th scope="row">peak TCP memory <code>TcpMemPages</code><span>${memoryText(most, memPages)}</span></th>${readings.map(
    (kernel, i) => html`<td data-name="${legs[i].label}">${pages(kernel.TcpMemPages, memPages)}</td>`,
  )}</tr>`;
}

/**
 * Many legs below each other, a column a counter; the meanings of the counters follow below.
 * @param {PageLeg[]} ran @param {Array<Record<string, number>>} readings @param {Namespace} namespace
 * @param {TcpMemory | undefined} memPages
 * @returns {Fragment | null}
 */
function ofMany(ran, readings, namespace, memPages) {
  const moved = countersMoved(readings);
  const held = mostHeld(readings);
  if (!moved.length && !held) return null;
  const title = (/** @type {string} */ name) => KERNEL_WORDS[name]?.[0] ?? name;
  const rows = ran.map(
    (f, i) =>
      html`<tr data-leg="${f.label}">${rowHead(f)}${moved.map((name) => {
        const n = readings[i][name] ?? 0;
        return html`<td data-counter="${name}"${n ? '' : html` class="nil"`}>${n ? valueText(name, n) : '0'}</td>`;
      })}${held ? html`<td>${pages(readings[i].TcpMemPages, memPages)}</td>` : null}</tr>`,
  );
  return html`<details class="counted"><summary>Kernel counters of each server</summary><p class="lead">${WHERE[namespace]}.</p>
<div class="scroll" tabindex="0" role="region" aria-label="Kernel counters (${namespace})"><table class="of-many"><thead><tr><td></td>${moved.map(
    (name) => html`<th scope="col">${title(name)}</th>`,
  )}${held ? html`<th scope="col">peak TCP memory</th>` : null}</tr></thead><tbody>${rows}</tbody></table></div>
<dl class="meanings">${moved.map(
    (name) =>
      html`<div><dt>${title(name)} ${KERNEL_WORDS[name] ? html`<code>${name}</code>` : null}</dt><dd>${meaningOf(name)}</dd></div>`,
  )}${held ? html`<div><dt>peak TCP memory <code>TcpMemPages</code></dt><dd>${memoryText(held, memPages)}</dd></div>` : null}</dl></details>`;
}

/**
 * @param {PageLeg[]} ran
 * @param {(f: PageLeg) => Record<string, number> | undefined} of
 * @param {Namespace} namespace whose counters these are
 * @param {TcpMemory} [memPages]
 * @returns {Fragment | null}
 */
export function counters(ran, of, namespace, memPages) {
  const all = ran.map((f) => of(f) ?? {});
  const isShared = areShared(all, ran);
  const readings = isShared ? all.slice(0, 1) : all;
  const moved = countersMoved(readings);
  if (!isShared && areMany(ran)) return ofMany(ran, readings, namespace, memPages);
  const memory = memoryRow(readings, ran, memPages);
  if (!moved.length && !memory) return null;
  const title = `Kernel counters (${namespace})`;
  const head = html`<thead><tr><th scope="col" class="what">${WHERE[namespace]}${
    moved.length ? '' : ': no drops, retransmissions or resets'
  }</th>${isShared ? html`<th scope="col">all servers</th>` : ran.map(columnHead)}</tr></thead>`;
  const causes = causesMoved(moved).map((cause) => causeRow(cause, readings, ran));
  const each = moved.map((name) => row(name, readings, ran));
  return html`<div data-namespace="${namespace}"><div class="scroll" tabindex="0" role="region" aria-label="${title}"><table class="counters">${head}<tbody>${causes}${memory}</tbody></table></div>${
    namespace === 'machine' ? otherPrograms(ran) : null
  }${
    moved.length > causes.length
      ? html`<details class="counted"><summary>Each kernel counter</summary><div class="scroll" tabindex="0" role="region" aria-label="${title}, each"><table class="counters">${head}<tbody>${each}</tbody></table></div></details>`
      : null
  }</div>`;
}
