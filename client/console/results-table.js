// The table of servers as lines for the console: value, interval and mark of what ranks, where there is room drawn in
// one line, otherwise in up to three. Columns that do not fit are left out, the least important first. And with
// `--table all`, every figure of every leg. Pure.

import { besidesTexts, conditionTexts } from '../judge/compare-runs/texts.js';
import { runsTable } from '../judge/compare-runs/table.js';
import { figures } from '../judge/figures.js';
import { isTold } from '../judge/figure-values.js';
import { rangeText, runsExplained, shortMark, shownMark, valueText } from '../judge/mark-texts.js';
import { coverageOf, isMeasured } from '../measure/leg-figures.js';
import { cellOf, isOfWorst, valueOf } from '../judge/value-of.js';
import { endingText } from '../words/endings.js';
import { placesText } from '../words/figures.js';
import { counted, NOT_MEASURED } from '../words/format.js';
import { drawnColumn } from './interval-text.js';
import { wrap } from './terminal-text.js';
import { textTable } from './text-table.js';

/**
 * @import { Mark } from '../../config/types.js'
 * @import { RunsComparison } from '../judge/compare-runs/index.js'
 * @import { Figure } from '../judge/figures.js'
 * @import { ServersTable } from '../judge/table.js'
 * @import { ShownCase } from '../judge/value-of.js'
 * @import { Style, Tone } from './terminal-text.js'
 * @import { Column as TextColumn } from './text-table.js'
 */

/**
 * @typedef {{ text: string, range?: string, short?: string, mark?: Mark, isBad?: boolean }} Cell
 * @typedef {{ at?: string, label: string, connections?: string[], isShort?: boolean, cells: Cell[] }} Line  of the
 *   table; at: the point, of its first row
 */

/** Points of a sweep are shown up to this many rows. */
const MOST_ROWS = 30;
/** Where room is lacking, names and connections are wrapped down to these widths. */
const NARROWEST = { server: 10, connections: 14 };

/** From these widths on intervals are drawn, in place of their bounds; and wider. */
const [LEAST_DRAWN, ROOMY] = [100, 116];
/** Characters of their axis. */
const [NARROW_AXIS, WIDE_AXIS] = [11, 15];

/** @type {Partial<Record<Mark['code'], Tone>>} */
const TONES = { best: 'green', better: 'green', 'as-good': 'green', worse: 'red' };

/** @param {Cell} cell @returns {Tone | undefined} */
const toneOf = ({ isBad, mark, short }) =>
  isBad ? 'red' : short === undefined ? undefined : TONES[mark?.code ?? 'not-known'];

/**
 * @param {string[]} titles of the columns of figures, the most important first
 * @param {{ at?: string, rows: Line[] }[]} groups @param {number} width @param {Style} style
 * @returns {string[]}
 */
function tableLines(titles, groups, width, style) {
  let left = MOST_ROWS;
  const shown = groups.filter(({ rows }, i) => (left -= rows.length) >= 0 || i === 0);
  const lines = shown.flatMap(({ at, rows }) => rows.map((row, i) => ({ ...row, at: i === 0 ? at : undefined })));
  if (lines.length === 0) return [];
  const hasConnections = lines.some(({ connections }) => connections !== undefined);
  /** @type {TextColumn<Line>[]} */
  const columns = [
    { title: 'server', left: true, narrowest: NARROWEST.server, text: ({ label }) => label },
    ...(hasConnections
      ? [
          {
            ...{ title: 'connections', left: true, narrowest: NARROWEST.connections },
            text: (/** @type {Line} */ { connections = [] }) => connections.join('\n'),
            tone: (/** @type {Line} */ { isShort }) => (isShort ? /** @type {const} */ ('red') : null),
          },
        ]
      : []),
    ...titles.map((title, i) => ({
      ...{ title, left: true, rank: i },
      text: (/** @type {Line} */ { cells: { [i]: cell } }) =>
        cell ? [cell.text, cell.range, cell.short].filter((text) => text !== undefined && text !== '').join('\n') : '',
      tone: (/** @type {Line} */ { cells: { [i]: cell } }) => cell && toneOf(cell),
    })),
  ];
  const { head, rows } = textTable(columns, lines, { width, style });
  const more = groups.length - shown.length;
  return [
    ...head,
    ...rows.flatMap((own, i) => {
      const { at } = lines[i];
      return at === undefined ? own : [style('bold', ` at ${at}`), ...own];
    }),
    ...(more > 0 ? [` ${counted(more, 'more point')} on the page and in summary.json`] : []),
  ];
}

/**
 * @param {ServersTable} table of a run @param {number} width @param {Style} style
 * @returns {string | null} lines joined, the last without a line end; null where it has no row
 */
export function serversLines({ columns, groups, notes }, width, style) {
  const axis = width < ROOMY ? NARROW_AXIS : WIDE_AXIS;
  const all = groups.flatMap(({ rows }) => rows.map(({ cells }) => cells));
  const drawn = columns.map((column, i) =>
    column.ticks !== undefined && width >= LEAST_DRAWN
      ? drawnColumn(
          column,
          all.flatMap((cells) => cells[i] ?? []),
          axis,
        )
      : null,
  );
  const lines = tableLines(
    columns.map(({ title }, i) => drawn[i]?.title ?? title),
    groups.map(({ at, rows }) => ({
      at,
      rows: rows.map(({ label, connections, failures, isShort, cells, notRun }) => ({
        label,
        connections: notRun === undefined ? [...connections.split(', '), ...(failures ? [failures] : [])] : [notRun],
        isShort: isShort || notRun !== undefined,
        cells: cells.map((cell, i) =>
          drawn[i] === null || cell.drawn === undefined
            ? cell
            : { ...cell, text: drawn[i].text(cell), range: undefined, short: cell.short && '' },
        ),
      })),
    })),
    width,
    style,
  );
  if (lines.length === 0) return null;
  const note = notes.flatMap((text) => wrap(text, width - 1));
  return [...lines, ...note.map((line) => style('dim', ` ${line}`))].join('\n');
}

/**
 * @param {RunsComparison} comparison @param {number} width @param {Style} style
 * @returns {string} lines joined, the last without a line end; without the outcome
 */
export function runComparisonLines(comparison, width, style) {
  const { run, baseline } = comparison;
  const table = runsTable(comparison);
  const conditions = conditionTexts(comparison);
  const wrapped = (/** @type {string[]} */ lines) => lines.flatMap((line) => wrap(line, width));
  const groups = table.points.map(({ at, rows }) => ({
    at,
    rows: rows.map(({ label, cells }) => ({
      label,
      cells: cells.map((cell, i) => ({
        ...{ text: valueText(table.figures[i], cell), range: rangeText(table.figures[i], cell), mark: cell.mark },
        ...(shownMark(table, cell.mark) ? { short: shortMark(cell.mark) } : {}),
      })),
    })),
  }));
  return [
    wrapped([`${run.name} (${run.id})`, `compared with ${baseline.name} (${baseline.id})`]),
    tableLines(
      table.figures.map(({ title, name }) => title ?? name),
      groups,
      width,
      style,
    ),
    wrapped(besidesTexts(comparison)),
    wrapped(conditions.length === 0 ? [] : ['Conditions that differ:', ...conditions.map((one) => `  ${one}`)]),
    wrap(runsExplained(comparison), width).map((line) => style('dim', line)),
  ]
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n');
}

/** @type {Readonly<Record<NonNullable<Figure['mark']>, Tone>>} */
const TONE_OF = { bad: 'red', warning: 'yellow' };

/**
 * What is no figure: how a leg ended, and of what its figures are.
 * @type {{ title: string, text: (shown: ShownCase) => string }[]}
 */
const FACTS = [
  {
    title: 'ended',
    text: ({ endedBy, complete }) => (complete ? endingText(endedBy) : `incomplete: ${endingText(endedBy)}`),
  },
  {
    title: 'figures of',
    text: ({ worst }) => (worst.beforeSteady || worst.wholeLeg ? `the ${coverageOf(worst)}` : NOT_MEASURED),
  },
  { title: 'serves at once', text: ({ worst }) => placesText(worst) ?? NOT_MEASURED },
];

/**
 * @param {ShownCase[]} cases @param {number} width of the terminal @param {Style} style
 * @returns {string} a row for each figure that some case has, a column for each case, in as many blocks as the width
 *   needs; lines joined, the last without a line end
 */
export function allFigures(cases, width, style) {
  const inRounds = cases.some(({ rounds }) => rounds.length > 1);
  const told = figures.filter(
    (figure) =>
      figure.of !== undefined &&
      !figure.isDetail &&
      isTold(
        figure,
        cases.map((shown) => valueOf(figure, shown).value),
      ),
  );
  const rows = [
    ...FACTS.filter(({ text }) => cases.some((shown) => isMeasured(shown.worst) && text(shown) !== NOT_MEASURED)).map(
      (fact) => ({
        ...fact,
        tone: () => null,
      }),
    ),
    ...told.map((figure) => ({
      title: `${figure.partOf === undefined ? '' : '  '}${figure.title ?? figure.name}${inRounds && isOfWorst(figure) ? ' (worst)' : ''}`,
      text: (/** @type {ShownCase} */ shown) => {
        const { text, range } = cellOf(figure, shown);
        return `${text}${range ? `\n${range}` : ''}`;
      },
      tone: (/** @type {ShownCase} */ shown) => {
        const { mark } = cellOf(figure, shown);
        return mark === undefined ? null : TONE_OF[mark];
      },
    })),
  ];
  /** @typedef {typeof rows[number]} Row @typedef {TextColumn<Row>} Column */
  const name = /** @type {Column} */ ({ title: '', left: true, text: ({ title }) => title });
  const columns = cases.map(
    (shown) =>
      /** @type {Column} */ ({
        title: shown.label,
        text: ({ text }) => text(shown),
        tone: ({ tone }) => tone(shown),
      }),
  );
  /** @type {Column[][]} */
  const blocks = [];
  const widthOf = (/** @type {Column[]} */ some) => Math.max(...textTable(some, rows).lines.map((line) => line.length));
  for (const column of columns) {
    const last = blocks.at(-1);
    if (last && widthOf([...last, column]) <= width) last.push(column);
    else blocks.push([name, column]);
  }
  return blocks.map((block) => textTable(block, rows, { style }).lines.join('\n')).join('\n\n');
}
