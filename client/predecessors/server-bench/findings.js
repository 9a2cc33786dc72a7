// What server-bench, a comparison of HTTP server models, found in 2016, held against the figures of a run that has the
// same models. Pure. A finding is only stated where the legs that it is about are in the run, and each has its figures.
// The models are known by the server's name and its number of places, never by a label.
import { roundsOf } from '../../judge/cases.js';
import { figureOf } from '../../judge/figures.js';
import { shownCases, valueOf } from '../../judge/value-of.js';
import { count, duration, percent, rate } from '../../words/format.js';
import { failedShare, figuresOf } from '../../measure/leg-figures.js';

/**
 * @import { LegSummary, RunSummary } from '../../../config/types.js'
 * @import { Claim as Finding, Claims, Plan } from '../../judge/claims.js'
 * @import { Figure } from '../../judge/figures.js'
 * @import { ShownCase } from '../../judge/value-of.js'
 */

/** @typedef {{ connections: number, label: string, perSecond: number, failed: number, p99?: number }} Point */

/** Models that were compared in 2016. */
const MODELS = Object.freeze([
  'iterative',
  'fork',
  'preforked',
  'multi-threaded',
  'prethreaded',
  'select-pool',
  'poll-pool',
  'epoll-pool',
  'epoll-et-pool',
]);
const POOLS = Object.freeze(['select-pool', 'poll-pool', 'epoll-pool', 'epoll-et-pool']);
/** Workers of the pools and of the models they were compared with. */
const PLACES = 16;
const FORK_BEST_AT = 600;
const COLLAPSES_PAST = 60;
/** Of the throughput at 60 connections: below it, the server has collapsed. */
const COLLAPSED_BELOW = 0.5;
const COLLAPSED_FAILED = 0.1;
/** Figures that differ by less are taken for equal. */
const TOLERANCE = 0.05;
/** 3000 against 450 is 6.7 times; half of that still is the finding. */
const POOLS_FASTER = 3;
const POOLS_THEN = Object.freeze({ pools: 3000, others: 450 });

/**
 * @param {string} name of a figure
 * @param {ShownCase} shown
 * @returns {number | undefined} undefined where it is not known
 */
function numberIn(name, shown) {
  const { value } = valueOf(/** @type {Figure} */ (figureOf(name)), shown);
  return typeof value === 'number' ? value : undefined;
}

/** @param {ShownCase} shown @returns {Point | undefined} undefined where it has no figures */
function pointOf(shown) {
  const leg = shown.worst;
  const figures = figuresOf(leg);
  const connections = leg.axes?.connections;
  if (figures === undefined || connections === undefined || !shown.complete) return undefined;
  const [perSecond, p99] = ['rate', 'p99'].map((name) => numberIn(name, shown));
  const label = leg.series ?? leg.label;
  return { connections, label, perSecond: perSecond ?? 0, failed: failedShare(/** @type {any} */ (figures)), p99 };
}

/** @param {ShownCase[]} cases @param {readonly string[]} servers @param {number} [places] @returns {Point[]} */
const pointsOf = (cases, servers, places) =>
  cases
    .filter(({ worst }) => servers.includes(worst.server) && (places === undefined || placesOf(worst) === places))
    .flatMap((shown) => pointOf(shown) ?? []);

/**
 * @param {LegSummary} leg
 * @returns {number | undefined} its workers; those of a pool are its threads but the one that accepts
 */
const placesOf = ({ server, serverModel, serverUse }) =>
  POOLS.includes(server) ? serverUse && serverUse.threads - 1 : Number(serverModel?.concurrent) || undefined;

/** @param {Point[]} points @returns {Point | undefined} the one with the highest throughput */
const best = (points) =>
  points.reduce((/** @type {Point | undefined} */ a, b) => (a && a.perSecond >= b.perSecond ? a : b), undefined);

/** @param {ShownCase[]} cases @returns {Finding[]} */
function forkBest(cases) {
  const at = pointsOf(cases, MODELS).filter(({ connections }) => connections === FORK_BEST_AT);
  const [fork] = pointsOf(cases, ['fork']).filter(({ connections }) => connections === FORK_BEST_AT);
  const other = best(at.filter(({ label }) => label !== fork?.label));
  if (fork === undefined || other === undefined) return [];
  const holds = fork.perSecond >= other.perSecond * (1 - TOLERANCE) && fork.failed <= other.failed + TOLERANCE;
  const failed = fork.failed > 0 ? `, ${percent(fork.failed)} of its requests without a reply` : '';
  return [
    {
      code: 'fork-best-at-600',
      holds,
      data: { connections: FORK_BEST_AT, fork, other, models: at.length },
      text:
        `A process per connection was the fastest at ${count(FORK_BEST_AT)} connections. ${verdict(holds)} ${fork.label} answers ` +
        `${rate(fork.perSecond)}${failed}; of the other ${count(at.length - 1)} models here, ${other.label} answers most, ${rate(other.perSecond)}.`,
    },
  ];
}

/** @param {ShownCase[]} cases @returns {Finding[]} */
function preforkedCollapses(cases) {
  const points = pointsOf(cases, ['preforked'], PLACES);
  const at = points.find(({ connections }) => connections === COLLAPSES_PAST);
  const past = points.filter(({ connections }) => connections > COLLAPSES_PAST);
  if (at === undefined || past.length === 0 || !(at.perSecond > 0)) return [];
  const worst = past.reduce((a, b) => (b.perSecond < a.perSecond ? b : a));
  const mostFailed = past.reduce((a, b) => (b.failed > a.failed ? b : a));
  const share = worst.perSecond / at.perSecond;
  const holds = share < COLLAPSED_BELOW || mostFailed.failed > COLLAPSED_FAILED;
  const failed =
    mostFailed.failed > 0
      ? `, at most ${percent(mostFailed.failed)} of its requests without a reply (at ${count(mostFailed.connections)})`
      : '';
  return [
    {
      code: 'preforked-16-collapses',
      holds,
      data: { at, worst, mostFailed, share },
      text:
        `16 processes in accept collapsed past ${count(COLLAPSES_PAST)} connections. ${verdict(holds)} ${at.label} answers ${rate(at.perSecond)} at ` +
        `${count(at.connections)} connections and, past that, never less than ${rate(worst.perSecond)} (at ${count(worst.connections)}, p99 ${duration(worst.p99)})${failed}.`,
    },
  ];
}

/** @param {ShownCase[]} cases @param {string} work @returns {Finding[]} */
function poolsFaster(cases, work) {
  const pool = best(pointsOf(cases, POOLS, PLACES));
  const blocking = best(pointsOf(cases, ['preforked', 'prethreaded'], PLACES));
  if (pool === undefined || blocking === undefined || !(blocking.perSecond > 0)) return [];
  const factor = pool.perSecond / blocking.perSecond;
  const holds = factor >= POOLS_FASTER;
  return [
    {
      code: 'pools-3000-against-450',
      holds,
      data: { pool, blocking, factor, work, then: POOLS_THEN },
      text:
        `A pool of 16 behind select, poll or epoll answered ${count(POOLS_THEN.pools)}/s, 16 in accept ${count(POOLS_THEN.others)}/s: 6.7 times as many; ` +
        `but the pools had their work commented out. ${verdict(holds)} With the same work (${work}), the best pool answers ${rate(pool.perSecond)} ` +
        `(${pool.label}, ${count(pool.connections)} connections), the best of 16 in accept ${rate(blocking.perSecond)} (${blocking.label}, ` +
        `${count(blocking.connections)} connections): ${factor.toFixed(1)} times as many.`,
    },
  ];
}

/** @param {ShownCase[]} cases @returns {Finding[]} */
function preforkedSwitches(cases) {
  const own = cases.filter(
    ({ complete, worst: leg }) => complete && leg.server === 'preforked' && placesOf(leg) === PLACES,
  );
  const each = own
    .flatMap(({ worst: { axes, phases, transfers, serverUse } }) => {
      const switches = serverUse?.contextSwitchesPerSecond;
      const connections = axes?.connections;
      if (!switches || connections === undefined || !phases || !transfers?.count) return [];
      const all = (switches.voluntary + switches.involuntary) * (phases.endNs / 1e9);
      return [{ connections, perTransfer: all / transfers.count }];
    })
    .sort((a, b) => a.connections - b.connections);
  const at = each.findLast(({ connections }) => connections <= COLLAPSES_PAST);
  const past = each.at(-1);
  if (at === undefined || past === undefined || past.connections <= COLLAPSES_PAST) return [];
  const holds = past.perTransfer >= 2 * at.perTransfer;
  return [
    {
      code: 'preforked-16-switches',
      holds,
      data: { at, past },
      text:
        `Context switches were suspected to slow 16 processes down under many connections. ${verdict(holds)} They make ` +
        `${at.perTransfer.toFixed(1)} per request at ${count(at.connections)} connections and ${past.perTransfer.toFixed(1)} at ${count(past.connections)}.`,
    },
  ];
}

/** @param {boolean} holds */
const verdict = (holds) => (holds ? 'That holds here.' : 'That does not hold here.');

/**
 * @param {RunSummary} summary of a run; of one with rounds the medians count
 * @param {Plan} plan of the run: which work each model did
 * @returns {Claims} findings whose models are in it, over HTTP and with the same work; none
 *   for any other run
 */
export function findingsOf2016(summary, plan) {
  const rounds = roundsOf(summary.legs ?? []);
  const figures =
    rounds > 1
      ? `the medians of the ${count(rounds)} rounds of this run`
      : 'the figures of this run, in which each leg ran once';
  return {
    id: 'findings',
    title: 'The findings of 2016',
    lead:
      `These models were compared in 2016. Each sentence states what was found then, with ${figures}; figures that differ ` +
      'by less than 5 % count as equal.',
    heading: 'What a comparison found in 2016, and whether it holds in this run:',
    claims: findingsIn(summary, plan),
  };
}

/** @param {RunSummary} summary @param {Plan} plan @returns {Finding[]} */
function findingsIn(summary, plan) {
  const works = new Set((plan?.legs ?? []).map(({ server }) => server?.options?.work ?? 'none'));
  if (summary.config?.protocol !== 'http' || works.size !== 1) return [];
  const [work] = works;
  const cases = shownCases(summary);
  return [forkBest, preforkedCollapses, poolsFaster, preforkedSwitches].flatMap((find) => find(cases, work));
}
