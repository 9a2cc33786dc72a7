// The table of servers as lines for the console: value, interval and mark of the figures that rank, drawn if there is
// room. Columns that do not fit are left out, the least important first. With `--table all`, every figure of every leg.

import { besidesTexts, conditionTexts } from '../judge/compare-runs/texts.js';
import { runsTable } from '../judge/compare-runs/table.js';
import { figures } from '../judge/figures.js';
import { isTold } from '../judge/figure-values.js';
import {
  rangeText,
  runsExplained,
  serversExplained,
  shortMark,
  shownMark,
  startsText,
  valueText,
} from '../judge/mark-texts.js';
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
 * @import { ServersTable, TableCell, TableColumn } from '../judge/table.js'
 * @import { ShownCase } from '../judge/value-of.js'
 * @import { Style, Tone } from './terminal-text.js'
 * @import { Column as TextColumn } from './text-table.js'
 */

/**
 * @typedef {{ text: string, range?: string, short?: string, mark?: Mark, isBad?: boolean }} Cell
 * @typedef {{ at?: string, label: string, connections?: string[], isShort?: boolean, cells: Cell[] }} Line  of the
 *   table; at: the point, for its first row
 */

/** Points of a sweep are shown up to this many rows. */
const MAX_ROWS = 30;
/** Least widths to which names and connections are wrapped. */
const NARROWEST = { server: 10, connections: 14 };

/** Intervals are drawn from this width on. */
const LEAST_DRAWN = 100;
/**
 * Layouts of a ranked figure, the widest first: the interval drawn on an axis of `axis` characters, with the difference
 * beside it or below; the bounds and the difference below the value; the difference alone. The table takes the first
 * layout with which it leaves out the least important columns only.
 * @type {{ axis?: number, isStacked: boolean, hasRange?: boolean }[]}
 */
const LAYOUTS = [
  { axis: 15, isStacked: false },
  { axis: 15, isStacked: true },
  { axis: 11, isStacked: true },
  { isStacked: true, hasRange: true },
  { isStacked: true },
];
/** Columns that a layout should show if it can: this many ranked figures, and all response times. */
const IMPORTANT_RANKED = 2;
/** Greatest width of the notes below the table. */
const WIDEST_NOTE = 120;
const HOLLOW = '○: no difference from the best is known.';

/** @type {Partial<Record<Mark['code'], Tone>>} */
const TONES = { best: 'green', better: 'green', 'as-good': 'green', worse: 'red' };

/** @param {Cell} cell @returns {Tone | undefined} */
const toneOf = ({ isBad, mark, short }) =>
  isBad ? 'red' : short === undefined ? undefined : TONES[mark?.code ?? 'not-known'];

/**
 * @param {string[]} titles of the columns of figures, the most important first
 * @param {{ at?: string, rows: Line[] }[]} groups @param {number} width @param {Style} style
 * @returns {{ lines: string[], leftOut: number[] }} leftOut: indices of figures that have no room
 */
function tableLines(titles, groups, width, style) {
  let left = MAX_ROWS;
  const shown = groups.filter(({ rows }, i) => (left -= rows.length) >= 0 || i === 0);
  const lines = shown.flatMap(({ at, rows }) => rows.map((row, i) => ({ ...row, at: i === 0 ? at : undefined })));
  if (lines.length === 0) return { lines: [], leftOut: [] };
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
  const { head, rows, leftOut } = textTable(columns, lines, { width, style });
  const more = groups.length - shown.length;
  return {
    lines: [
      ...head,
      ...rows.flatMap((rowLines, i) => {
        const { at } = lines[i];
        return at === undefined ? rowLines : [style('bold', ` at ${at}`), ...rowLines];
      }),
      ...(more > 0 ? [` ${counted(more, 'more point')} on the page and in summary.json`] : []),
    ],
    leftOut: leftOut.map(({ rank = -1 }) => rank),
  };
}

/** @param {TableColumn} column @returns {boolean} whether servers are ranked by it, so that it has an axis */
const isRanked = ({ ticks, notRanked }) => ticks !== undefined && notRanked === undefined;

/**
 * @param {ServersTable} table @param {typeof LAYOUTS[number]} layout @param {number} width @param {Style} style
 * @returns {ReturnType<typeof tableLines> & { layout: typeof LAYOUTS[number] }}
 */
function laidOut({ columns, groups }, layout, width, style) {
  const { axis, isStacked, hasRange } = layout;
  const rowCells = groups.flatMap(({ rows }) => rows.map(({ cells }) => cells));
  const drawn = columns.map((column, i) =>
    axis !== undefined && isRanked(column)
      ? drawnColumn(
          column,
          rowCells.flatMap((cells) => cells[i] ?? []),
          { axis, isStacked },
        )
      : null,
  );
  /** @param {TableCell} cell @param {number} i of its column @returns {Cell} */
  const shown = (cell, i) => {
    const { bounds } = cell;
    if (drawn[i] !== null) return { ...cell, text: drawn[i].text(cell), range: undefined, short: cell.short && '' };
    return hasRange || bounds === undefined ? cell : { ...cell, range: undefined, short: bounds };
  };
  const lines = tableLines(
    columns.map(({ title }, i) => drawn[i]?.title ?? title),
    groups.map(({ at, rows }) => ({
      at,
      rows: rows.map(({ label, connections, failures, isShort, cells, notRun }) => ({
        label,
        connections: notRun === undefined ? [...connections.split(', '), ...(failures ? [failures] : [])] : [notRun],
        isShort: isShort || notRun !== undefined,
        cells: cells.map(shown),
      })),
    })),
    width,
    style,
  );
  return { ...lines, layout };
}

/**
 * @param {ServersTable} table of a run @param {number} width @param {Style} style
 * @returns {string | null} lines joined, the last without a line end; null without rows
 */
export function serversLines(table, width, style) {
  const { columns } = table;
  const ranked = columns.filter(isRanked).slice(0, IMPORTANT_RANKED);
  const lacking = (/** @type {number[]} */ leftOut) =>
    leftOut.filter((i) => ranked.includes(columns[i]) || columns[i].figure.group === 'response time').length;
  const { lines, leftOut, layout } = LAYOUTS.filter(({ axis }) => axis === undefined || width >= LEAST_DRAWN)
    .map((candidate) => laidOut(table, candidate, width, style))
    .reduce((best, candidate) => (lacking(candidate.leftOut) < lacking(best.leftOut) ? candidate : best));
  if (lines.length === 0) return null;
  const hidden = leftOut.map((i) => columns[i].figure.name);
  const note = notesOf(table, hidden, layout).flatMap((text) => wrap(text, Math.min(width, WIDEST_NOTE) - 1));
  return [...lines, ...note.map((line) => style('dim', ` ${line}`))].join('\n');
}

/**
 * @param {ServersTable} table @param {string[]} hidden figures @param {typeof LAYOUTS[number]} layout
 * @returns {string[]} how to read the marks and figures that are shown
 */
function notesOf({ ranking, groups, notes }, hidden, { axis, hasRange }) {
  if (notes.length === 0) return [];
  const cells = groups.flatMap(({ rows }) => rows.flatMap((row) => row.cells));
  const figures = ranking.figures.filter(({ name }) => !hidden.includes(name));
  const starts = ranking.starts.filter(({ figure }) => !hidden.includes(figure.name));
  // with bounds of the difference, there is no "not known (< x %)"
  const points = hasRange ? ranking.points : [];
  return [
    cells.some(({ said }) => said !== undefined) ? serversExplained({ ...ranking, figures, points }) : [],
    axis !== undefined && cells.some(({ drawn }) => drawn && !drawn.isKnown) ? HOLLOW : [],
    startsText({ ...ranking, starts }) ?? [],
  ].flat();
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
    ).lines,
    wrapped(besidesTexts(comparison)),
    wrapped(
      conditions.length === 0 ? [] : ['Conditions that differ:', ...conditions.map((condition) => `  ${condition}`)],
    ),
    wrap(runsExplained(comparison), width).map((line) => style('dim', line)),
  ]
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n');
}

/** @type {Readonly<Record<NonNullable<Figure['mark']>, Tone>>} */
const TONE_OF = { bad: 'red', warning: 'yellow' };

/**
 * Rows that are no figures: how a leg ended, what its figures cover, and how many connections the server serves at
 * once.
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
 * @returns {string} a row for each figure that a case has, a column for each case, in as many blocks as the width
 *   needs; lines joined, the last without a line end
 */
export function allFigures(cases, width, style) {
  const inRounds = cases.some(({ rounds }) => rounds.length > 1);
  const shownFigures = figures.filter(
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
    ...shownFigures.map((figure) => ({
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
  const widthOf = (/** @type {Column[]} */ blockColumns) =>
    Math.max(...textTable(blockColumns, rows).lines.map((line) => line.length));
  for (const column of columns) {
    const last = blocks.at(-1);
    if (last && widthOf([...last, column]) <= width) last.push(column);
    else blocks.push([name, column]);
  }
  return blocks.map((block) => textTable(block, rows, { style }).lines.join('\n')).join('\n\n');
}
