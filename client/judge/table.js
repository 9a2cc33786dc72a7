// The table of a run: a row for each server, the best first, with its connections and the figures that rank.

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
 * @property {number} [value]  by which rows are sorted; absent if it is not known
 * @property {string} [range]  the 95 % interval
 * @property {Mark} [mark]  absent if nothing is compared
 * @property {string} [said]  the mark in words; absent below three rounds
 * @property {string} [short]  the mark for a narrow column
 * @property {string} [bounds]  the mark beside a drawn interval
 * @property {boolean} isBad
 * @property {DrawnCell} [drawn]  absent if the column has no axis, or the value no place on it
 *
 * @typedef {object} DrawnCell  positions as shares of the column's axis; outside 0..1 they are outside the axis
 * @property {number} at  the value
 * @property {[number, number]} [interval]  of 95 %
 * @property {number[]} values  whose median is the value; empty for a single value
 * @property {boolean} isKnown  false if no difference from the best is known
 *
 * @typedef {object} TableRow
 * @property {string} case
 * @property {string} label  of the server; the group has the point of a sweep
 * @property {number} requested  connections
 * @property {Entry[]} account  empty if it is not known
 * @property {string} connections  the account in words
 * @property {string} [failures]  such as "298 rejects, 843 errors"
 * @property {boolean} isShort  some connections were not served, or failed
 * @property {number} [served]  connections, if the server served only some
 * @property {TableCell[]} cells  one for each column; empty if the server did not run
 * @property {string} [notRun]  why it did not run
 *
 * @typedef {object} TableColumn
 * @property {string} key  of a compared figure, otherwise the figure's name
 * @property {string} title
 * @property {Figure} figure
 * @property {boolean} isCompared
 * @property {string} [notRanked]  why servers are not compared by the figure, although all have it
 * @property {{ at: number, value: number }[]} [ticks]  of its axis, as shares of the length; absent without an axis
 *
 * @typedef {object} TableGroup  a point of a sweep
 * @property {string} [at]
 * @property {TableRow[]} rows
 * @property {Record<string, [number, number]>} bands  the margin around the best, as shares of the axis, by the key of
 *   a column
 *
 * @typedef {{ columns: TableColumn[], groups: TableGroup[], ranking: RankingTable, notes: string[] }} ServersTable
 *   notes: how to read its marks
 */

/** Groups of figures that are shown only if something went wrong. */
const SHOWN_IF_WRONG = ['transfers', 'open loop'];
/** Groups of figures of the steady state, or of the span that a leg reached. */
const OF_SPAN = ['transfers', 'open loop', 'response time'];
const CONNECT = /** @type {Figure} */ (figureOf('connect p99'));
/** Shown beside the p99 in a run of one server. */
const TAIL = /** @type {Figure} */ (figureOf('p99.9'));
/**
 * Titles in a table of few columns, by the short names of compared figures.
 * @type {Readonly<Record<string, string>>}
 */
const TITLES = { cost: 'CPU per transfer', memory: 'memory per connection' };

/** @param {Figure & { at?: string }} figure  at: the rate at which servers are compared, if any @returns {string} */
function titleOf({ name, title = name, compared, group, at }) {
  const short = TITLES[compared?.called ?? ''];
  if (short !== undefined) return at === undefined ? short : `${short} at ${at}`;
  return group === 'response time' ? title.replace(/^response /, '') : title;
}

/**
 * @param {Partial<LegSummary>} leg
 * @param {string} workload
 * @returns {string} how many connections there were, for a leg without an account
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

/** Figures of failures, and the singular of their names. */
const FAILED = /** @type {const} */ ([
  ['rejects', 'reject'],
  ['errors', 'error'],
]);

/**
 * @param {ShownCase} shown @param {'rejects' | 'errors'} name @param {number} number that is shown
 * @returns {number | undefined} number of starts over which it is the sum; undefined if it is not a sum
 */
function startsOf({ legs }, name, number) {
  const total = legs.reduce((sum, leg) => sum + (leg[name]?.total ?? 0), 0);
  return number === total && new Set(legs.map(({ start }) => start)).size > 1 ? legs.length : undefined;
}

/**
 * @param {ShownCase} shown
 * @param {string} workload
 * @returns {Pick<TableRow, 'requested' | 'account' | 'connections' | 'failures' | 'isShort'>} account: of the leg that
 *   served the fewest
 */
function connectionsOf(shown, workload) {
  const leg = withFigures(shown.worst);
  const { account } = leg;
  const failures = FAILED.flatMap(([name, singular]) => {
    const number = Number(valueOf(/** @type {Figure} */ (figureOf(name)), shown).value);
    const starts = startsOf(shown, name, number);
    return number > 0 ? [`${counted(number, singular)}${starts ? ` in ${counted(starts, 'start')}` : ''}`] : [];
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
 * @param {Cell} cell @param {(number | null)[]} values whose median is in the cell @param {DrawnAxis} axis
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
 * @param {RankingTable} ranking @param {number} i index of a figure @param {DrawnAxis | undefined} axis of its column
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

/** @param {Figure} figure that is not compared @param {ShownCase} shown @returns {TableCell} */
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

/** First columns of the table if requests failed. */
const FAILURES = ['failed share', 'good rate'].map((name) => /** @type {Figure} */ (figureOf(name)));
/** Figures that these make superfluous. */
const COVERED_BY_FAILURES = ['failed replies'];

/** @param {ShownCase} shown @returns {boolean} whether requests failed, apart from those that were never sent */
const haveFailed = ({ legs }) =>
  legs.some((leg) => {
    const figures = figuresOf(leg);
    return figures !== undefined && failuresOf({ ...figures, unsent: 0 }).failed > 0;
  });

/**
 * @param {ShownCase[]} cases
 * @returns {[failures: Figure[], wrong: Figure[]]} figures of failed requests, and other figures that went wrong in a
 *   case; empty if nothing did
 */
function wrongFigures(cases) {
  const valuesOf = (/** @type {Figure} */ figure) => cases.map((shown) => valueOf(figure, shown).value);
  const isWrong = (/** @type {Figure} */ figure) =>
    valuesOf(figure).some((value) => markOf(figure, value) !== undefined);
  const failures = cases.some(haveFailed)
    ? FAILURES.slice(0, haveBadReplies(cases.flatMap(({ legs }) => legs)) ? 2 : 1)
    : [];
  const wrong = figures.filter(
    (figure) =>
      SHORT_TABLE.includes(figure.name) &&
      figure.mark !== undefined &&
      SHOWN_IF_WRONG.includes(figure.group) &&
      !FAILURES.includes(figure) &&
      !(failures.length > 0 && COVERED_BY_FAILURES.includes(figure.name)) &&
      isWrong(figure) &&
      isTold(figure, valuesOf(figure)),
  );
  return [failures, wrong];
}

/**
 * Writes the values of a column in one unit.
 * @param {Figure[]} columns @param {TableRow[]} rows changed in place
 */
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
 * @returns {ServersTable} without rows for a search, whose legs are probes
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
    const known = cells.filter(({ median, moreThan }) => (median ?? moreThan) !== undefined);
    const [why] = known.every(({ mark }) => mark?.code === 'not-compared') ? known : [];
    const cell = rankedCell(ranking, i, axis, (id) => figureIn(byCase.get(id) ?? NONE, figure)?.values ?? []);
    return [
      { key: figure.compared.key, figure, i, axis, ...(why?.mark ? { notRanked: whyText(why.mark) } : {}), cell },
    ];
  });
  const asColumn = (/** @type {Figure} */ figure) => ({ key: figure.name, figure });
  const [failures, wrong] = wrongFigures(ran);
  const isRanked = (/** @type {Figure} */ { name }) => ranked.some(({ figure }) => figure.name === name);
  const hasTimes = ranked.some(({ figure }) => figure.group === 'response time');
  const connectColumns = ran.length > 0 && !hasTimes ? [asColumn(CONNECT)] : [];
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
    ...ranked
      .slice(1)
      .flatMap((column) => (hasTail && column.figure.name === 'p99' ? [column, asColumn(TAIL)] : [column])),
    ...connectColumns,
  ];
  /** @param {string} id @param {ShownCase} shown @param {string} label @param {Cell[]} cells @returns {TableRow} */
  const rowOf = (id, shown, label, cells) => {
    const row = { case: id, label, ...connectionsOf(shown, workload) };
    if (!isMeasured(shown.worst)) {
      const why = shown.failure?.text ? `: ${firstLineOf(shown.failure.text)}` : '';
      return { ...row, cells: [], notRun: `did not run${why}` };
    }
    const servedCount = servedOnlySome(shown.worst) === undefined ? undefined : served(shown.worst);
    const part = shown.worst.beforeSteady && coverageOf(shown.worst);
    const cellOf = (/** @type {(typeof columns)[number]} */ { figure, i = -1, cell }) => {
      const tableCell = cell?.(cells[i], id) ?? (figure === RATE ? achievedCell(shown) : plainCell(figure, shown));
      if (tableCell.text === NOT_MEASURED) return tableCell;
      const isOfServed = servedCount !== undefined && figure.group === 'response time';
      const range = [
        ...(tableCell.range === undefined ? [] : [tableCell.range]),
        ...(isOfServed ? [`of the ${count(servedCount)} served`] : []),
        ...(part !== undefined && OF_SPAN.includes(figure.group) ? [`of the ${part}`] : []),
      ].join('; ');
      return range === '' ? tableCell : { ...tableCell, range };
    };
    return { ...row, ...present('served', servedCount), cells: columns.map(cellOf) };
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
  const unranked = [...byCase].filter(([id, { worst }]) => !listed.has(id) && !isAtRate(worst));
  const unlisted = unranked.map(([id, shown]) => rowOf(id, shown, shown.label, []));
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
