/**
 * The picture beside the answer. Of a sweep its main curve, of one leg its response times over time: a chart of the model,
 * moved to the top. Of several servers a row each: the figures that the answer names, and what became of the connections. Pure.
 */
import { bareRate, count, duration, percent } from '../../client/words/format.js';
import { accountEntries } from '../../client/words/account.js';
import { firstLineOf } from '../../client/words/endings.js';
import { isTooWide } from '../../client/words/intervals.js';
import { areMany, orders } from './leg-order.js';
import { followsProfile, heldTooFew, latenessDominates } from '../../client/measure/leg-figures.js';
import { servedOnlySome } from '../../client/words/figures.js';
import { beyondMax, connectBeyondMax, failedShareOf, openOf, requestedOf } from './page-leg.js';

/** @typedef {import('../types.js').PageLeg} PageLeg */
/** @typedef {import('../types.js').Chart} Chart */
/**
 * @typedef {{ at: number, text: string, bad: boolean, interval?: [number, number] }} Bar  at: its end, as a share of the width;
 *   interval: 95 % over rounds, likewise; what is above 1 leaves the picture
 * @typedef {{ share: number, text: string, bad: boolean, parts: Array<{ part: string, share: number }> }} Served
 * @typedef {{ label: string, colour: number, speed: Bar | null, wait: Bar | null, served: Served | null, failures: string,
 *   onlySome: boolean, message: string }} Row  failures: rejects and errors in words; onlySome: its figures are of the few
 *   connections that it served; message: why it did not run
 * @typedef {{ speed: string | null, wait: string | null, served: string, rows: Row[], left: number, intervals: boolean,
 *   order: import('../types.js').Remark | null }} Rows
 *   speed, wait, served: titles of the columns; left: servers for which there is no room; order: what it is, where it might be
 *   read as a ranking
 */

/** More servers are in the overview only. */
const MAX_ROWS = 16;
/** A wide interval leaves the picture, rather than make the bars short: room beyond the longest, as its multiple. */
const ROOM = 1.6;

/** @param {PageLeg} f @returns {import('../../config/types.js').Times | undefined} those that the answer names */
const timesOf = (f) => (f.summary.heldOnly ? f.summary.connectTimeNs : f.figures?.responseTimeNs);

/** @param {PageLeg} f @returns {boolean} whether so much failed that its p99 is not known */
const isBeyond = (f) => (f.summary.heldOnly ? connectBeyondMax(f, 99) : beyondMax(f, 99));

/** @param {PageLeg} f @param {'perSecond' | 'p99Ns'} figure @returns {[number, number] | undefined} */
const intervalOf = (f, figure) => f.summary.intervals?.[figure];

/** @param {PageLeg} f @param {'perSecond' | 'p99Ns'} figure @returns {number[]} the bounds, where they tell enough for a scale to show them */
function boundsOf(f, figure) {
  const interval = intervalOf(f, figure);
  return interval === undefined || isTooWide(interval) ? [] : interval;
}

/** @param {PageLeg[]} all @returns {(f: PageLeg) => Bar | null} along a linear scale from zero */
function speeds(all) {
  const longest = Math.max(0, ...all.map((f) => f.figures?.perSecond ?? 0)) || 1;
  const ends = all.map((f) => boundsOf(f, 'perSecond')[1] ?? 0);
  const most = Math.max(longest, Math.min(longest * ROOM, Math.max(...ends)));
  return (f) => {
    const value = f.figures?.perSecond;
    if (value === undefined) return null;
    const interval = intervalOf(f, 'perSecond');
    return {
      at: value / most,
      text: bareRate(value),
      bad: false,
      ...(interval ? { interval: /** @type {[number, number]} */ (interval.map((end) => end / most)) } : {}),
    };
  };
}

/** @param {PageLeg[]} all @returns {(f: PageLeg) => Bar | null} along a logarithmic scale of at least a decade */
function waits(all) {
  const known = all.flatMap((f) =>
    [(isBeyond(f) ? timesOf(f)?.max : timesOf(f)?.p99) ?? [], boundsOf(f, 'p99Ns')].flat(),
  );
  const [least, most] = [Math.min(...known, 1e12), Math.max(...known, 1)].map((ns) => Math.log10(Math.max(1, ns)));
  const low = least - 0.35;
  const width = Math.max(1, most + 0.1 - low);
  const at = (/** @type {number} */ ns) => Math.max(0, (Math.log10(Math.max(1, ns)) - low) / width);
  return (f) => {
    const times = timesOf(f);
    if (times === undefined) return null;
    if (isBeyond(f)) return { at: at(times.max), text: `> ${duration(times.max)}`, bad: true };
    const interval = intervalOf(f, 'p99Ns');
    return {
      at: at(times.p99),
      text: duration(times.p99),
      bad: Boolean(latenessDominates(f.figures)),
      ...(interval ? { interval: /** @type {[number, number]} */ (interval.map(at)) } : {}),
    };
  };
}

/** @param {number | undefined} value @param {number | undefined} whole @returns {string} such as all 1,000, or 16 of 1,000 */
const partText = (value, whole) => (value === whole ? `all ${count(whole)}` : `${count(value)} of ${count(whole)}`);

/** @param {PageLeg} f @returns {Served | null} what became of its connections */
function servedOf(f) {
  const { account, connections } = f.summary;
  const requested = requestedOf(f) ?? 0;
  if (followsProfile(f.summary)) {
    const share = (connections?.peakOpen ?? 0) / (connections?.requested || 1);
    const text = partText(connections?.peakOpen, connections?.requested);
    return { share, text, bad: share < 1, parts: [{ part: 'served', share: Math.min(1, share) }] };
  }
  if (account === undefined || f.summary.heldOnly) {
    const value = f.workload === 'once' ? f.summary.transfers?.count : openOf(f);
    if (value === undefined) return null;
    const share = Math.min(1, value / (requested || 1));
    return {
      share,
      text: partText(value, requested),
      bad: share < 1,
      parts: [{ part: 'served', share }],
    };
  }
  const entries = accountEntries(account).filter(({ value }) => value > 0);
  const whole = entries.reduce((sum, { value }) => sum + value, 0) || 1;
  return {
    share: account.served / whole,
    text: partText(account.served, requested),
    bad: entries.some(({ bad }) => bad),
    parts: entries.map(({ part, value }) => ({ part, share: value / whole })),
  };
}

/** From this share on, failed and unfinished transfers are named: p99 is not known then. */
const MANY_FAILED = 0.01;

/** @param {PageLeg} f @returns {string} such as 8,211 rejects, 20 errors, 3.1 % of transfers without a reply; '': none */
function failuresText(f) {
  const { rejects, errors } = f.summary;
  const share = failedShareOf(f);
  return [
    rejects?.total ? `${count(rejects.total)} rejects` : '',
    errors?.total ? `${count(errors.total)} errors` : '',
    share >= MANY_FAILED ? `${percent(share, 2)} of transfers without a reply` : '',
  ]
    .filter((text) => text !== '')
    .join(', ');
}

/**
 * Of a run that compares servers the picture has the figures and the order of their table.
 * @param {PageLeg[]} cases @param {import('../../client/judge/ranking-table.js').RankingTable} table
 * @returns {PageLeg[]} the cases as they are, where the table has several points, or only some of them
 */
export function asRanked(cases, { figures, points }) {
  const rows = points.length === 1 ? points[0].rows : [];
  const ranked = rows.flatMap(({ label, cells }) => {
    const f = cases.find((one) => one.label === label);
    const cellOf = (/** @type {string} */ key) => cells[figures.findIndex(({ compared }) => compared.key === key)];
    return f?.figures && f.ran
      ? [withCells(f, f.figures, { perSecond: cellOf('perSecond'), p99Ns: cellOf('p99Ns') })]
      : [];
  });
  return ranked.length === cases.length ? ranked : cases;
}

/**
 * @param {PageLeg} f @param {NonNullable<PageLeg['figures']>} figures its own
 * @param {Record<'perSecond' | 'p99Ns', import('../../client/judge/ranking-table.js').Cell | undefined>} cells
 * @returns {PageLeg}
 */
function withCells(f, figures, { perSecond, p99Ns }) {
  /** @type {Record<string, [low: number, high: number]>} */
  const intervals = { ...f.summary.intervals };
  for (const [key, cell] of Object.entries({ perSecond, p99Ns })) {
    if (cell?.low !== undefined && cell.high !== undefined) intervals[key] = [cell.low, cell.high];
  }
  const { responseTimeNs: times } = figures;
  const p99 = p99Ns?.mark?.code === 'not-compared' ? undefined : (p99Ns?.median ?? times?.p99);
  return {
    ...f,
    figures: {
      ...figures,
      perSecond: perSecond?.median ?? figures.perSecond,
      responseTimeNs: times === undefined || p99 === undefined ? undefined : { ...times, p99 },
    },
    summary: { ...f.summary, intervals },
  };
}

/** @param {PageLeg[]} all sorted by speed @returns {import('../types.js').Remark} that the order is no ranking of one round */
function orderRemark(all) {
  const rounds = all.reduce((most, f) => Math.max(most, f.summary.rounds ?? 1), 1);
  const text = rounds === 1 ? ' That is no ranking: each was measured once.' : '';
  return { code: 'order', data: { rounds }, text: `Sorted by transfers/s.${text}` };
}

/**
 * @param {PageLeg[]} cases @param {PageLeg[]} results of the legs: of one server in rounds, a row for each round
 * @returns {Rows | null} null of one leg
 */
export function pictureRows(cases, results) {
  const all = cases.length === 1 ? results : cases;
  if (all.length < 2 || !all.some((f) => f.ran)) return null;
  const isSorted = areMany(all) && cases.length > 1;
  const sorted = isSorted ? (orders(all).find(({ id }) => id === 'speed') ?? orders(all)[0]).results : all;
  const shown = sorted.slice(0, MAX_ROWS);
  const [first] = all;
  const isHeld = all.every((f) => f.summary.heldOnly);
  const [speed, wait] = [speeds(shown), waits(shown)];
  const speedTitle = isHeld || first.workload === 'once' ? null : 'transfers/s';
  return {
    speed: speedTitle,
    wait: shown.every((f) => timesOf(f) === undefined) ? null : isHeld ? 'connect p99' : 'p99',
    served: isHeld || followsProfile(first.summary) ? 'open' : 'served',
    left: all.length - shown.length,
    order: isSorted && speedTitle !== null ? orderRemark(sorted) : null,
    intervals: shown.some((f) => intervalOf(f, 'perSecond') || intervalOf(f, 'p99Ns')),
    rows: shown.map((f) => ({
      label: f.label,
      colour: f.colour,
      speed: speedTitle === null || !f.ran ? null : speed(f),
      wait: f.ran ? wait(f) : null,
      served: f.ran ? servedOf(f) : null,
      onlySome: Boolean(servedOnlySome(f.summary)),
      failures: f.ran ? failuresText(f) : '',
      message: f.ran ? '' : `did not run${f.summary.failure?.text ? `: ${firstLineOf(f.summary.failure?.text)}` : ''}`,
    })),
  };
}

/**
 * @param {Chart[]} charts of the page @param {number} legs @param {boolean} open loop
 * @param {boolean} short whether the answer is that connections were not served
 * @returns {Chart | undefined} the one that answers; of open loop the rate is given, so that the response time is the answer
 */
function mainChart(charts, legs, open, short) {
  const drawn = charts.filter(({ empty }) => !empty);
  const of = (/** @type {string} */ id) => drawn.find((chart) => chart.id === id);
  const searched = drawn.filter(({ section }) => section === 'search');
  if (searched.length > 0) return searched.length === 1 ? searched[0] : undefined;
  const swept = of(open ? 'sweep-response' : 'sweep-throughput');
  if (swept || legs > 1) return swept;
  return (short ? of('connections') : undefined) ?? of('heat') ?? of('connections');
}

/**
 * @param {Chart[]} charts @param {PageLeg[]} results of the legs
 * @returns {Chart[]} the same, one of them marked as the picture if the run has no rows
 */
export function withPicture(charts, results) {
  const picture = mainChart(
    charts,
    results.length,
    !results.every((f) => f.closed),
    results.some((f) => servedOnlySome(f.summary) || heldTooFew(f.summary)),
  );
  return charts.map((chart) => (chart === picture ? { ...chart, picture: true } : chart));
}
