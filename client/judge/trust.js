// Whether the figures of a run can be trusted: a verdict and its reasons, the worst first. Console, page and Markdown
// show it as a line below the headline. The details of a reason are in a finding (findings/).

import { figuresOf, isMeasured } from '../measure/leg-figures.js';
import { counted, duration, percent, plain, wholePercent } from '../words/format.js';
import { joinNames } from '../words/lists.js';
import { coresBeside, isMuch } from './disturbances.js';
import { isStallTold } from './events.js';
import { figureOf } from './figures.js';
import { findingsOf } from './findings/index.js';
import { hasEnded } from './findings/outcome.js';
import { slicesIn } from './ranking-table.js';
import { MIN_SLICES } from './statistics/index.js';

/**
 * @import { LegSummary, RunSummary as Summary } from '../../config/types.js'
 * @import { Figure } from './figures.js'
 * @import { LegFinding } from './findings/index.js'
 */

/**
 * none: the figures named by `against` cannot be trusted; note: something is unknown, without effect on the verdict.
 * @typedef {'none' | 'care' | 'note' | 'good'} Level
 * @typedef {{ code: string, level: Level, against?: string, text: string }} Reason  text: a clause; against: the
 *   figures that cannot be trusted, for level none
 * @typedef {{ verdict: Exclude<Level, 'note'>, title: string, reasons: Reason[] }} Trust  title: such as "Trust: with
 *   care."
 *
 * @typedef {object} Context
 * @property {Summary} summary
 * @property {LegSummary[]} legs  with figures
 * @property {(code: string) => LegFinding[]} findingsWith  findings with the code, the worst first
 * @property {boolean} isOpen  an open loop, or connections that are only held: throughput is no figure of such a run
 * @property {boolean} isComparison
 */

/** @type {readonly Level[]} */
const WORST_FIRST = ['none', 'care', 'note', 'good'];
/** How many reasons are shown. */
const MAX_REASONS = 4;
/** From this share of the cores on, other programs decide how fast a server is. */
const MOST_CORES = 0.5;
/** From this share on, the client causes most of a response time. */
const MOST_OF_CLIENT = 0.5;
/** From this share of busy cores on, the machine was full. */
const FULL = 0.9;

/** Percentiles whose client share is given, in order of preference. */
const PERCENTILES = /** @type {const} */ (['p99', 'p50']);

/** Figures that a reason of level none spoils. */
const AGAINST = { speed: 'speed', times: 'response times', ranking: 'a ranking' };

/** @param {number} cores @param {number} of @returns {string} such as "1.52 of the 2 cores" */
const coresText = (cores, of) => `${plain(Number(cores.toFixed(2)))} of the ${counted(of, 'core')}`;

/** @param {LegSummary[]} legs @returns {LegSummary[][]} groups of legs that were measured at the same time */
function groupsOf(legs) {
  const groups = new Map(legs.map((leg) => [leg.slices?.group ?? leg.id, /** @type {LegSummary[]} */ ([])]));
  for (const leg of legs) groups.get(leg.slices?.group ?? leg.id)?.push(leg);
  return [...groups.values()];
}

/** @param {Context} context @returns {Reason | undefined} */
function otherPrograms({ legs, isOpen }) {
  const used = groupsOf(legs).flatMap((group) => coresBeside(group) ?? []);
  const [busiest] = used.sort((a, b) => b.cores - a.cores);
  if (busiest === undefined) return undefined;
  const { cores, of, busyCores, withServer } = busiest;
  const who = withServer ? 'server and other programs' : 'other programs';
  const code = 'other-programs';
  const text = `${who} used ${coresText(cores, of)}`;
  if (withServer) return { code, level: busyCores >= FULL * of ? 'care' : 'good', text };
  if (!isMuch(busiest)) return { code, level: 'good', text };
  if (isOpen || cores < MOST_CORES * of) return { code, level: 'care', text };
  return { code, level: 'none', against: AGAINST.speed, text };
}

/** @param {number[]} shares @returns {string} such as "18 to 91 %" */
function sharesText(shares) {
  const [low, high] = [Math.min(...shares), Math.max(...shares)];
  return wholePercent(low) === wholePercent(high)
    ? wholePercent(high)
    : `${plain(Math.round(100 * low))} to ${wholePercent(high)}`;
}

/** @param {Context} context @returns {Reason | undefined} */
function clientShare({ legs, findingsWith, isOpen }) {
  const named = findingsWith('client-delay').flatMap(({ data }) => data.parts);
  const isNamed = (/** @type {string} */ name) => named.some(({ percentile }) => percentile === name);
  const sharesOf = (/** @type {'p50' | 'p99'} */ name) =>
    legs.flatMap((leg) => {
      const share = /** @type {Figure} */ (figureOf(`client part ${name}`)).of?.(leg);
      return typeof share === 'number' ? [share] : [];
    });
  const known = PERCENTILES.filter((name) => sharesOf(name).length > 0);
  const percentile = known.find(isNamed) ?? known[0];
  if (percentile === undefined) return undefined;
  const shares = sharesOf(percentile);
  const code = 'client-share';
  const text = `Broadside caused ${sharesText(shares)} of ${percentile}`;
  if (named.length === 0) return { code, level: 'good', text };
  const isMost = percentile === known[0] && Math.max(...shares) >= MOST_OF_CLIENT;
  if (!isOpen || !isMost) return { code, level: 'care', text };
  return { code, level: 'none', against: AGAINST.times, text };
}

/** If this share of the requests waited for a connection, the client is hardly the reason that requests were late. */
const MANY_LATE = 0.01;

/** @param {Context} context @returns {Reason | undefined} whether requests were sent when they were due */
function schedule({ legs, findingsWith, isOpen }) {
  if (!isOpen) return undefined;
  const code = 'schedule';
  const [late] = findingsWith('arrivals-distorted').filter(({ data }) => data.lateShare < MANY_LATE);
  if (late !== undefined)
    return { code, level: 'care', text: `requests were sent ${duration(late.data.delayNs, 2)} late on average` };
  const isKnown = legs.every(({ steady }) => steady?.arrivals) && findingsWith('arrivals-distorted').length === 0;
  return isKnown ? { code, level: 'good', text: 'requests were sent on schedule' } : undefined;
}

/** @param {Context} context @returns {Reason | undefined} */
function clientLimit({ legs }) {
  if (!legs.some(({ limitedBy }) => limitedBy === 'client')) return undefined;
  return { code: 'client-limit', level: 'care', text: 'Broadside was the limit, so the server may do more' };
}

/** @param {Context} context @returns {Reason | undefined} whether connections of a closed loop were mostly idle */
function loopShare({ findingsWith, isComparison }) {
  const [few] = findingsWith('few-in-flight').filter(({ data: { why } }) => why === 'client' || why === 'slices');
  if (few === undefined) return undefined;
  const { inFlight, connections } = few.data;
  const of = `${counted(connections, 'connection')}${isComparison ? ` to ${few.label}` : ''}`;
  const text = `${plain(Math.round(inFlight))} of ${of} had a request in flight on average`;
  return { code: 'few-in-flight', level: 'care', text };
}

/** @param {Context} context @returns {Reason | undefined} whether slices were long enough, and enough of them */
function slices({ summary, legs, findingsWith, isComparison }) {
  if (isComparison && legs.every((leg) => leg.slices)) {
    const fewest = Math.min(
      ...(summary.cases ?? []).map((server) => slicesIn(legs.filter(({ id }) => server.legs.includes(id)))),
    );
    if (fewest < MIN_SLICES) {
      const text = `a comparison needs ${counted(MIN_SLICES, 'slice')} of each server, and one had ${fewest}`;
      return { code: 'few-slices', level: 'none', against: AGAINST.ranking, text };
    }
  }
  const [apart] = findingsWith('slices-apart');
  if (apart !== undefined) {
    const text = `clocks of hosts were off by up to ${duration(apart.data.errorNs)}`;
    return { code: 'slices-apart', level: 'care', text };
  }
  const [short] = findingsWith('slices-short');
  if (short === undefined) return undefined;
  const text = `slices were short: up to ${percent(short.data.share, 2)} of the replies came after them`;
  return { code: 'slices-short', level: 'care', text };
}

/** @param {Context} context @returns {Reason | undefined} stalls that the machine may have caused */
function machineStalls({ summary, findingsWith }) {
  const [longest] = findingsWith('stalls-waiting');
  if (longest === undefined || isStallTold(summary, longest)) return undefined;
  const ns = duration(longest.data.longestNs, 2);
  return { code: 'stalls-waiting', level: 'care', text: `no reply came for ${ns} while threads waited for a core` };
}

/** @param {Context} context @returns {Reason | undefined} */
function serverCpu({ legs }) {
  const isKnown = legs.some((leg) => figuresOf(leg)?.server?.cpuSeconds !== undefined);
  if (isKnown) return undefined;
  return { code: 'server-cpu', level: 'note', text: "the server's CPU was not measured (--serverPid)" };
}

/** @param {Context} context @returns {Reason | undefined} */
function notRanked({ summary: { comparisons = [] } }) {
  if (!comparisons.some(({ mark }) => mark.why === 'follows-from-throughput')) return undefined;
  const text = 'response times are not ranked: in a closed loop they follow from throughput';
  return { code: 'closed-loop', level: 'note', text };
}

const REASONS = [
  otherPrograms,
  slices,
  clientLimit,
  clientShare,
  schedule,
  loopShare,
  machineStalls,
  serverCpu,
  notRanked,
];

/** Marks that tell how a server compares with the best. */
export const DECIDED = ['best', 'worse', 'as-good'];

/** @param {Summary} summary @returns {boolean} whether it is known how servers compare by their CPU time */
const isRankedByCpu = ({ comparisons = [] }) =>
  comparisons.some(({ figure, mark }) => figure === 'serverCpuPerTransferNs' && DECIDED.includes(mark.code));

/** For a run in which every server ended. @type {Trust} */
const OF_ENDED = {
  verdict: 'none',
  title: 'Trust: none.',
  reasons: [{ code: 'server-ended', level: 'none', text: 'the figures include the time after the server had ended' }],
};

/** @param {Context} context @param {Reason[]} reasons @returns {string} */
function titleOf({ summary, isComparison }, reasons) {
  const against = [...new Set(reasons.flatMap((reason) => reason.against ?? []))];
  if (against.length > 0) {
    const isOfSpeed = against.every((what) => what === AGAINST.speed);
    return isOfSpeed && isComparison && isRankedByCpu(summary)
      ? 'Trust: rank by CPU only.'
      : `Trust: none for ${joinNames(against)}.`;
  }
  return reasons.some(({ level }) => level === 'care') ? 'Trust: with care.' : 'Trust: good.';
}

/**
 * @param {Summary} summary of a run
 * @returns {boolean} whether other programs used so much of the machine that no speed can be trusted
 */
export const isSpeedSpoiled = (summary) =>
  trustOf(summary)?.reasons.some(({ code, level }) => code === 'other-programs' && level === 'none') ?? false;

/**
 * @param {Summary} summary of a run
 * @returns {Trust | undefined} undefined if there are no figures, or nothing is known about their trust
 */
export function trustOf(summary) {
  const measured = summary.legs.filter((leg) => isMeasured(leg) && figuresOf(leg) !== undefined);
  const legs = measured.filter((leg) => !hasEnded(leg));
  if (legs.length === 0) return measured.length === 0 ? undefined : OF_ENDED;
  const findings = findingsOf({ ...summary, search: undefined });
  const isOpen = summary.config.loop === 'open' || legs.every(({ heldOnly }) => heldOnly);
  const context = {
    ...{ summary, legs, isOpen, isComparison: (summary.comparisons ?? []).length > 0 },
    findingsWith: (/** @type {string} */ code) => findings.filter((finding) => finding.code === code),
  };
  const reasons = REASONS.flatMap((reasonOf) => reasonOf(context) ?? []).sort(
    (a, b) => WORST_FIRST.indexOf(a.level) - WORST_FIRST.indexOf(b.level),
  );
  if (reasons.length === 0) return undefined;
  const [{ level }] = reasons;
  return {
    verdict: level === 'note' ? 'good' : level,
    title: titleOf(context, reasons),
    reasons: reasons.slice(0, MAX_REASONS),
  };
}

/**
 * @param {Trust} trust
 * @returns {string} one paragraph: the reasons against trust; without any, the reasons for it
 */
export function trustText({ verdict, title, reasons }) {
  const told = verdict === 'good' ? reasons : reasons.filter(({ level }) => level !== 'good');
  const text = told.map((reason) => reason.text).join('; ');
  return `${title} ${text[0].toUpperCase()}${text.slice(1)}.`;
}
