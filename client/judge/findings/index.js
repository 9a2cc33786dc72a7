// The one list of what a reader of a run should know: what became of each leg, and what may mislead in its figures. Console, page, Markdown
// and the headline read it. Pure.

import { counted } from '../../words/format.js';
import { joinNames, listNames } from '../../words/lists.js';
import { allFindings } from './outcome.js';

/** @typedef {import('./finding.js').Finding} Finding */
/**
 * @typedef {Finding & { leg: string, label: string, unit: 'round' | 'start' | 'leg', rounds: number[], of: number }} LegFinding  leg: the worst that has it;
 *   rounds: those in which it was found, or the starts, or with both the legs, that of the worst first; of: all of them
 * @typedef {Pick<import('../../../config/types.js').RunSummary, 'legs' | 'search'>} Summary
 */

/** What became of a leg, the worst first: the headline tells these. */
export const OUTCOMES = [
  ...[
    'did-not-run',
    'server-ended',
    'incomplete',
    'unwanted-replies',
    'not-served',
    'slow-connects',
    'errors',
    'rejects',
  ],
  'client-limit',
];
/** Those that count in a search too. Others are expected: a search tries more than a server can do. */
const ALSO_OF_SEARCHES = ['did-not-run', 'server-ended'];

const ORDER = ['problem', 'caution', 'note'];

/** Of the same severity: what was done wrong before what was slow, and the server's before the client's. */
const CODES = [
  ...OUTCOMES,
  ...['descriptor-limit', 'connection-limit', 'idle-closed', 'backlog-full', 'stalls', 'sent-late'],
  ...['arrivals-distorted', 'drift', 'slices-apart', 'slices-short', 'unloaded-work', 'stalls-waiting', 'client-delay'],
  'server-said',
];

/** Of the same code, by its data: the greatest is the worst. @type {Readonly<Record<string, (data: any) => number>>} */
const WEIGHTS = {
  'not-served': ({ left, requested }) => left / requested,
  'slow-connects': ({ slow, of }) => slow / of,
  errors: ({ total }) => total,
  rejects: ({ total }) => total,
};

/** @param {Finding} finding @returns {number} */
const weightOf = ({ code, data }) => WEIGHTS[code]?.(data) ?? 0;

/** @param {Finding} finding @returns {number} its place among others */
const placeOf = ({ severity, code }) =>
  ORDER.indexOf(severity) * (CODES.length + 1) + (CODES.includes(code) ? CODES.indexOf(code) : CODES.length);

/** More rounds than these are counted. */
const MOST_ROUNDS = 4;

/**
 * @param {Summary} summary
 * @returns {LegFinding[]} the severest first; what was found in several rounds once, as in the worst of them
 */
export function findingsOf({ legs, search }) {
  /** @type {Map<string, LegFinding>} */
  const found = new Map();
  const inRounds = legs.some(({ round = 1 }) => round > 1);
  for (const leg of legs) {
    const { id, label, round = 1, start } = leg;
    const own = legs.filter((other) => other.label === label);
    /** @type {LegFinding['unit']} */
    const unit = start === undefined ? 'round' : inRounds ? 'leg' : 'start';
    const place = unit === 'round' ? round : own.indexOf(leg) + 1;
    for (const one of allFindings(leg)) {
      if (search && OUTCOMES.includes(one.code) && !ALSO_OF_SEARCHES.includes(one.code)) continue;
      const key = `${label} ${one.code}`;
      const known = found.get(key);
      const isWorse = known === undefined || weightOf(one) > weightOf(known);
      const rounds = isWorse ? [place, ...(known?.rounds ?? [])] : [...known.rounds, place];
      const worst = isWorse ? { ...one, leg: id, label, unit, of: own.length } : known;
      found.set(key, { ...worst, rounds });
    }
  }
  return [...found.values()].sort((a, b) => placeOf(a) - placeOf(b) || weightOf(b) - weightOf(a));
}

/**
 * @param {Summary} summary
 * @returns {(LegFinding & { others: string[], rest: LegFinding[] })[]} one for each code, the severest; others: labels of further
 *   servers that have it; rest: their findings
 */
export function groupedFindings(summary) {
  const all = findingsOf(summary);
  return [...new Set(all.map(({ code }) => code))].map((code) => {
    const [first, ...rest] = all.filter((one) => one.code === code);
    return { ...first, others: rest.map(({ label }) => label), rest };
  });
}

/** @param {Summary} summary @returns {Finding[]} the same as summary.json has them */
export const listedFindings = (summary) =>
  groupedFindings(summary).map(({ code, severity, leg, rest, data, text, remedy }) => ({
    ...{ code, severity, leg },
    ...(rest.length > 0 ? { others: rest.map((one) => one.leg) } : {}),
    ...{ data, text },
    ...(remedy === undefined ? {} : { remedy }),
  }));

/** @param {string[]} labels @returns {string} some of them; of a sweep or a search, a label has a comma in it */
const namesText = (labels) =>
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

/** @param {LegFinding} finding @returns {string} what was found, and in which round */
export const textInRounds = (finding) => `${finding.text.replace(/\.$/, '')}${roundsText(finding)}.`;

/** @param {LegFinding & { others: string[] }} finding @returns {string} such as "select (also epoll): No reply at all for 1 s ..." */
export const findingText = ({ others, ...finding }) =>
  `${finding.label}${others.length === 0 ? '' : ` (also ${namesText(others)})`}: ${textInRounds(finding)}`;
