// A run's results as Markdown, for a pull request or the summary of a CI job. Pure.
// The one thing to know: it says nothing that summary.json does not; a case of several rounds shows median and interval.

import { bareRate, count, duration, NOT_MEASURED } from '../words/format.js';
import { beyondText } from '../judge/answer/figure-texts.js';
import { answerText } from '../judge/answer/index.js';
import { groupedBySubject, subjectOf } from '../words/group-warnings.js';
import {
  figuresOf,
  heldAtEnd,
  isMeasured,
  leftUnserved,
  percentileHolds,
  requestedAtEnd,
} from '../measure/leg-figures.js';
import { servedOnlySome } from '../words/figures.js';
import { endingText, incompleteText } from '../words/endings.js';
import { findingText, groupedFindings } from '../words/findings.js';
import { boundsText } from '../words/intervals.js';
import { loadTexts } from '../words/load.js';
import { CAUSES, GOALS, probeText } from '../words/search.js';
import { clientPartOfText } from '../words/timestamps.js';
import { requirementText, verdictText } from '../judge/verdict.js';
import { foundTexts, conditionTexts } from '../judge/compare-runs/texts.js';

/**
 * @typedef {import('../../config/types.js').LegSummary} Leg
 * @typedef {[name: string, cell: (leg: Leg) => string]} Column
 */

/** @param {string[][]} rows the first is the head; its other columns are aligned to the right @returns {string[]} lines */
function markdownTable([head, ...rows]) {
  const line = (/** @type {string[]} */ cells) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map((name, i) => (i === 0 ? '---' : '---:'))), ...rows.map(line)];
}

/** @param {Leg} leg @param {'p50' | 'p99'} key @param {number} percentage */
function responseTime(leg, key, percentage) {
  const figures = figuresOf(leg);
  const times = figures?.responseTimeNs;
  if (!figures || !times) return NOT_MEASURED;
  const text = percentileHolds(figures, percentage) ? duration(times[key]) : `> ${duration(times.max)}`;
  return servedOnlySome(leg) === undefined ? text : `${text} (of those served)`;
}

/** @param {(leg: import('../measure/leg-figures.js').MeasuredLeg) => string} cell @returns {(leg: Leg) => string} for a leg that ran */
const ran = (cell) => (leg) => (isMeasured(leg) ? cell(leg) : NOT_MEASURED);

/** @param {number} value @returns {string} bold where it is not zero */
const alarming = (value) => (value > 0 ? `**${count(value)}**` : count(value));

/** @type {Column[]} */
const COLUMNS = [
  ['requested', ran((leg) => count(requestedAtEnd(leg)))],
  ['open', ran((leg) => count(heldAtEnd(leg)))],
  ['served', ran(({ account }) => count(account?.served))],
  ['unanswered', ran((leg) => (leftUnserved(leg) === undefined ? NOT_MEASURED : alarming(leftUnserved(leg) ?? 0)))],
  ['rejects', ran(({ rejects }) => alarming(rejects.total))],
  ['errors', ran(({ errors }) => alarming(errors.total))],
  ['transfers/s', (leg) => bareRate(figuresOf(leg)?.perSecond)],
  ['p50', (leg) => responseTime(leg, 'p50', 50)],
  ['p99', (leg) => responseTime(leg, 'p99', 99)],
  ["client's part of p50", (leg) => clientPartOfText(figuresOf(leg)?.timestamps, 'p50') ?? NOT_MEASURED],
  ["client's part of p99", (leg) => clientPartOfText(figuresOf(leg)?.timestamps, 'p99') ?? NOT_MEASURED],
  ['limited by', ran(({ limitedBy }) => (limitedBy === 'none' ? NOT_MEASURED : limitedBy))],
];

/** @param {Leg[]} legs @returns {string[][]} rows of a table, without the columns that say nothing */
function legRows(legs) {
  const shown = COLUMNS.filter(([, cell]) => legs.some((leg) => cell(leg) !== NOT_MEASURED));
  const several = legs.some(({ round = 1 }) => round > 1);
  const nameOf = (/** @type {Leg} */ { label, round = 1 }) =>
    escapeMarkdown(several ? `${label}, round ${round}` : label);
  return [
    ['server', ...shown.map(([name]) => name)],
    ...legs.map((leg) => [nameOf(leg), ...shown.map(([, cell]) => cell(leg))]),
  ];
}

/**
 * @param {{ median?: number, low?: number | null, high?: number | null } | undefined} figure
 * @param {(value: number) => string} text
 * @returns {string} such as "12.3k (11.9k to 12.8k)"
 */
function intervalText(figure, text) {
  if (figure?.median === undefined) return NOT_MEASURED;
  const { median, low, high } = figure;
  const known = low !== null && low !== undefined && high !== null && high !== undefined;
  return `${text(median)}${known ? ` (${boundsText([low, high], text)})` : ''}`;
}

/** @param {Leg[]} all @param {string[]} ids of a case's legs @returns {Leg[]} */
const roundsOf = (all, ids) => all.filter(({ id }) => ids.includes(id));

/** @param {import('../../config/types.js').Case[]} cases of summary.json @param {Leg[]} all its legs @returns {string[][]} rows of a table */
const caseRows = (cases, all) => [
  ['server', 'rounds', 'transfers/s', 'p50', 'p99'],
  ...cases.map(({ label, legs, figures }) => [
    escapeMarkdown(label),
    count(legs.length),
    intervalText(figures.perSecond, bareRate),
    beyondText(roundsOf(all, legs), 50) ?? intervalText(figures.p50Ns, duration),
    beyondText(roundsOf(all, legs), 99) ?? intervalText(figures.p99Ns, duration),
  ]),
];

/** @param {import('../judge/verdict.js').Verdict} verdict */
function verdictLines(verdict) {
  const failed = verdict.thresholds.filter((row) => !row.passed);
  const texts = failed.map((row) => `${row.label}: ${requirementText(row)}: ${row.text}`);
  return [`**Verdict ${verdictText(verdict)}.**`, '', ...list(texts)];
}

/** @param {import('../judge/search/index.js').SearchSummary} search @returns {string[]} lines: the answers, and how they were found */
function searchLines({ maximise, while: condition, servers }) {
  const rows = servers.flatMap(({ label, probes }) =>
    [...probes]
      .sort((a, b) => a.value - b.value)
      .map(({ value, held, text, cause }) => [
        escapeMarkdown(label),
        probeText(maximise, value),
        held === null ? 'unknown' : held ? 'held' : '**failed**',
        escapeMarkdown([text, cause ? CAUSES[cause] : ''].filter(Boolean).join('; ')),
      ]),
  );
  return [
    `**Search: ${GOALS[maximise]} at which ${escapeMarkdown(condition)}.**`,
    '',
    ...list(servers.map(({ text }) => text)),
    ...markdownTable([['server', maximise, 'outcome', 'measured'], ...rows]),
  ];
}

/**
 * @param {import('../words/warnings.js').Warning[]} warnings of the run @param {Leg[]} legs
 * @returns {string[]} each kind once
 */
function warningTexts(warnings, legs) {
  const ofLegs = legs.flatMap(({ label, warnings: own = [] }) => own.map((warning) => ({ warning, subject: label })));
  const ofRun = warnings.map((warning) => ({ warning, subject: subjectOf(warning) }));
  return groupedBySubject([...ofRun, ...ofLegs]);
}

/** @param {string[]} texts @returns {string[]} a list, and an empty line after it; nothing when there are none */
const list = (texts) => (texts.length === 0 ? [] : [...texts.map((text) => `- ${escapeMarkdown(text)}`), '']);

/**
 * @param {{ summary: import('../../config/types.js').RunSummary, scenario: Record<string, any> | null }} run scenario: as resolved; null: unknown
 * @returns {string}
 */
export function markdownSummary({ summary, scenario }) {
  const { legs, cases = [], comparisons = [], verdict, warnings, complete, endedBy, config } = summary;
  const inRounds = cases.some((one) => one.legs.length > 1);
  const isShown = (/** @type {{ severity: string }} */ { severity }) => severity !== 'note';
  const problems = [
    ...groupedFindings(legs)
      .filter(isShown)
      .map((found) => `${found.label}: ${findingText(found)}`),
  ];
  // the answer says so, too
  const compared = comparisons.filter(({ code }) => code !== 'measured-once');
  const load = [...(scenario ? loadTexts(scenario) : []), `${config.loop} loop`].join(', ');
  return [
    `## Broadside: ${escapeMarkdown(summary.scenario)}`,
    '',
    escapeMarkdown(answerText(summary)),
    '',
    ...(complete
      ? []
      : [`**Incomplete** (${endingText(endedBy)}). ${escapeMarkdown(incompleteText(legs))}`.trim(), '']),
    ...(verdict ? verdictLines(verdict) : []),
    ...(legs.length === 0
      ? ['No leg was run.']
      : summary.search
        ? searchLines(summary.search)
        : markdownTable(inRounds ? caseRows(cases, legs) : legRows(legs))),
    '',
    ...list(compared.map(({ text }) => text)),
    ...(summary.baseline
      ? list([...foundTexts(summary.baseline), `${summary.baseline.text} ${summary.baseline.warning}`])
      : []),
    ...list(problems),
    ...list(warningTexts(warnings, legs)),
    `${escapeMarkdown(load)}. Run \`${summary.run}\`.`,
    '',
  ].join('\n');
}

/** @typedef {import('../judge/compare-runs/index.js').RunsComparison} RunsComparison */

/** @param {RunsComparison} comparison @returns {string} */
export function runComparisonMarkdown(comparison) {
  const { run, baseline, text, warning } = comparison;
  const list = (/** @type {string[]} */ texts) => texts.map((one) => `- ${escapeMarkdown(one)}`);
  const conditions = conditionTexts(comparison);
  return [
    `## Broadside: ${escapeMarkdown(run.name)} compared with ${escapeMarkdown(baseline.name)}`,
    '',
    `**${escapeMarkdown(text)}**`,
    '',
    ...list(foundTexts(comparison)),
    '',
    ...(conditions.length === 0 ? [] : ['Conditions that differ:', '', ...list(conditions), '']),
    `${escapeMarkdown(warning)} Runs \`${run.id}\` and \`${baseline.id}\`.`,
    '',
  ].join('\n');
}

/** @param {string} text @returns {string} as one line that Markdown shows as it is */
export const escapeMarkdown = (text) => text.replace(/\s*\n\s*/g, ' ').replace(/[\\`*_<>|[\]]/g, '\\$&');
