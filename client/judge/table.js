// The one table of a run: a row for each server, the best first, with what became of its connections and the figures
// that rank. Pure data; console, page and Markdown print it.

import {
  coverageOf,
  figuresOf,
  followsProfile,
  heldAtEnd,
  isMeasured,
  requestedAtEnd,
  secondsOf,
  withFigures,
} from '../measure/leg-figures.js';
import { present } from '../measure/sums.js';
import { accountEntries, shownEntries } from '../words/account.js';
import { firstLineOf } from '../words/endings.js';
import { servedOnlySome } from '../words/figures.js';
import { count, counted, NOT_MEASURED, rate } from '../words/format.js';
import { achievedRate, RATE } from './achieved-rate.js';
import { caseOf } from './cases.js';
import { figureIn, haveBadReplies, isAtRate } from './comparisons.js';
import { drawnAxis } from './drawn-axis.js';
import { columnText, isTold, markOf } from './figure-values.js';
import { failuresOf, figureOf, figures, served, SHORT_TABLE } from './figures.js';
import {
  markText,
  markWithBounds,
  rangeText,
  serversExplained,
  shortMark,
  shownMark,
  startsText,
  valueText,
  whyText,
} from './mark-texts.js';
import { hasSeveral, rankingTable } from './ranking-table.js';
import { cellOf, shownCases, valueOf } from './value-of.js';

/**
 * @import { LegSummary, Mark, RunSummary } from '../../config/types.js'
 * @import { Entry } from '../words/account.js'
 * @import { DrawnAxis } from './drawn-axis.js'
 * @import { Figure } from './figures.js'
 * @import { Cell, RankingTable } from './ranking-table.js'
 * @import { ShownCase } from './value-of.js'
 */

/**
 * @typedef {object} TableCell
 * @property {string} text
 * @property {number} [value]  by which rows are sorted; absent where it is not known
 * @property {string} [range]  of its 95 % interval
 * @property {Mark} [mark]  absent where nothing is compared
 * @property {string} [said]  the mark in words; absent of a run with fewer than three rounds
 * @property {string} [short]  the same in a narrow column
 * @property {string} [bounds]  the same beside a drawn interval
 * @property {boolean} isBad
 * @property {DrawnCell} [drawn]  absent where its column has no axis, or its value none on it
 *
 * @typedef {object} DrawnCell  shares of the length of the column's axis; beyond 0..1: outside
 * @property {number} at  the value
 * @property {[number, number]} [interval]  of 95 %
 * @property {number[]} values  of which it is the median; empty of a single one
 * @property {boolean} isKnown  false: it was compared with the best, and no difference is known
 *
 * @typedef {object} TableRow
 * @property {string} case
 * @property {string} label  of the server; of a sweep the point is the group's
 * @property {number} requested  connections
 * @property {Entry[]} account  empty where it is not known
 * @property {string} connections  what became of them, in words
 * @property {string} [failures]  such as "298 rejects, 843 errors"
 * @property {boolean} isShort  some connections were not served, or failed
 * @property {number} [served]  connections, of a server that served only some
 * @property {TableCell[]} cells  one of each column; empty where it did not run
 * @property {string} [notRun]  why it did not run
 *
 * @typedef {object} TableColumn
 * @property {string} key  of a compared figure, otherwise the figure's name
 * @property {string} title
 * @property {Figure} figure
 * @property {boolean} isCompared
 * @property {string} [notRanked]  why servers are not compared by it, although each has it
 * @property {{ at: number, value: number }[]} [ticks]  of its axis: shares of the length; absent where none is drawn
 *
 * @typedef {object} TableGroup  a point of a sweep
 * @property {string} [at]
 * @property {TableRow[]} rows
 * @property {Record<string, [number, number]>} bands  by the key of a column: within the margin of the best, in shares
 *   of the axis
 *
 * @typedef {{ columns: TableColumn[], groups: TableGroup[], ranking: RankingTable, notes: string[] }} ServersTable
 *   notes: what a reader must know of its marks
 */

/** Groups of figures that are shown where something in them went wrong. */
const OF_SOME = ['transfers', 'open loop'];
/** Groups of figures of the steady state, or of the span that a leg reached instead. */
const OF_SPAN = ['transfers', 'open loop', 'response time'];
const CONNECT = /** @type {Figure} */ (figureOf('connect p99'));
/** Beside the p99 of a server by itself. */
const TAIL = /** @type {Figure} */ (figureOf('p99.9'));
/**
 * Titles in a table of few columns, by the short names of compared figures.
 * @type {Readonly<Record<string, string>>}
 */
const TITLES = { cost: 'CPU per transfer', memory: 'memory per connection' };

/** @param {Figure & { at?: string }} figure  at: the rate that it is of, where the table says it @returns {string} */
function titleOf({ name, title = name, compared, group, at }) {
  const short = TITLES[compared?.called ?? ''];
  if (short !== undefined) return at === undefined ? short : `${short} at ${at}`;
  return group === 'response time' ? title.replace(/^response /, '') : title;
}

/**
 * @param {Partial<LegSummary>} leg
 * @param {string} workload
 * @returns {string} how many connections there were, where no account says it
 */
export function heldText(leg, workload) {
  const { churns, connections, endedBy, reopens, transfers } = leg;
  const span = leg.wholeLeg ?? leg.steady;
  if (churns) return `opened ${rate(span && span.opened / secondsOf(span))}, ${count(connections?.opened)} in all`;
  if (!isMeasured(leg)) return '';
  const requested = count(requestedAtEnd(leg));
  if (workload === 'once') return `answered ${count(transfers?.count)} of ${requested}`;
  if (followsProfile(leg)) return `up to ${count(connections?.peakOpen)} of ${count(connections?.requested)} open`;
  return `${endedBy === 'done' || reopens === false ? 'opened' : 'held'} ${count(heldAtEnd(leg))} of ${requested}`;
}

/** What failed, and what it is called. */
const FAILED = /** @type {const} */ ([
  ['rejects', 'reject'],
  ['errors', 'error'],
]);

/**
 * @param {ShownCase} shown @param {'rejects' | 'errors'} name @param {number} number of them that is shown
 * @returns {number | undefined} starts of which the number is the sum
 */
function startsOf({ legs }, name, number) {
  const total = legs.reduce((sum, leg) => sum + (leg[name]?.total ?? 0), 0);
  return number === total && new Set(legs.map(({ start }) => start)).size > 1 ? legs.length : undefined;
}

/**
 * @param {ShownCase} shown
 * @param {string} workload
 * @returns {Pick<TableRow, 'requested' | 'account' | 'connections' | 'failures' | 'isShort'>} the account is that of
 *   the leg that served the fewest
 */
function connectionsOf(shown, workload) {
  const leg = withFigures(shown.worst);
  const { account } = leg;
  const failures = FAILED.flatMap(([name, one]) => {
    const number = Number(valueOf(/** @type {Figure} */ (figureOf(name)), shown).value);
    const starts = startsOf(shown, name, number);
    return number > 0 ? [`${counted(number, one)}${starts ? ` in ${counted(starts, 'start')}` : ''}`] : [];
  }).join(', ');
  const isPlain = account !== undefined && !leg.churns && workload !== 'once' && !followsProfile(leg);
  return {
    requested: account?.requested ?? 0,
    account: account ? accountEntries(account).filter(({ value }) => value > 0) : [],
    connections: isPlain
      ? shownEntries(account)
          .map(({ name, value }) => `${count(value)} ${name}`)
          .join(', ')
      : heldText(leg, workload),
    ...(failures === '' ? {} : { failures }),
    isShort:
      failures !== '' ||
      servedOnlySome(leg) !== undefined ||
      (account !== undefined && accountEntries(account).some(({ bad }) => bad)),
  };
}

/** A case without figures. */
const NONE = { figures: {} };

/**
 * @param {Cell} cell @param {(number | null)[]} values of which it is the median @param {DrawnAxis} axis
 * @returns {DrawnCell | undefined}
 */
function drawnCell({ median, low, high, mark }, values, { shareOf }) {
  if (median === undefined || median <= 0) return undefined;
  return {
    at: shareOf(median),
    ...(low === undefined || high === undefined || low <= 0 ? {} : { interval: [shareOf(low), shareOf(high)] }),
    values: values.length > 1 ? values.flatMap((value) => (value !== null && value > 0 ? shareOf(value) : [])) : [],
    isKnown: mark?.code !== 'not-known',
  };
}

/**
 * @param {RankingTable} ranking @param {number} i of a figure of it @param {DrawnAxis | undefined} axis of its column
 * @param {(id: string) => (number | null)[]} valuesOf a case
 * @returns {(cell: Cell | undefined, id: string) => TableCell}
 */
const rankedCell =
  (ranking, i, axis, valuesOf) =>
  (cell = {}, id) => {
    const figure = ranking.figures[i];
    const { mark, median, moreThan } = cell;
    const range = rangeText(figure, cell);
    const drawn = axis && drawnCell(cell, valuesOf(cell.case ?? id), axis);
    return {
      text: valueText(figure, cell),
      ...present('value', median ?? moreThan),
      ...(range === undefined ? {} : { range }),
      ...(mark === undefined ? {} : { mark }),
      ...(shownMark(ranking, mark)
        ? { said: markText(mark), short: shortMark(mark), bounds: markWithBounds(mark) }
        : {}),
      isBad: moreThan !== undefined,
      ...(drawn === undefined ? {} : { drawn }),
    };
  };

/** @param {Figure} figure @param {ShownCase} shown @returns {TableCell} of one that is not compared */
function plainCell(figure, shown) {
  const { text, mark } = cellOf(figure, shown);
  const { value } = valueOf(figure, shown);
  return { text, ...(typeof value === 'number' ? { value } : {}), isBad: mark !== undefined };
}

/** @param {ShownCase} shown @returns {TableCell} the rate of an open loop */
function achievedCell(shown) {
  const { text, isShort } = achievedRate(shown) ?? { text: NOT_MEASURED, isShort: false };
  return { text, isBad: isShort };
}

/** What leads a table where requests have failed. */
const FAILURES = ['failed share', 'good rate'].map((name) => /** @type {Figure} */ (figureOf(name)));
/** What these tell too. */
const TOLD = ['failed replies'];

/** @param {ShownCase} shown @returns {boolean} whether requests that were sent failed; the others are `unsent` */
const haveFailed = ({ legs }) =>
  legs.some((leg) => {
    const figures = figuresOf(leg);
    return figures !== undefined && failuresOf({ ...figures, unsent: 0 }).failed > 0;
  });

/**
 * @param {ShownCase[]} cases
 * @returns {[failures: Figure[], others: Figure[]]} that went wrong somewhere: requests; and what else is told of a
 *   rate, or of kinds of replies
 */
function wrongFigures(cases) {
  const valuesOf = (/** @type {Figure} */ figure) => cases.map((shown) => valueOf(figure, shown).value);
  const isWrong = (/** @type {Figure} */ figure) =>
    valuesOf(figure).some((value) => markOf(figure, value) !== undefined);
  const failures = cases.some(haveFailed)
    ? FAILURES.slice(0, haveBadReplies(cases.flatMap(({ legs }) => legs)) ? 2 : 1)
    : [];
  const others = figures.filter(
    (figure) =>
      SHORT_TABLE.includes(figure.name) &&
      figure.mark !== undefined &&
      OF_SOME.includes(figure.group) &&
      !FAILURES.includes(figure) &&
      !(failures.length > 0 && TOLD.includes(figure.name)) &&
      isWrong(figure) &&
      isTold(figure, valuesOf(figure)),
  );
  return [failures, others];
}

/** @param {Figure[]} columns @param {TableRow[]} rows whose values get the unit of their column */
function writeInOneUnit(columns, rows) {
  columns.forEach((figure, i) => {
    const cells = rows.flatMap((row) => (row.cells[i]?.value === undefined || row.cells[i].isBad ? [] : row.cells[i]));
    const textOf = columnText(
      figure,
      cells.map(({ value }) => value),
    );
    for (const cell of cells) cell.text = textOf(cell.value);
  });
}

/**
 * @param {RunSummary} summary
 * @returns {ServersTable} without rows of a search, whose legs are tries
 */
export function tableOf(summary) {
  const ranking = rankingTable(summary);
  const { workload } = summary.config;
  const cases = summary.search ? [] : shownCases(summary);
  const byCase = new Map(cases.map((shown) => [caseOf(shown.legs[0]), shown]));
  const ran = cases.filter(({ worst }) => isMeasured(worst) && !isAtRate(worst));
  const ranked = ranking.figures.flatMap((figure, i) => {
    // connections have a column of their own
    if (figure.group === 'connections') return [];
    const cells = ranking.points.flatMap(({ rows }) => rows.map((row) => row.cells[i]));
    const axis = drawnAxis(
      cells.flatMap(({ median = 0, low, high }) => (median > 0 ? [{ value: median, low, high }] : [])),
    );
    const had = cells.filter(({ median, moreThan }) => (median ?? moreThan) !== undefined);
    const [why] = had.every(({ mark }) => mark?.code === 'not-compared') ? had : [];
    const cell = rankedCell(ranking, i, axis, (id) => figureIn(byCase.get(id) ?? NONE, figure)?.values ?? []);
    return [
      { key: figure.compared.key, figure, i, axis, ...(why?.mark ? { notRanked: whyText(why.mark) } : {}), cell },
    ];
  });
  const asColumn = (/** @type {Figure} */ figure) => ({ key: figure.name, figure });
  const [failures, wrong] = wrongFigures(ran);
  const isRanked = (/** @type {Figure} */ { name }) => ranked.some(({ figure }) => figure.name === name);
  const hasTimes = ranked.some(({ figure }) => figure.group === 'response time');
  const others = ran.length > 0 && !hasTimes ? [asColumn(CONNECT)] : [];
  const hasTail = ran.length === 1 && !isRanked(TAIL) && valueOf(TAIL, ran[0]).value !== undefined;
  const isOpenLoop = ran.some((shown) => achievedRate(shown) !== undefined);
  /**
   * @type {{ key: string, figure: Figure, i?: number, axis?: DrawnAxis, notRanked?: string,
   *   cell?: ReturnType<typeof rankedCell> }[]}
   */
  const columns = [
    ...failures.filter((figure) => ranked[0]?.figure.name !== figure.name).map(asColumn),
    ...(isOpenLoop ? [asColumn(RATE)] : []),
    ...ranked.slice(0, 1),
    ...wrong.map(asColumn),
    ...ranked.slice(1).flatMap((one) => (hasTail && one.figure.name === 'p99' ? [one, asColumn(TAIL)] : [one])),
    ...others,
  ];
  /** @param {string} id @param {ShownCase} shown @param {string} label @param {Cell[]} cells @returns {TableRow} */
  const rowOf = (id, shown, label, cells) => {
    const row = { case: id, label, ...connectionsOf(shown, workload) };
    if (!isMeasured(shown.worst)) {
      const why = shown.failure?.text ? `: ${firstLineOf(shown.failure.text)}` : '';
      return { ...row, cells: [], notRun: `did not run${why}` };
    }
    const some = servedOnlySome(shown.worst) === undefined ? undefined : served(shown.worst);
    const part = shown.worst.beforeSteady && coverageOf(shown.worst);
    const cellOf = (/** @type {(typeof columns)[number]} */ { figure, i = -1, cell }) => {
      const own = cell?.(cells[i], id) ?? (figure === RATE ? achievedCell(shown) : plainCell(figure, shown));
      if (own.text === NOT_MEASURED) return own;
      const isOfSome = some !== undefined && figure.group === 'response time';
      const range = [
        ...(own.range === undefined ? [] : [own.range]),
        ...(isOfSome ? [`of the ${count(some)} served`] : []),
        ...(part !== undefined && OF_SPAN.includes(figure.group) ? [`of the ${part}`] : []),
      ].join('; ');
      return range === '' ? own : { ...own, range };
    };
    return { ...row, ...present('served', some), cells: columns.map(cellOf) };
  };
  /**
   * @param {RankingTable['points'][number]['rows']} rows @param {Record<string, string>} best by the key of a figure
   * @returns {TableGroup['bands']}
   */
  const bandsOf = (rows, best) =>
    Object.fromEntries(
      ranked.flatMap(({ key, i, axis }) => {
        const { median = 0 } = rows.find((row) => (row.cells[i].case ?? row.case) === best[key])?.cells[i] ?? {};
        if (axis === undefined || median <= 0) return [];
        const [from, to] = [1 - ranking.margin, 1 + ranking.margin].map((ratio) => axis.shareOf(median * ratio));
        return [[key, /** @type {[number, number]} */ ([from, to])]];
      }),
    );
  const points = ranking.points.map(({ at, rows, best }) => ({
    at,
    bands: bandsOf(rows, best),
    rows: rows.flatMap(({ case: id, label, cells }) => {
      const shown = byCase.get(id);
      return shown ? [rowOf(id, shown, label, cells)] : [];
    }),
  }));
  const listed = new Set(points.flatMap(({ rows }) => rows.map((row) => row.case)));
  const rest = [...byCase].filter(([id, { worst }]) => !listed.has(id) && !isAtRate(worst));
  const unlisted = rest.map(([id, shown]) => rowOf(id, shown, shown.label, []));
  const groups = [...points, ...(unlisted.length > 0 ? [{ rows: unlisted, bands: {} }] : [])];
  writeInOneUnit(
    columns.map(({ figure }) => figure),
    groups.flatMap(({ rows }) => rows),
  );
  const isMarked = points.some(({ rows }) => rows.some(({ cells }) => cells.some(({ said }) => said !== undefined)));
  return {
    columns: columns.map(({ key, figure, axis, notRanked, cell }) => ({
      ...{ key, title: titleOf(figure), figure, isCompared: cell !== undefined, ...present('notRanked', notRanked) },
      ...(axis ? { ticks: axis.ticks.map((value) => ({ at: axis.shareOf(value), value })) } : {}),
    })),
    groups,
    ranking,
    notes: hasSeveral(ranking) ? [isMarked ? serversExplained(ranking) : [], startsText(ranking) ?? []].flat() : [],
  };
}
