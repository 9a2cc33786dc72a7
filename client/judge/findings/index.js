// The one list of what a reader of a run should know: what became of each leg, what may mislead in its figures, and
// warnings. Console, page, Markdown and the headline read it. Pure.

import { counted } from '../../words/format.js';
import { firstLineOf } from '../../words/endings.js';
import { joinNames, listNames, timesText } from '../../words/lists.js';
import { isCautionOfSearch } from '../../words/search.js';
import { backgroundLoad } from '../disturbances.js';
import { arrivalsDistorted, sentLate } from './arrivals.js';
import { clientDelay } from './client-delay.js';
import { foundBy } from './finding.js';
import { fewInFlight } from './in-flight.js';
import { likelyLimit } from './likely-limit.js';
import {
  clientLimit,
  didNotRun,
  errors,
  hasEnded,
  incomplete,
  isServerEnding,
  notServed,
  rejects,
  serverEndings,
  slowConnects,
} from './outcome.js';
import { redirects, serverSaid, wrongReplies } from './replies.js';
import { backlogFull, connectionLimit, descriptorLimit, idleClosed } from './server-limits.js';
import { stalls, stallsWaiting } from './stalls.js';
import { drift, slicesDependent } from './stationarity.js';
import { closedInPause, slicesApart, slicesShort, unloadedWork } from './turns.js';

/**
 * @import { Finding, LegSummary, RunSummary, Warning } from '../../../config/types.js'
 * @import { MeasuredLeg } from '../../measure/leg-figures.js'
 * @import { Listed, Row } from './finding.js'
 * @import { Seen } from './steady-state.js'
 */

/**
 * @typedef {Finding & { kind: string, times: number, leg?: string, label: string, unit: 'round' | 'start' | 'leg' |
 *   'group', rounds: number[], of: number }} LegFinding  kind: findings of one kind are shown once; leg: the leg in
 *   which it is worst, absent for a finding of the run; times: how often in that leg; label: of the leg, '' for the
 *   run, or for all legs of a group that took turns; rounds: the rounds with it (the starts, with both the legs, or the
 *   groups), the worst first; of: how many rounds there are
 * @typedef {Pick<RunSummary, 'legs' | 'search'> & { warnings?: Warning[] }} Summary
 */

/**
 * Every finding, and the warnings that have a place among them. This is their order within a severity: what became of
 * a leg, the worst first; what was done wrong before what was slow, and the server's before the client's. Other
 * warnings follow.
 * @type {readonly (Listed | Row)[]}
 */
export const rows = [
  ...[didNotRun, ...serverEndings, incomplete],
  ...[wrongReplies, notServed, slowConnects, errors, rejects, clientLimit],
  ...[descriptorLimit, connectionLimit, idleClosed, backlogFull, stalls, sentLate],
  ...[arrivalsDistorted, drift, slicesApart, slicesShort, fewInFlight, unloadedWork, stallsWaiting, clientDelay],
  ...[redirects, backgroundLoad],
  ...[serverSaid, slicesDependent, likelyLimit, closedInPause],
];

const findingRows = rows.filter((row) => 'text' in row);

/** Warnings that repeat the end of a server: left out beside it. */
const OF_ENDED_SERVERS = ['server-output', 'server-processes-lost'];

const ORDER = ['problem', 'caution', 'note'];

/** @param {string} code @returns {Listed | Row | undefined} undefined: a warning without a place among findings */
export const rowOf = (code) => rows.find((row) => row.code === code);

/** @param {Finding} finding @returns {number} */
const weightOf = ({ code, data }) => rowOf(code)?.weight?.(data) ?? 0;

/** @param {Finding} finding @returns {number} its place among others */
function placeOf({ severity, code }) {
  const place = rows.findIndex((row) => row.code === code);
  return ORDER.indexOf(severity) * (rows.length + 1) + (place < 0 ? rows.length : place);
}

/**
 * @param {MeasuredLeg} leg @param {Seen} seen @param {readonly Row[]} [of]
 * @returns {Finding[]} those that are recorded in its summary
 */
export const recordedFindings = (leg, seen, of = findingRows) => foundBy(of, leg, (row) => row.ofSamples?.(leg, seen));

/** @param {LegSummary} leg @returns {Finding[]} what became of it; where it did not run or ended, nothing else */
function outcomeOf(leg) {
  const { complete, connections, warnings = [] } = leg;
  const ended = complete || connections ? warnings.filter(isServerEnding) : [];
  if (ended.length > 0) return ended.map((one) => ({ ...one, severity: 'problem' }));
  const outcome = foundBy(findingRows, leg, (row) => row.ofLeg?.(leg));
  const end = outcome.filter(({ code }) => rowOf(code)?.isEnd);
  return end.length > 0 ? end : outcome;
}

/**
 * @param {LegSummary} leg
 * @returns {Finding[]} what became of it, each remedy once, and what else was found in its samples
 */
function allFindings(leg) {
  const outcome = outcomeOf(leg);
  const causes = outcome.flatMap(({ data }) => data.cause?.code ?? []);
  return [
    ...outcome.map(({ remedy, ...one }, i) =>
      remedy === undefined || outcome.findIndex((other) => other.remedy === remedy) < i ? one : { ...one, remedy },
    ),
    ...(leg.findings ?? []).filter(({ code }) => !causes.includes(rowOf(code)?.explains)),
  ];
}

/** @param {Warning} warning @returns {Finding} of a failure the first line */
const warningFinding = (warning) => ({
  ...warning,
  severity: warning.severity ?? 'caution',
  text: firstLineOf(warning.text),
});

/** @param {LegSummary} leg @returns {Finding[]} its warnings, without those that its other findings tell */
function warningFindings({ warnings = [], failure }) {
  const told = hasEnded({ warnings }) ? OF_ENDED_SERVERS : [];
  return warnings
    .filter((one) => !isServerEnding(one) && !told.includes(one.code))
    .filter(({ code, text }) => !(code === failure?.code && text === failure.text))
    .map(warningFinding);
}

/** @param {Finding} warning @returns {string} the same for two that differ only in servers and numbers */
function kindOf({ code, data }) {
  const withoutNumbers = (/** @type {string} */ key, /** @type {unknown} */ value) =>
    key === 'servers' || typeof value === 'number' ? undefined : value;
  return `${code} ${JSON.stringify(data, withoutNumbers)}`;
}

/** @param {LegSummary} leg @returns {(Finding & Pick<LegFinding, 'kind' | 'times'>)[]} one for each kind */
function kindsOf(leg) {
  /** @type {Map<string, Finding & Pick<LegFinding, 'kind' | 'times'>>} */
  const found = new Map();
  const outcome = allFindings(leg).map((one) => ({ ...one, kind: one.code }));
  for (const one of [...outcome, ...warningFindings(leg).map((other) => ({ ...other, kind: kindOf(other) }))]) {
    const known = found.get(one.kind);
    found.set(one.kind, { ...(known ?? one), times: (known?.times ?? 0) + 1 });
  }
  return [...found.values()];
}

/** @param {Summary} summary @returns {LegFinding[]} its warnings: one for each server that they are about */
function runFindings({ warnings = [] }) {
  /** @type {Map<string, LegFinding>} */
  const found = new Map();
  for (const one of warnings.map(warningFinding)) {
    const kind = kindOf(one);
    for (const label of Array.isArray(one.data.servers) ? one.data.servers : ['']) {
      found.set(`${label} ${kind} ${one.text}`, { ...one, kind, label, times: 1, unit: 'leg', rounds: [1], of: 1 });
    }
  }
  return [...found.values()];
}

/** @type {'group'} */
const GROUP = 'group';
/** More rounds than these are counted. */
const MOST_ROUNDS = 4;

/**
 * @param {Summary} summary
 * @returns {LegFinding[]} the severest first; what was found in several rounds once, as in the worst of them
 */
export function findingsOf({ legs, search, warnings }) {
  /** @type {Map<string, LegFinding>} */
  const found = new Map();
  const inRounds = legs.some(({ round = 1 }) => round > 1);
  const groups = new Set(legs.flatMap(({ slices }) => slices?.group ?? []));
  for (const leg of legs) {
    const { id, label, round = 1, start } = leg;
    const own = legs.filter((other) => other.label === label);
    /** @type {LegFinding['unit']} */
    const unit = start === undefined ? 'round' : inRounds ? 'leg' : 'start';
    const place = unit === 'round' ? round : own.indexOf(leg) + 1;
    for (const one of kindsOf(leg)) {
      const { isOutcome, isOfSearches } = rowOf(one.code) ?? {};
      if (search && ((isOutcome && !isOfSearches) || isCautionOfSearch(one.code))) continue;
      const { group } = one.data;
      const about = group === undefined ? { label, unit, of: own.length } : { label: '', unit: GROUP, of: groups.size };
      const at = group ?? place;
      const key = `${about.label} ${one.kind}`;
      const known = found.get(key);
      if (group !== undefined && known?.rounds.includes(group)) continue; // said already, with the first leg of its group
      const isWorse = known === undefined || weightOf(one) > weightOf(known);
      const rounds = isWorse ? [at, ...(known?.rounds ?? [])] : [...known.rounds, at];
      const worst = isWorse ? { ...one, leg: id, ...about } : known;
      found.set(key, { ...worst, rounds });
    }
  }
  return [...found.values(), ...runFindings({ legs, warnings })].sort(
    (a, b) => placeOf(a) - placeOf(b) || weightOf(b) - weightOf(a),
  );
}

/**
 * @param {Summary} summary
 * @returns {(LegFinding & { rest: LegFinding[] })[]} one for each kind, the severest; rest: those of further servers
 */
export function groupedFindings(summary) {
  const all = findingsOf(summary);
  return [...new Set(all.map(({ kind }) => kind))].map((kind) => {
    const [first, ...rest] = all.filter((one) => one.kind === kind);
    return { ...first, rest };
  });
}

/** @param {Summary} summary @returns {Finding[]} the same as summary.json has them */
export const listedFindings = (summary) =>
  groupedFindings(summary).map(({ code, severity, leg, rest, data, text, remedy }) => {
    const others = rest.flatMap((one) => one.leg ?? []);
    return {
      ...{ code, severity },
      ...(leg === undefined ? {} : { leg }),
      ...(others.length > 0 ? { others } : {}),
      ...{ data, text },
      ...(remedy === undefined ? {} : { remedy }),
    };
  });

/** @param {string[]} labels @returns {string} some of them; of a sweep or a search, a label has a comma in it */
export const namesText = (labels) =>
  labels.some((label) => label.includes(', ')) ? `${labels[0]}${moreText(labels.length - 1)}` : listNames(labels);

/** @param {number} more @returns {string} such as " and 5 others" */
const moreText = (more) => (more === 0 ? '' : ` and ${counted(more, 'other')}`);

/**
 * Which round the figures are of, and in which it was found too.
 * @param {LegFinding} finding
 * @returns {string} such as " (round 1 of 3; also found in rounds 2 and 3)"; empty with one round
 */
function roundsText({ unit, rounds: [first, ...others], of }) {
  if (of === 1) return '';
  const also =
    others.length === 0
      ? ''
      : others.length > MOST_ROUNDS
        ? `; also found in ${others.length} others`
        : `; also found in ${others.length === 1 ? unit : `${unit}s`} ${joinNames(others.sort((a, b) => a - b).map(String))}`;
  return ` (${unit} ${first} of ${of}${also})`;
}

/** @param {LegFinding} finding @returns {string} what was found, how often, and in which round */
export const textInRounds = (finding) =>
  `${finding.text.replace(/\.$/, '')}${finding.times > 1 ? ` (${timesText(finding.times)})` : ''}${roundsText(finding)}.`.replace(
    /…\.$/,
    '…',
  );

/**
 * @param {LegFinding & { rest: LegFinding[] }} finding
 * @returns {string[]} what to do, which may differ from server to server
 */
export const remediesOf = ({ rest, ...first }) => [
  ...new Set([first, ...rest].flatMap(({ remedy }) => (remedy === undefined ? [] : remedy))),
];

/** @param {LegFinding & { rest: LegFinding[] }} finding @returns {string} with what to do */
const findingAdvice = (finding) => [findingText(finding), ...remediesOf(finding)].join(' ');

/** @param {Warning[]} warnings of a plan @returns {string[]} one for each kind, as in the list of the run */
export const warningTexts = (warnings) => groupedFindings({ legs: [], warnings }).map(findingAdvice);

/** How many different texts of a finding are shown in full; the others are counted. */
const MOST_TEXTS = 3;

/**
 * @param {LegFinding & { rest: LegFinding[] }} finding
 * @param {(one: LegFinding) => string} [textOf] a clause
 * @param {(names: string[], text: string) => string} [sentenceOf]  servers with that text
 * @returns {string} such as "select and epoll: no reply at all for 1 s ...": servers share a sentence only where all of
 *   it is true of each
 */
export function findingText(
  { rest, ...first },
  textOf = ({ text }) => text,
  sentenceOf = ([name, ...others], text) => (name === '' ? text : `${namesText([name, ...others])}: ${text}`),
) {
  /** @type {Map<string, string[]>} */
  const labels = new Map();
  for (const one of [first, ...rest]) {
    const text = textInRounds({ ...one, text: textOf(one) });
    labels.set(text, [...(labels.get(text) ?? []), one.label]);
  }
  const texts = [...labels].map(([text, names]) => sentenceOf(names, text));
  const left = [...labels.values()].slice(MOST_TEXTS).flat();
  const more = left.length === 0 ? [] : [`Also found, with other figures: ${namesText(left)}.`];
  return [...texts.slice(0, MOST_TEXTS), ...more].join(' ');
}
