// The list of findings of a run: the outcome of each leg, what may mislead in its figures, and warnings. Console, page,
// Markdown and the headline read it.

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
 *   'group', rounds: number[], of: number }} LegFinding  kind: findings of a kind are shown once; leg: the leg in which
 *   it is worst, absent for a finding about the run; times: how often it occurs in that leg; label: of the leg, '' for
 *   the run, or for all legs of a group that took turns; rounds: numbers of the rounds, starts, legs or groups (unit)
 *   that have it, the worst first; of: how many there are
 * @typedef {Pick<RunSummary, 'legs' | 'search'> & { warnings?: Warning[] }} Summary
 */

/**
 * All findings, and the warnings that have a place among them, in their order within a severity: outcomes of a leg, the
 * worst first; then wrong behaviour before slowness, and the server before the client. Other warnings follow.
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

/** Warnings that repeat the end of a server, and are left out beside it. */
const OF_ENDED_SERVERS = ['server-output', 'server-processes-lost'];

const ORDER = ['problem', 'caution', 'note'];

/** @param {string} code @returns {Listed | Row | undefined} undefined for a warning without a place among findings */
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
 * @returns {Finding[]} that are recorded in the summary of the leg
 */
export const recordedFindings = (leg, seen, of = findingRows) => foundBy(of, leg, (row) => row.ofSamples?.(leg, seen));

/** @param {LegSummary} leg @returns {Finding[]} its outcome; only its end, if it did not reach the planned end */
function outcomeOf(leg) {
  const { complete, connections, warnings = [] } = leg;
  const ended = complete || connections ? warnings.filter(isServerEnding) : [];
  if (ended.length > 0) return ended.map((warning) => ({ ...warning, severity: 'problem' }));
  const outcome = foundBy(findingRows, leg, (row) => row.ofLeg?.(leg));
  const end = outcome.filter(({ code }) => rowOf(code)?.isEnd);
  return end.length > 0 ? end : outcome;
}

/**
 * @param {LegSummary} leg
 * @returns {Finding[]} the outcome, each remedy once, and the recorded findings that do not explain it
 */
function allFindings(leg) {
  const outcome = outcomeOf(leg);
  const causes = outcome.flatMap(({ data }) => data.cause?.code ?? []);
  return [
    ...outcome.map(({ remedy, ...finding }, i) =>
      remedy === undefined || outcome.findIndex((earlier) => earlier.remedy === remedy) < i
        ? finding
        : { ...finding, remedy },
    ),
    ...(leg.findings ?? []).filter(({ code }) => !causes.includes(rowOf(code)?.explains)),
  ];
}

/** @param {Warning} warning @returns {Finding} with the first line of its text */
const warningFinding = (warning) => ({
  ...warning,
  severity: warning.severity ?? 'caution',
  text: firstLineOf(warning.text),
});

/** @param {LegSummary} leg @returns {Finding[]} its warnings, without those that its other findings repeat */
function warningFindings({ warnings = [], failure }) {
  const repeated = hasEnded({ warnings }) ? OF_ENDED_SERVERS : [];
  return warnings
    .filter((warning) => !isServerEnding(warning) && !repeated.includes(warning.code))
    .filter(({ code, text }) => !(code === failure?.code && text === failure.text))
    .map(warningFinding);
}

/** @param {Finding} warning @returns {string} equal for warnings that differ only in servers and numbers */
function kindOf({ code, data }) {
  const withoutNumbers = (/** @type {string} */ key, /** @type {unknown} */ value) =>
    key === 'servers' || typeof value === 'number' ? undefined : value;
  return `${code} ${JSON.stringify(data, withoutNumbers)}`;
}

/** @param {LegSummary} leg @returns {(Finding & Pick<LegFinding, 'kind' | 'times'>)[]} one for each kind */
function kindsOf(leg) {
  /** @type {Map<string, Finding & Pick<LegFinding, 'kind' | 'times'>>} */
  const findings = new Map();
  const outcome = allFindings(leg).map((finding) => ({ ...finding, kind: finding.code }));
  for (const finding of [
    ...outcome,
    ...warningFindings(leg).map((warning) => ({ ...warning, kind: kindOf(warning) })),
  ]) {
    const known = findings.get(finding.kind);
    findings.set(finding.kind, { ...(known ?? finding), times: (known?.times ?? 0) + 1 });
  }
  return [...findings.values()];
}

/** @param {Summary} summary @returns {LegFinding[]} warnings of the run, one for each server concerned */
function runFindings({ warnings = [] }) {
  /** @type {Map<string, LegFinding>} */
  const findings = new Map();
  for (const warning of warnings.map(warningFinding)) {
    const kind = kindOf(warning);
    for (const label of Array.isArray(warning.data.servers) ? warning.data.servers : ['']) {
      findings.set(`${label} ${kind} ${warning.text}`, {
        ...warning,
        kind,
        label,
        times: 1,
        unit: 'leg',
        rounds: [1],
        of: 1,
      });
    }
  }
  return [...findings.values()];
}

/** @type {'group'} */
const GROUP = 'group';
/** How many rounds are named; more are counted. */
const MAX_ROUNDS = 4;

/**
 * @param {Summary} summary
 * @returns {LegFinding[]} the severest first; a finding of several rounds once, with the data of the worst round
 */
export function findingsOf({ legs, search, warnings }) {
  /** @type {Map<string, LegFinding>} */
  const findings = new Map();
  const inRounds = legs.some(({ round = 1 }) => round > 1);
  const groups = new Set(legs.flatMap(({ slices }) => slices?.group ?? []));
  for (const leg of legs) {
    const { id, label, round = 1, start } = leg;
    const serverLegs = legs.filter((leg) => leg.label === label);
    /** @type {LegFinding['unit']} */
    const unit = start === undefined ? 'round' : inRounds ? 'leg' : 'start';
    const place = unit === 'round' ? round : serverLegs.indexOf(leg) + 1;
    for (const finding of kindsOf(leg)) {
      const { isOutcome, isOfSearches } = rowOf(finding.code) ?? {};
      if (search && ((isOutcome && !isOfSearches) || isCautionOfSearch(finding.code))) continue;
      const { group } = finding.data;
      const about =
        group === undefined ? { label, unit, of: serverLegs.length } : { label: '', unit: GROUP, of: groups.size };
      const at = group ?? place;
      const key = `${about.label} ${finding.kind}`;
      const known = findings.get(key);
      if (group !== undefined && known?.rounds.includes(group)) continue; // listed with the first leg of its group
      const isWorse = known === undefined || weightOf(finding) > weightOf(known);
      const rounds = isWorse ? [at, ...(known?.rounds ?? [])] : [...known.rounds, at];
      const worst = isWorse ? { ...finding, leg: id, ...about } : known;
      findings.set(key, { ...worst, rounds });
    }
  }
  return [...findings.values(), ...runFindings({ legs, warnings })].sort(
    (a, b) => placeOf(a) - placeOf(b) || weightOf(b) - weightOf(a),
  );
}

/**
 * @param {Summary} summary
 * @returns {(LegFinding & { rest: LegFinding[] })[]} the worst finding of each kind; rest: those of other servers
 */
export function groupedFindings(summary) {
  const findings = findingsOf(summary);
  return [...new Set(findings.map(({ kind }) => kind))].map((kind) => {
    const [first, ...rest] = findings.filter((finding) => finding.kind === kind);
    return { ...first, rest };
  });
}

/** @param {Summary} summary @returns {Finding[]} for summary.json */
export const listedFindings = (summary) =>
  groupedFindings(summary).map(({ code, severity, leg, rest, data, text, remedy }) => {
    const others = rest.flatMap((finding) => finding.leg ?? []);
    return {
      ...{ code, severity },
      ...(leg === undefined ? {} : { leg }),
      ...(others.length > 0 ? { others } : {}),
      ...{ data, text },
      ...(remedy === undefined ? {} : { remedy }),
    };
  });

/** @param {string[]} labels @returns {string} a list; only the first, if labels contain commas (sweep, search) */
export const namesText = (labels) =>
  labels.some((label) => label.includes(', ')) ? `${labels[0]}${moreText(labels.length - 1)}` : listNames(labels);

/** @param {number} more @returns {string} such as " and 5 others" */
const moreText = (more) => (more === 0 ? '' : ` and ${counted(more, 'other')}`);

/**
 * The round whose data is shown, and the other rounds that have the finding.
 * @param {LegFinding} finding
 * @returns {string} such as " (round 1 of 3; also found in rounds 2 and 3)"; empty with one round
 */
function roundsText({ unit, rounds: [first, ...others], of }) {
  if (of === 1) return '';
  const also =
    others.length === 0
      ? ''
      : others.length > MAX_ROUNDS
        ? `; also found in ${others.length} others`
        : `; also found in ${others.length === 1 ? unit : `${unit}s`} ${joinNames(others.sort((a, b) => a - b).map(String))}`;
  return ` (${unit} ${first} of ${of}${also})`;
}

/** @param {LegFinding} finding @returns {string} its text, how often it was found, and in which rounds */
export const textInRounds = (finding) =>
  `${finding.text.replace(/\.$/, '')}${finding.times > 1 ? ` (${timesText(finding.times)})` : ''}${roundsText(finding)}.`.replace(
    /…\.$/,
    '…',
  );

/**
 * @param {LegFinding & { rest: LegFinding[] }} finding
 * @returns {string[]} remedies, which may differ from server to server
 */
export const remediesOf = ({ rest, ...first }) => [
  ...new Set([first, ...rest].flatMap(({ remedy }) => (remedy === undefined ? [] : remedy))),
];

/** @param {LegFinding & { rest: LegFinding[] }} finding @returns {string} text and remedies */
const findingAdvice = (finding) => [findingText(finding), ...remediesOf(finding)].join(' ');

/** @param {Warning[]} warnings of a plan @returns {string[]} one for each kind, as in the list of the run */
export const warningTexts = (warnings) => groupedFindings({ legs: [], warnings }).map(findingAdvice);

/** How many different texts of a finding are shown in full; the others are counted. */
const MAX_TEXTS = 3;

/**
 * @param {LegFinding & { rest: LegFinding[] }} finding
 * @param {(finding: LegFinding) => string} [textOf] a clause
 * @param {(names: string[], text: string) => string} [sentenceOf]  names: servers with the text
 * @returns {string} such as "select and epoll: no reply at all for 1 s ..."; servers share a sentence only if their
 *   texts are equal
 */
export function findingText(
  { rest, ...first },
  textOf = ({ text }) => text,
  sentenceOf = ([name, ...others], text) => (name === '' ? text : `${namesText([name, ...others])}: ${text}`),
) {
  /** @type {Map<string, string[]>} */
  const labels = new Map();
  for (const finding of [first, ...rest]) {
    const text = textInRounds({ ...finding, text: textOf(finding) });
    labels.set(text, [...(labels.get(text) ?? []), finding.label]);
  }
  const texts = [...labels].map(([text, names]) => sentenceOf(names, text));
  const left = [...labels.values()].slice(MAX_TEXTS).flat();
  const more = left.length === 0 ? [] : [`Also found, with other figures: ${namesText(left)}.`];
  return [...texts.slice(0, MAX_TEXTS), ...more].join(' ');
}
