// Writes a run's results as Markdown, for a pull request or the summary of a CI job. All of them are in summary.json.

import { counted, NOT_MEASURED } from '../words/format.js';
import { runsTable } from '../judge/compare-runs/table.js';
import { explainedTexts } from '../judge/explained/texts.js';
import { answerText } from '../judge/headline.js';
import { trustOf, trustText } from '../judge/trust.js';
import { markText, rangeText, runsExplained, shownMark, valueText } from '../judge/mark-texts.js';
import { tableOf } from '../judge/table.js';
import { printable } from '../words/inert.js';
import { besidesTexts, conditionTexts, resultText } from '../judge/compare-runs/texts.js';

/**
 * @import { Explained, RunSummary } from '../../config/types.js'
 * @import { RunsComparison } from '../judge/compare-runs/index.js'
 * @import { ServersTable } from '../judge/table.js'
 */

/**
 * @param {string[][]} rows the first is the head; all columns but the first are aligned to the right
 * @returns {string[]} lines
 */
function markdownTable([head, ...rows]) {
  const line = (/** @type {string[]} */ cells) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map((name, i) => (i === 0 ? '---' : '---:'))), ...rows.map(line)];
}

/** Rows of a table in a comment of a pull request. */
const MAX_ROWS = 5;

/**
 * @param {{ text: string, range?: string, said?: string }} cell
 * @returns {string} such as "1,000 (990 to 1,010); worse by 50 % (49 to 51)"
 */
const markedText = ({ text, range, said }) =>
  escapeMarkdown(`${text}${range === undefined ? '' : ` (${range})`}${said === undefined ? '' : `; ${said}`}`);

/** @param {ServersTable} table @returns {string[][]} a head, and a row for each server with values and marks */
function serverRows({ columns, groups }) {
  const rows = groups.flatMap(({ at = [], rows: groupRows }) =>
    groupRows.map(({ label, connections, failures = [], cells, notRun, isShort }) => {
      const text = [notRun ?? connections, failures].flat().join(', ');
      return [
        escapeMarkdown([label, at].flat().join(' at ')),
        isShort || notRun ? `**${escapeMarkdown(text)}**` : escapeMarkdown(text),
        ...columns.map((_, i) => (cells[i] ? markedText(cells[i]) : NOT_MEASURED)),
      ];
    }),
  );
  return [['server', 'connections', ...columns.map(({ title }) => title)], ...rows];
}

/** @param {RunsComparison} comparison @returns {string[][]} a head, and a row for each server with both values */
function comparedRows(comparison) {
  const table = runsTable(comparison);
  const rows = table.points.flatMap(({ at = [], rows: pointRows }) =>
    pointRows.map(({ label, cells }) => [
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
 * @param {string} explained explanation of the marks; '' if there are none
 * @returns {string[]} lines: the first rows, and the number of others
 */
function firstRows([head, ...rows], explained) {
  if (rows.length === 0) return [];
  const more = rows.length - MAX_ROWS;
  return [
    ...markdownTable([head, ...rows.slice(0, MAX_ROWS)]),
    '',
    ...(more > 0 ? [`${counted(more, 'more row')} on the page.`, ''] : []),
    ...(explained === '' ? [] : [escapeMarkdown(explained), '']),
  ];
}

const DOTS = { good: '🟢', care: '🟡', none: '🔴' };

/**
 * The summary of a run for a pull request.
 * @param {RunSummary} summary
 * @returns {string} the headline, the trust in it, and a table of up to MAX_ROWS servers, compared with the baseline if
 *   there is one
 */
export function runMarkdown(summary) {
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
    ...(summary.explained ? explainedSection(summary.explained) : []),
    `Run \`${summary.run}\`.`,
    '',
  ].join('\n');
}

/** Functions in a comment of a pull request. */
const MAX_FUNCTIONS = 10;

/** @param {Explained} explained @returns {string[]} lines */
function explainedSection(explained) {
  const { texts, notes } = explainedTexts(explained, MAX_FUNCTIONS);
  const tables = texts.flatMap(({ lead, rows }) => [
    `${escapeMarkdown(lead)}.`,
    '',
    ...(rows.length === 0
      ? []
      : [
          ...markdownTable([
            ['function', 'CPU per request', 'share'],
            ...rows.map(({ name, value, range, share }) => [
              escapeMarkdown(name),
              markedText({ text: value, ...(range === '' ? {} : { range }) }),
              share,
            ]),
          ]),
          '',
        ]),
  ]);
  return [...tables, ...list(notes)];
}

/** @param {string[]} texts @returns {string[]} a list and an empty line; no lines without texts */
const list = (texts) => (texts.length === 0 ? [] : [...texts.map((text) => `- ${escapeMarkdown(text)}`), '']);

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

/** Characters of Markdown, HTML or a formula anywhere in a line. */
const MARKUP = /[\\`*_~<>|[\]&$]/g;
/** The start of a heading, a list or a rule. */
const BLOCK = /^(\d{0,9})([-+#.)]+)(?=\s|$)/;
/**
 * The starts of texts that GitHub turns into links and notifications: `@name`, `#1`, `GH-1`, URLs.
 */
const REFERENCE = /@|#(?=\d)|\bGH-(?=\d)|:(?=\/\/)|\bwww(?=\.)/gi;
/** A space without width. A backslash does not help: GitHub looks for references after rendering Markdown. */
const BREAK = '&#8203;';

/**
 * @param {string} text
 * @returns {string} one line that Markdown shows literally, without references
 */
const escapeMarkdown = (text) =>
  printable(text.trim().replace(/\s*\n\s*/g, ' '))
    .replace(MARKUP, '\\$&')
    .replace(BLOCK, '$1\\$2')
    .replace(REFERENCE, `$&${BREAK}`);
