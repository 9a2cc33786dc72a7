/**
 * The table of limits: for each leg the share of time that each side was the limit, the CPU use of threads and
 * processes, the knee of the ramp, and TCP's round-trip time.
 */
import { coverageOf } from '../../../client/measure/leg-figures.js';
import { limitText } from '../../../client/judge/findings/likely-limit.js';
import { count, duration, NOT_MEASURED, percent } from '../../../client/words/format.js';
import { kneeCell, kneeReasons } from '../../../client/words/knee.js';
import { areMany, grouped } from '../../model/leg-order.js';
import { numberOf } from '../../model/page-leg.js';
import { sharesMachine } from '../../model/placement.js';
import { html } from '../html.js';
import { groupedRows, legClass, rowHead } from './leg-name.js';

/**
 * @import { PageLeg, Remark, Run } from '../../types.js'
 * @import { Fragment } from '../html.js'
 */

/**
 * @typedef {{ name: string, title: string, of: (f: PageLeg) => string | undefined, about?: (f: PageLeg) => string |
 *   undefined }} Column  about: text in small print below
 */

/** On a shared machine with up to this many cores, client and server usually use all of them. */
const FEW_CORES = 4;
const SIDES = /** @type {const} */ (['machine', 'client', 'server']);
/** Of more shares, only the smallest and the largest are shown. */
const MAX_LISTED = 3;

/**
 * @param {PageLeg} f @param {(typeof SIDES)[number]} side
 * @returns {number} 0..1: share of the time during which the side was the limit
 */
const shareOf = (f, side) => numberOf(f, `limited by ${side}`) ?? 0;

/** @param {PageLeg} f @returns {(typeof SIDES)[number][]} sides that were the limit at times, largest share first */
const limitingSides = (f) => SIDES.filter((side) => shareOf(f, side) > 0).sort((a, b) => shareOf(f, b) - shareOf(f, a));

/** @param {PageLeg} f @returns {string} the leg's limit, such as "machine", "none for most of the time" */
export const limitWords = ({ summary }) => limitText(summary) ?? summary.limitedBy ?? NOT_MEASURED;

/** @param {number[]} shares of a core @returns {string} up to MAX_LISTED shares, or the smallest and the largest */
function sharesText(shares) {
  if (shares.length <= MAX_LISTED) return shares.map((share) => percent(share, 2)).join(', ');
  const sorted = [...shares].sort((a, b) => a - b);
  const [smallest, largest] = [sorted[0], sorted[sorted.length - 1]].map((share) => percent(share, 2));
  return smallest === largest ? `${smallest} each` : `${smallest} to ${largest}`;
}

/** @param {PageLeg} f @returns {string} such as "machine 93 %, server 4 %", "not known 100 %" */
function sharesOfSides(f) {
  const { limitShares } = f.summary;
  if (!limitShares) return '–';
  const sides = limitingSides(f).map((side) => `${side} ${percent(shareOf(f, side), 2)}`);
  const { unknown = 0 } = limitShares;
  return [...sides, ...(unknown > 0 ? [`not known ${percent(unknown, 2)}`] : [])].join(', ') || 'no side';
}

/** @param {PageLeg} f @returns {string | undefined} such as "32: 19 % to 50 %" */
function processesText({ summary, figures, planned }) {
  const { processCpu = [] } = figures?.server ?? {};
  if (processCpu.length === 0) return undefined;
  const running = summary.serverUse?.processes ?? 0;
  const requested = Number(planned?.server.kind === 'named' ? planned.server.options.processes : 0) || 0;
  // A parent process starts the others and serves no connection: it does not count.
  const serving = requested > 1 && running === requested + 1 ? requested : Math.max(running, processCpu.length);
  return `${count(serving)}: ${sharesText(processCpu.slice(0, serving))}`;
}

/** @type {Column[]} */
const COLUMNS = [
  {
    name: 'engine threads',
    title: 'engine threads, on a core',
    of: ({ figures }) => {
      const { engines = [] } = figures?.client ?? {};
      return engines.length === 0
        ? undefined
        : `${count(engines.length)}: ${sharesText(engines.map(({ cpu }) => cpu))}, waiting ${sharesText(engines.map(({ wait }) => wait))}`;
    },
  },
  { name: 'server processes', title: 'server processes, on a core', of: processesText },
  {
    name: 'knee',
    title: 'knee at',
    of: (f) => kneeCell(f.summary.ramp),
    about: (f) => kneeReasons(f.summary.ramp),
  },
  {
    name: 'round trip',
    title: 'TCP round trip with the reply: least / p50 / p99',
    of: ({ summary: { rttNs } }) => rttNs && [rttNs.min, rttNs.p50, rttNs.p99].map((ns) => duration(ns)).join(' / '),
  },
  {
    name: 'predicted by the plan',
    title: 'predicted by the plan',
    of: ({ ceilings }) => (ceilings.length > 0 ? 'a limit' : undefined),
    about: ({ ceilings }) => ceilings[0]?.text,
  },
];

/**
 * Explains why the machine was the limit: client and server share few cores.
 * @param {PageLeg[]} ran @param {Run} run
 * @returns {Remark | null} null if the machine was not the limit, or for another reason
 */
function sharedCores(ran, run) {
  const limited = ran.filter((f) => shareOf(f, 'machine') >= 0.5);
  const { cores = Infinity } = run.environment ?? {};
  if (limited.length === 0 || limited.some((f) => f.shown.disturbed > 0)) return null;
  if (!sharesMachine(run) || !(cores <= FEW_CORES)) return null;
  const text = `Client and server share ${count(cores)} ${cores === 1 ? 'core' : 'cores'}, so the machine is usually the limit.`;
  return { code: 'shared-cores', data: { cores }, text };
}

/**
 * @param {PageLeg[]} results @param {Run} run
 * @returns {Fragment | null} null if no leg ran
 */
export function limits(results, run) {
  const groups = (areMany(results) ? grouped(results) : [{ name: '', results }])
    .map((group) => ({ ...group, results: group.results.filter((f) => f.ran) }))
    .filter((group) => group.results.length > 0);
  const ran = groups.flatMap((group) => group.results);
  if (ran.length === 0) return null;
  const columns = COLUMNS.filter(({ of }) => ran.some((f) => of(f) !== undefined));
  const row = (/** @type {PageLeg} */ f) =>
    html`<tr data-leg="${f.label}">${rowHead(f)}<td class="limit ${legClass(f.colour)}" data-name="limit"><span class="shares" aria-hidden="true">${limitingSides(
      f,
    ).map(
      (side) => html`<i class="share-${side}" style="width:${(shareOf(f, side) * 100).toFixed(2)}%"></i>`,
    )}</span>${sharesOfSides(f)}${limitingSides(f)[0] === limitWords(f) ? null : html`<small>${limitWords(f)}</small>`}</td>${columns.map(
      ({ name, of, about }) => {
        const small = about?.(f);
        return html`<td data-name="${name}">${of(f) ?? '–'}${small === undefined ? null : html`<small>${small}</small>`}</td>`;
      },
    )}</tr>`;
  const shared = sharedCores(ran, run);
  const span = ran.every((f) => coverageOf(f.summary) === 'whole leg') ? 'measurement' : 'steady state';
  return html`<p class="lead">Which side was at its limit, for how much of the ${span}; no side in the rest. ${
    shared ? html`<span data-code="${shared.code}">${shared.text}</span> ` : null
  }Waiting means that a thread was ready to run, but no core was free.</p>
<div class="scroll" tabindex="0" role="region" aria-label="What limited each server"><table class="limits"><thead><tr><td></td><th scope="col" class="limit">limit</th>${columns.map(
    ({ title }) => html`<th scope="col">${title}</th>`,
  )}</tr></thead><tbody>${groupedRows(groups, columns.length + 2, row)}</tbody></table></div>`;
}
