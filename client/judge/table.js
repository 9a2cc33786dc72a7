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
import { accountEntries, shownEntries } from '../words/account.js';
import { firstLineOf } from '../words/endings.js';
import { servedOnlySome } from '../words/figures.js';
import { count, counted, NOT_MEASURED, rate } from '../words/format.js';
import { achievedRate, RATE } from './achieved-rate.js';
import { caseOf } from './cases.js';
import { haveBadReplies, isAtRate } from './comparisons.js';
import { isTold, markOf } from './figure-values.js';
import { failuresOf, figureOf, figures, served, SHORT_TABLE } from './figures.js';
import { markText, rangeText, serversExplained, shortMark, shownMark, startsText, valueText } from './mark-texts.js';
import { hasSeveral, rankingTable } from './ranking-table.js';
import { cellOf, shownCases, valueOf } from './value-of.js';

/**
 * @import { LegSummary, Mark, RunSummary } from '../../config/types.js'
 * @import { Entry } from '../words/account.js'
 * @import { Figure } from './figures.js'
 * @import { Cell, RankingTable } from './ranking-table.js'
 * @import { ShownCase } from './value-of.js'
 */

/**
 * @typedef {object} TableCell
 * @property {string} text
 * @property {string} [range]  of its 95 % interval
 * @property {Mark} [mark]  absent where nothing is compared
 * @property {string} [said]  the mark in words; absent of a run with fewer than three rounds
 * @property {string} [short]  the same in a narrow column
 * @property {boolean} isBad
 * @property {number} [share]  of the greatest value of its column, where that is a rate
 *
 * @typedef {object} TableRow
 * @property {string} case
 * @property {string} label  of the server; of a sweep the point is the group's
 * @property {number} requested  connections
 * @property {Entry[]} account  empty where it is not known
 * @property {string} connections  what became of them, in words
 * @property {string} [failures]  such as "298 rejects, 843 errors"
 * @property {boolean} isShort  some connections were not served, or failed
 * @property {TableCell[]} cells  one of each column; empty where it did not run
 * @property {string} [notRun]  why it did not run
 *
 * @typedef {{ key: string, title: string, figure: Figure, isCompared: boolean }} TableColumn  key: of a compared
 *   figure, otherwise the figure's name
 * @typedef {{ columns: TableColumn[], groups: { at: string | undefined, rows: TableRow[] }[], ranking: RankingTable,
 *   notes: string[] }} ServersTable groups: points of a sweep; notes: what a reader must know of its marks
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
    return number > 0 ? [counted(number, one)] : [];
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

/**
 * @param {RankingTable} ranking @param {number} i of a figure of it @param {number} most of its column
 * @returns {(cell: Cell | undefined) => TableCell}
 */
const rankedCell =
  (ranking, i, most) =>
  (cell = {}) => {
    const figure = ranking.figures[i];
    const { mark, median = 0, moreThan } = cell;
    const range = rangeText(figure, cell);
    return {
      text: valueText(figure, cell),
      ...(range === undefined ? {} : { range }),
      ...(mark === undefined ? {} : { mark }),
      ...(shownMark(ranking, mark) ? { said: markText(mark), short: shortMark(mark) } : {}),
      isBad: moreThan !== undefined,
      ...(figure.unit === 'rate' && most > 0 ? { share: median / most } : {}),
    };
  };

/** @param {Figure} figure @param {ShownCase} shown @returns {TableCell} of one that is not compared */
function plainCell(figure, shown) {
  const { text, mark } = cellOf(figure, shown);
  return { text, isBad: mark !== undefined };
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
    const values = ranking.points.flatMap(({ rows }) => rows.map(({ cells }) => cells[i].median ?? 0));
    return [{ key: figure.compared.key, figure, i, cell: rankedCell(ranking, i, Math.max(0, ...values)) }];
  });
  const asColumn = (/** @type {Figure} */ figure) => ({ key: figure.name, figure });
  const [failures, wrong] = wrongFigures(ran);
  const isRanked = (/** @type {Figure} */ { name }) => ranked.some(({ figure }) => figure.name === name);
  const hasTimes = ranked.some(({ figure }) => figure.group === 'response time');
  const others = ran.length > 0 && !hasTimes ? [asColumn(CONNECT)] : [];
  const hasTail = ran.length === 1 && !isRanked(TAIL) && valueOf(TAIL, ran[0]).value !== undefined;
  const isOpenLoop = ran.some((shown) => achievedRate(shown) !== undefined);
  /** @type {{ key: string, figure: Figure, i?: number, cell?: ReturnType<typeof rankedCell> }[]} */
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
      const own = cell?.(cells[i]) ?? (figure === RATE ? achievedCell(shown) : plainCell(figure, shown));
      if (own.text === NOT_MEASURED) return own;
      const isOfSome = some !== undefined && figure.group === 'response time';
      const range = [
        ...(own.range === undefined ? [] : [own.range]),
        ...(isOfSome ? [`of the ${count(some)} served`] : []),
        ...(part !== undefined && OF_SPAN.includes(figure.group) ? [`of the ${part}`] : []),
      ].join('; ');
      return range === '' ? own : { ...own, range };
    };
    return { ...row, cells: columns.map(cellOf) };
  };
  const points = ranking.points.map(({ at, rows }) => ({
    at,
    rows: rows.flatMap(({ case: id, label, cells }) => {
      const shown = byCase.get(id);
      return shown ? [rowOf(id, shown, label, cells)] : [];
    }),
  }));
  const listed = new Set(points.flatMap(({ rows }) => rows.map((row) => row.case)));
  const rest = [...byCase].filter(([id, { worst }]) => !listed.has(id) && !isAtRate(worst));
  const unlisted = rest.map(([id, shown]) => rowOf(id, shown, shown.label, []));
  const isMarked = points.some(({ rows }) => rows.some(({ cells }) => cells.some(({ said }) => said !== undefined)));
  return {
    columns: columns.map(({ key, figure, cell }) => ({
      key,
      title: titleOf(figure),
      figure,
      isCompared: cell !== undefined,
    })),
    groups: [...points, ...(unlisted.length > 0 ? [{ at: undefined, rows: unlisted }] : [])],
    ranking,
    notes: hasSeveral(ranking) ? [isMarked ? serversExplained(ranking) : [], startsText(ranking) ?? []].flat() : [],
  };
}
