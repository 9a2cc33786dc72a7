// A run's results as Markdown, for a pull request or the summary of a CI job. Pure.
// It says nothing that summary.json does not; a case of several rounds shows median and interval.

import { count, counted, NOT_MEASURED } from '../words/format.js';
import { runsTable } from '../judge/compare-runs/table.js';
import { findingAdvice, groupedFindings } from '../judge/findings/index.js';
import { answerText } from '../judge/headline.js';
import { trustOf, trustText } from '../judge/trust.js';
import { markText, rangeText, runsExplained, shownMark, valueText } from '../judge/mark-texts.js';
import { requestTable, requestText } from '../judge/request-table.js';
import { tableOf } from '../judge/table.js';
import { cellOf, figuresIn, shownCases } from '../judge/value-of.js';
import { servedOnlySome } from '../words/figures.js';
import { endingText, incompleteText } from '../words/endings.js';
import { loadTexts } from '../scenario/load-text.js';
import { outcomeText, probeFigures, probeText, soughtText, wholeAnswer } from '../words/search.js';
import { rowText, verdictText } from '../judge/verdict.js';
import { printable } from '../words/inert.js';
import { besidesTexts, conditionTexts, resultText } from '../judge/compare-runs/texts.js';

/**
 * @import { RunSummary, Verdict } from '../../config/types.js'
 * @import { RunsComparison } from '../judge/compare-runs/index.js'
 * @import { Figure } from '../judge/figures.js'
 * @import { SearchSummary } from '../judge/search/index.js'
 * @import { ServersTable } from '../judge/table.js'
 * @import { ShownCase } from '../judge/value-of.js'
 * @import { Load } from '../scenario/load-text.js'
 */

/**
 * @param {string[][]} rows the first is the head; its other columns are aligned to the right
 * @returns {string[]} lines
 */
function markdownTable([head, ...rows]) {
  const line = (/** @type {string[]} */ cells) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map((name, i) => (i === 0 ? '---' : '---:'))), ...rows.map(line)];
}

/**
 * @param {ShownCase} shown
 * @param {Figure} figure
 * @returns {string} such as "12.3k (11.9k to 12.8k)", with the interval over rounds; bold: a failure
 */
function figureCell(shown, figure) {
  const { text, range, mark } = cellOf(figure, shown);
  if (text === NOT_MEASURED) return text;
  const interval = range === undefined ? '' : ` (${range})`;
  const some = figure.ofServed && servedOnlySome(shown.worst) !== undefined ? ' (of those served)' : '';
  return `${mark ? `**${text}**` : text}${interval}${some}`;
}

/** @param {ShownCase[]} cases @returns {string[][]} rows of a table */
function caseRows(cases) {
  const columns = figuresIn(cases);
  const inRounds = cases.some(({ rounds }) => rounds.length > 1);
  return [
    ['server', ...(inRounds ? ['rounds'] : []), ...columns.map(({ name, title = name }) => title)],
    ...cases.map((shown) => [
      escapeMarkdown(shown.label),
      ...(inRounds ? [count(shown.rounds.length)] : []),
      ...columns.map((figure) => figureCell(shown, figure)),
    ]),
  ];
}

/** Of the table in a comment of a pull request. */
const MOST_ROWS = 5;

/**
 * @param {{ text: string, range?: string, said?: string }} cell
 * @returns {string} such as "1,000 (990 to 1,010); worse by 50 % (49 to 51)"
 */
const markedText = ({ text, range, said }) =>
  escapeMarkdown(`${text}${range === undefined ? '' : ` (${range})`}${said === undefined ? '' : `; ${said}`}`);

/** @param {ServersTable} table @returns {string[][]} rows: a server each, with values and marks */
function serverRows({ columns, groups }) {
  const rows = groups.flatMap(({ at = [], rows: own }) =>
    own.map(({ label, connections, failures = [], cells, notRun, isShort }) => {
      const said = [notRun ?? connections, failures].flat().join(', ');
      return [
        escapeMarkdown([label, at].flat().join(' at ')),
        isShort || notRun ? `**${escapeMarkdown(said)}**` : escapeMarkdown(said),
        ...columns.map((_, i) => (cells[i] ? markedText(cells[i]) : NOT_MEASURED)),
      ];
    }),
  );
  return [['server', 'connections', ...columns.map(({ title }) => title)], ...rows];
}

/** @param {RunsComparison} comparison @returns {string[][]} rows: a server each, with values before and after */
function comparedRows(comparison) {
  const table = runsTable(comparison);
  const rows = table.points.flatMap(({ at = [], rows: own }) =>
    own.map(({ label, cells }) => [
      escapeMarkdown([label, at].flat().join(' at ')),
      ...table.figures.map((figure, i) => {
        const said = shownMark(table, cells[i].mark) ? markText(cells[i].mark) : undefined;
        return markedText({ text: valueText(figure, cells[i]), range: rangeText(figure, cells[i]), said });
      }),
    ]),
  );
  return [['server', ...table.figures.map(({ title, name }) => title ?? name)], ...rows];
}

/**
 * @param {string[][]} rows the first is the head
 * @param {string} explained what its marks mean; empty: it has none
 * @returns {string[]} lines: the first rows, and how many more there are
 */
function firstRows([head, ...rows], explained) {
  if (rows.length === 0) return [];
  const more = rows.length - MOST_ROWS;
  return [
    ...markdownTable([head, ...rows.slice(0, MOST_ROWS)]),
    '',
    ...(more > 0 ? [`${counted(more, 'more row')} on the page.`, ''] : []),
    ...(explained === '' ? [] : [escapeMarkdown(explained), '']),
  ];
}

/** @param {ShownCase[]} cases @returns {string[]} lines: the requests of a list, where there is one */
function requestRows(cases) {
  const table = requestTable(cases);
  if (table === null) return [];
  const rows = table.rows.map(({ leg, name, cells }) => [
    escapeMarkdown([name, ...(cases.length > 1 ? [leg] : [])].join(': ')),
    ...cells.map((cell) => (cell.mark === 'bad' ? `**${requestText(cell)}**` : requestText(cell))),
  ]);
  return [...markdownTable([['request', ...table.columns], ...rows]), ''];
}

const DOTS = { good: '🟢', care: '🟡', none: '🔴' };

/**
 * The summary of a run for a pull request.
 * @param {RunSummary} summary
 * @returns {string} the headline, whether to trust it, and the table of at most five servers, or of what changed since
 *   the baseline
 */
export function shortMarkdown(summary) {
  const { baseline } = summary;
  const table = tableOf(summary);
  const trust = trustOf(summary);
  return [
    `## Broadside: ${escapeMarkdown(summary.scenario)}`,
    '',
    `**${escapeMarkdown(answerText(summary))}**`,
    '',
    ...(trust === undefined ? [] : [`${DOTS[trust.verdict]} ${escapeMarkdown(trustText(trust))}`, '']),
    ...(baseline
      ? firstRows(comparedRows(baseline), runsExplained(baseline))
      : firstRows(serverRows(table), table.notes.join(' '))),
    `Run \`${summary.run}\`.`,
    '',
  ].join('\n');
}

/** @param {Verdict} verdict */
function verdictLines(verdict) {
  const failed = verdict.thresholds.filter((row) => !row.passed);
  return [`**Verdict ${verdictText(verdict)}.**`, '', ...list(failed.map(rowText))];
}

/** @param {SearchSummary} search @returns {string[]} lines: the answers, and how they were found */
function searchLines(search) {
  const { maximise, answers, remedy, cautions = [] } = search;
  const rows = answers.flatMap(({ label, probes }) =>
    [...probes]
      .sort((a, b) => a.value - b.value)
      .map((probe) => [
        escapeMarkdown(label),
        probeText(maximise, probe.value),
        probe.held === false ? `**${outcomeText(false)}**` : outcomeText(probe.held),
        escapeMarkdown(probeFigures(probe)),
      ]),
  );
  return [
    `**Search: ${escapeMarkdown(soughtText(search))}.**`,
    '',
    ...list([
      ...answers.map(wholeAnswer),
      ...(remedy === undefined ? [] : [remedy]),
      ...cautions.map(({ server, text }) => `${server}: ${text}`),
    ]),
    ...markdownTable([['server', maximise, 'outcome', 'measured'], ...rows]),
  ];
}

/** @param {string[]} texts @returns {string[]} a list, and an empty line after it; nothing when there are none */
const list = (texts) => (texts.length === 0 ? [] : [...texts.map((text) => `- ${escapeMarkdown(text)}`), '']);

/**
 * @param {{ summary: RunSummary, scenario: Load | null }} run scenario: as resolved; null: unknown
 * @returns {string}
 */
export function markdownSummary({ summary, scenario }) {
  const { legs, verdict, complete, endedBy, config } = summary;
  const isShown = (/** @type {{ severity: string }} */ { severity }) => severity !== 'note';
  const problems = [...groupedFindings(summary).filter(isShown).map(findingAdvice)];
  const load = [...(scenario ? loadTexts(scenario) : []), `${config.loop} loop`].join(', ');
  return [
    shortMarkdown(summary),
    ...(complete
      ? []
      : [`**Incomplete** (${endingText(endedBy)}). ${escapeMarkdown(incompleteText(legs))}`.trim(), '']),
    ...(verdict ? verdictLines(verdict) : []),
    '<details><summary>All figures and findings</summary>',
    '',
    ...(legs.length === 0
      ? ['No leg was run.']
      : summary.search
        ? searchLines(summary.search)
        : markdownTable(caseRows(shownCases(summary)))),
    '',
    ...requestRows(shownCases(summary)),
    ...(summary.baseline ? comparedLines(summary.baseline) : []),
    ...list(problems),
    `${escapeMarkdown(load)}.`,
    '',
    '</details>',
    '',
  ].join('\n');
}

/** @param {RunsComparison} comparison @returns {string[]} lines: the table, and what is in no cell */
const comparedLines = (comparison) => [
  ...(comparison.comparisons.length === 0 ? [] : [...markdownTable(comparedRows(comparison)), '']),
  ...list(besidesTexts(comparison)),
  escapeMarkdown(runsExplained(comparison)),
  '',
];

/** @param {RunsComparison} comparison @returns {string} */
export function runComparisonMarkdown(comparison) {
  const { run, baseline } = comparison;
  const conditions = conditionTexts(comparison);
  return [
    `## Broadside: ${escapeMarkdown(run.name)} compared with ${escapeMarkdown(baseline.name)}`,
    '',
    `**${escapeMarkdown(resultText(comparison))}**`,
    '',
    ...firstRows(comparedRows(comparison), runsExplained(comparison)),
    ...list(besidesTexts(comparison)),
    ...(conditions.length === 0 ? [] : ['Conditions that differ:', '', ...list(conditions)]),
    `Runs \`${run.id}\` and \`${baseline.id}\`.`,
    '',
  ].join('\n');
}

/** What is Markdown, HTML or a formula anywhere in a line. */
const MARKUP = /[\\`*_~<>|[\]&$]/g;
/** What begins a heading, a list or a rule at the start of a block. */
const BLOCK = /^(\d{0,9})([-+#.)]+)(?=\s|$)/;
/**
 * What GitHub makes links and notifications of, each before the place where it is broken: `@name`, `#1`, `GH-1`, URLs.
 */
const REFERENCE = /@|#(?=\d)|\bGH-(?=\d)|:(?=\/\/)|\bwww(?=\.)/gi;
/** Of no width. A backslash does not help: GitHub looks for references in what Markdown has become. */
const BREAK = '&#8203;';

/**
 * @param {string} text
 * @returns {string} as one line that Markdown shows as it is, and that refers to nobody and nothing
 */
const escapeMarkdown = (text) =>
  printable(text.trim().replace(/\s*\n\s*/g, ' '))
    .replace(MARKUP, '\\$&')
    .replace(BLOCK, '$1\\$2')
    .replace(REFERENCE, `$&${BREAK}`);
