// The findings of a run's legs in the order in which a person should read them. Pure.

import { counted } from './format.js';
import { joinNames, listNames } from './lists.js';

/** @typedef {import('../judge/findings/finding.js').Finding} Finding */
/**
 * @typedef {Finding & { label: string, unit: 'round' | 'start' | 'leg', rounds: number[], of: number }} LegFinding  label: of the leg; rounds: those in
 *   which it was found, or the starts, or with both the legs, the first one with these figures; of: all of them
 * @typedef {{ label: string, round?: number, start?: number, findings?: Finding[] }} Leg  of a summary
 */

const ORDER = ['problem', 'caution', 'note'];

/** Of the same severity: what was done wrong before what was slow, and the server's before the client's. */
const CODES = [
  ...['unwanted-replies', 'descriptor-limit', 'connection-limit', 'idle-closed', 'backlog-full', 'stalls', 'sent-late'],
  ...['arrivals-distorted', 'drift', 'slices-apart', 'slices-short', 'unloaded-work', 'stalls-waiting', 'client-delay'],
  'server-said',
];

/** @param {Finding} finding @returns {number} its place among others */
const placeOf = ({ severity, code }) =>
  ORDER.indexOf(severity) * (CODES.length + 1) + (CODES.includes(code) ? CODES.indexOf(code) : CODES.length);

/** More rounds than these are counted. */
const MOST_ROUNDS = 4;

/**
 * @param {Leg[]} legs
 * @returns {LegFinding[]} the severest first; what was found in several rounds once, as in the first of them
 */
export function findingsOf(legs) {
  /** @type {Map<string, LegFinding>} */
  const found = new Map();
  const inRounds = legs.some(({ round = 1 }) => round > 1);
  for (const leg of legs) {
    const { label, round = 1, start, findings = [] } = leg;
    const own = legs.filter((other) => other.label === label);
    const unit = start === undefined ? 'round' : inRounds ? 'leg' : 'start';
    const place = unit === 'round' ? round : own.indexOf(leg) + 1;
    for (const one of findings) {
      const key = `${label} ${one.code}`;
      const known = found.get(key) ?? {
        ...one,
        label,
        ...{ unit, rounds: [], of: own.length },
      };
      found.set(key, { ...known, rounds: [...known.rounds, place] });
    }
  }
  return [...found.values()].sort((a, b) => placeOf(a) - placeOf(b));
}

/**
 * @param {Leg[]} legs
 * @returns {(LegFinding & { others: string[], rest: LegFinding[] })[]} one for each code, the severest; others: labels of further
 *   servers that have it; rest: their findings
 */
export function groupedFindings(legs) {
  const all = findingsOf(legs);
  return [...new Set(all.map(({ code }) => code))].map((code) => {
    const [first, ...rest] = all.filter((one) => one.code === code);
    return { ...first, others: rest.map(({ label }) => label), rest };
  });
}

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
        : `; also found in ${others.length === 1 ? unit : `${unit}s`} ${joinNames(others.map(String))}`;
  return ` (${unit} ${first} of ${of}${also})`;
}

/** @param {LegFinding} finding @returns {string} what was found, and in which round */
export const textInRounds = (finding) => `${finding.text.replace(/\.$/, '')}${roundsText(finding)}.`;

/** @param {LegFinding & { others: string[] }} finding @returns {string} such as "select (also epoll): No reply at all for 1 s ..." */
export const findingText = ({ others, ...finding }) =>
  `${finding.label}${others.length === 0 ? '' : ` (also ${namesText(others)})`}: ${textInRounds(finding)}`;
