/**
 * The table of servers: a row for each, the best first, with the states of its connections, and a column for each
 * figure. A column draws values, 95 % intervals, and the values of blocks or rounds, on a common axis.
 */
import { hasSeveral } from '../../../client/judge/ranking-table.js';
import { tableOf } from '../../../client/judge/table.js';
import { cellText } from '../../../client/judge/figure-values.js';
import { coverageOf } from '../../../client/measure/leg-figures.js';
import { present } from '../../../client/measure/sums.js';
import { endingText, isInterrupted } from '../../../client/words/endings.js';
import { count } from '../../../client/words/format.js';
import { html } from '../html.js';
import { areMany, bySpeed } from '../../model/leg-order.js';
import { silhouettesOf } from '../../model/silhouettes.js';
import { gridOf, lane, laneOf, shareText, tickLine, WIDTH, within } from './lane.js';
import { legClass } from './leg-name.js';

/**
 * @import { Figure } from '../../../client/judge/figures.js'
 * @import { TableCell, TableColumn, TableRow } from '../../../client/judge/table.js'
 * @import { PageLeg, Run } from '../../types.js'
 * @import { Silhouette } from '../../model/silhouettes.js'
 * @import { Fragment } from '../html.js'
 */

/**
 * @typedef {{ f: PageLeg, row: TableRow | undefined }} Line  row: undefined for a leg that never began
 * @typedef {{ name?: string, isApart?: boolean, bands: Record<string, [number, number]>, lines: Line[] }} Group
 *   isApart: the group's servers are not compared with those above; bands: values as good as the best, by column
 */

/** More rows are low, to fit on a screen: they have no values of blocks. */
const MAX_TALL = 8;
/** Explains bands and dots. */
const DRAWN = 'Band: as good as the best. A hollow dot: no difference from the best is known.';
/** Heights of a lane. */
const HEIGHTS = { tall: 40, low: 24 };

/**
 * @param {Silhouette | undefined} silhouette @param {{ at: number }[]} ticks @param {boolean} isTall
 * @returns {Fragment} the distribution of response times, with p50 and p99
 */
function silhouetteLane(silhouette, ticks, isTall) {
  const height = HEIGHTS[isTall ? 'tall' : 'low'];
  const { heights = [], marks = [] } = silhouette ?? {};
  const step = WIDTH / heights.length;
  const outline = heights.map(
    (share, i) => `V${(height * (1 - 0.92 * share)).toFixed(1)}H${((i + 1) * step).toFixed(1)}`,
  );
  return laneOf(
    height,
    html`<path class="grid" d="${gridOf(ticks, height)}"/>${
      heights.length > 0 ? html`<path class="silhouette" d="M0 ${height}${outline.join('')}V${height}Z"/>` : null
    }<path class="marks" d="${marks.map((share) => `M${shareText(within(share))} 0V${height}`).join('')}"/>`,
  );
}

/**
 * @param {TableRow} row @param {boolean} isTall
 * @returns {Fragment} the states of the requested connections; a bar if they differ
 */
function connectionsCell({ requested, account, connections, failures, isShort, served }, isTall) {
  const bar =
    account.length > 1
      ? html`<span class="account" aria-hidden="true">${account.map(
          ({ part, value }) =>
            html`<i class="part-${part}" style="width:${((100 * value) / Math.max(1, requested)).toFixed(2)}%"></i>`,
        )}</span>`
      : null;
  const text = [connections, ...(failures ? [failures] : [])].join(' · ');
  const others = account.filter(({ part }) => part !== 'served').map(({ name, value }) => `${count(value)} ${name}`);
  const othersText = [others.join(', '), ...(failures ? [failures] : [])].filter(Boolean).join(' · ');
  const isAll = account.length === 1 && account[0].part === 'served' && !failures;
  const short = isAll
    ? `all ${count(requested)}`
    : served === undefined
      ? undefined
      : `${count(served)} of ${count(requested)}`;
  const content =
    short === undefined
      ? html`<span>${text}</span>`
      : isAll || !isTall
        ? html`<b>${short}</b>`
        : html`<b>${short}</b><small>${othersText}</small>`;
  return html`<td class="connections${isShort ? ' bad' : ''}" data-name="connections" data-value="${served ?? requested}"${
    short === undefined || isAll || isTall ? null : html` title="${text}"`
  }>${bar}${content}</td>`;
}

/** @param {TableColumn} column @returns {boolean} */
const hasLane = ({ ticks, notRanked }) => ticks !== undefined && notRanked === undefined;

/** Columns with a lane, and columns without, that a narrow screen shows. */
const MAX_NARROW = 2;

/**
 * @param {TableColumn[]} columns
 * @returns {string[]} classes of each column; a narrow screen hides extra ones
 */
function classesOf(columns) {
  const places = { true: 0, false: 0 };
  return columns.map((column) => {
    const place = (places[`${hasLane(column)}`] += 1);
    const isExtra = column.notRanked !== undefined || place > MAX_NARROW;
    return `${isExtra ? 'extra' : 'main'}${column.notRanked === undefined ? '' : ' not-ranked'}`;
  });
}

/**
 * @param {TableCell} cell @param {TableColumn} column
 * @param {{ band?: [number, number], isTall: boolean, areMarked: boolean, width: string, name: string }} how  name: a
 *   class
 * @returns {Fragment}
 */
function figureCell({ text, range, mark, said, short = '', bounds = '', isBad, drawn, value }, column, how) {
  const about = [range, said].filter(Boolean).join('; ');
  const marked = how.areMarked && column.isCompared ? (how.isTall ? bounds : short) : '';
  return html`<td class="${how.name}${isBad ? ' bad' : ''}" data-figure="${column.key}" data-name="${column.title}"${
    value === undefined ? null : html` data-value="${value}"`
  }${mark ? html` data-mark="${mark.code}"` : null}${about === '' ? null : html` title="${about}"`}><div${hasLane(column) ? html` class="drawn" style="--w:${how.width}"` : null}>${
    hasLane(column)
      ? lane(drawn, { ticks: column.ticks ?? [], band: how.band, height: HEIGHTS[how.isTall ? 'tall' : 'low'] })
      : null
  }<span><b>${text}</b>${marked === '' ? null : html`<small>${marked}</small>`}</span></div></td>`;
}

/**
 * @param {Line} line @param {TableColumn[]} columns
 * @param {How & { bands: Group['bands'] }} how
 * @returns {Fragment}
 */
function rowOf({ f, row }, columns, { bands, isTall, areMarked, isRunning, widths, classes, times }) {
  const isOpen = f.shown.endedBy === 'running';
  const phase = f.summary.beforeSteady ? `: ${coverageOf(f.summary)}` : '';
  // With many servers side by side, all are in progress: the tag would be on every row.
  const hasTag = isTall || !isOpen || phase !== '';
  // The headline tells that the run was interrupted.
  const isWhole = f.shown.complete || isInterrupted(f.shown.endedBy);
  const state = isOpen ? `${endingText('running')}${phase}` : isWhole ? '' : 'incomplete';
  const tag = hasTag ? state : '';
  const head = html`<th scope="row" class="leg ${legClass(f.colour)}"><i class="chip"></i>${row?.label ?? f.label}${f.ran && tag !== '' ? html` <span class="tag${isOpen ? ' running' : ''}">${tag}</span>` : null}</th>`;
  const span = columns.length + (times === undefined ? 1 : 2);
  if (row === undefined && isRunning)
    return html`<tr class="${legClass(f.colour)}" data-leg="${f.label}">${head}<td class="connections" colspan="${span}" data-code="not-started">${endingText('never')}</td></tr>`;
  if (row === undefined || row.notRun !== undefined)
    return html`<tr class="${legClass(f.colour)}" data-leg="${f.label}">${head}<td class="connections bad" colspan="${span}" data-code="did-not-run">${row?.notRun ?? 'did not run'}</td></tr>`;
  const cells = withTimes(
    times,
    row.cells.map((cell, i) =>
      figureCell(cell, columns[i], {
        ...{ band: bands[columns[i].key], isTall, areMarked, width: widths[i], name: classes[i] },
      }),
    ),
    ({ silhouettes }) =>
      html`<td class="times not-ranked" data-name="response time">${silhouetteLane(silhouettes.of.get(f), silhouettes.ticks, isTall)}</td>`,
  );
  return html`<tr class="${legClass(f.colour)}" data-leg="${f.label}">${head}${connectionsCell(row, isTall)}${cells}</tr>`;
}

/**
 * @typedef {{ before: number, silhouettes: NonNullable<ReturnType<typeof silhouettesOf>> }} Times  the column of
 *   silhouettes; before: index of the figure that follows it
 * @typedef {{ isTall: boolean, areMarked: boolean, isRunning: boolean, widths: string[], classes: string[], times?:
 *   Times }} How  widths, classes: of each column's text, and of each column
 *
 * @param {Times | undefined} times @param {Fragment[]} cells one for each figure
 * @param {(times: Times) => Fragment} cell
 * @returns {Fragment[]} the cells, with the one of the silhouettes inserted
 */
const withTimes = (times, cells, cell) => (times ? cells.toSpliced(times.before, 0, cell(times)) : cells);

/** Width of all columns with a lane together, %. */
const LANES = 66;

/** @param {TableColumn[]} columns @param {How} how @returns {Fragment[]} */
function headsOf(columns, { classes, times }) {
  const lanes = columns.filter(hasLane).length + (times === undefined ? 0 : 0.6);
  const widthOf = (/** @type {number} */ share) => `--width:${((LANES * share) / lanes).toFixed(0)}%`;
  const heads = columns.map((column, i) => {
    const { title, notRanked, figure } = column;
    const showsReason = notRanked !== undefined && (times === undefined || figure.group !== 'response time');
    return html`<th scope="col" class="${classes[i]}"${hasLane(column) ? html` style="${widthOf(1)}"` : null}><button type="button">${title}</button>${
      showsReason ? html`<small>not ranked: ${notRanked}</small>` : null
    }</th>`;
  });
  return withTimes(
    times,
    heads,
    ({ before }) =>
      html`<th scope="col" class="times not-ranked" style="${widthOf(0.6)}">response time<small>not ranked: ${columns[before].notRanked}; lines: p50, p99</small></th>`,
  );
}

/** @param {{ at: number, value: number }[]} ticks @param {Pick<Figure, 'unit'>} figure @returns {Fragment} */
const ticksOf = (ticks, figure) => tickLine(ticks.map(({ at, value }) => ({ at, text: cellText(figure, value) })));

/**
 * @param {TableColumn[]} columns @param {How} how
 * @returns {Fragment | null} values along the axes; null without axes
 */
function axes(columns, { widths, classes, times }) {
  const cells = columns.map((column, i) =>
    hasLane(column)
      ? html`<td class="${classes[i]}"><div class="drawn" style="--w:${widths[i]}">${ticksOf(column.ticks ?? [], column.figure)}</div></td>`
      : html`<td class="${classes[i]}"></td>`,
  );
  if (!columns.some(hasLane)) return null;
  const allCells = withTimes(
    times,
    cells,
    ({ silhouettes }) => html`<td class="times">${ticksOf(silhouettes.ticks, { unit: 'duration' })}</td>`,
  );
  return html`<tfoot aria-hidden="true"><tr><td colspan="2"></td>${allCells}</tr></tfoot>`;
}

/** @param {Line} line @returns {boolean} whether the server left some connections unserved */
const servedSome = ({ row }) => row?.served !== undefined;

/** @param {Group} group @returns {Group[]} servers that served only some connections are a group below the others */
function splitByServed(group) {
  const partial = group.lines.filter(servedSome);
  if (partial.length === 0 || partial.length === group.lines.length) return [group];
  return [
    { ...group, lines: group.lines.filter((line) => !servedSome(line)) },
    {
      name: 'served only some of the connections; response times cover only those',
      isApart: true,
      bands: {},
      lines: partial,
    },
  ];
}

/**
 * @param {Run} run @param {PageLeg[]} cases
 * @returns {Fragment | null} null for a search, whose legs are trials
 */
export function servers(run, cases) {
  const { summary } = run;
  if (summary.search) return null;
  const { columns, groups, ranking, notes } = tableOf(summary);
  const byCase = new Map(cases.map((f) => [f.summary.case ?? f.summary.label ?? f.label, f]));
  const shown = groups.map(({ at: name, rows, bands }, i) => {
    const lines = rows.flatMap((row) => {
      const f = byCase.get(row.case);
      return f ? [{ f, row }] : [];
    });
    // A single round is not ranked, but many rows need an order.
    const isRanked = ranking.points[i]?.leadBy !== undefined;
    return { name, bands, lines: !isRanked && areMany(lines) ? lines.sort((a, b) => bySpeed(a.f, b.f)) : lines };
  });
  const listed = shown.flatMap(({ lines }) => lines.map(({ f }) => f));
  const never = cases.filter((f) => !listed.includes(f) && f.summary.comparedAt === undefined);
  /** @type {Group[]} */
  const unbegun = never.length > 0 ? [{ bands: {}, lines: never.map((f) => ({ f, row: undefined })) }] : [];
  const allGroups = [...shown, ...unbegun];
  const lines = allGroups.flatMap((group) => group.lines);
  const isTall = lines.length <= MAX_TALL && groups.length <= 1;
  const areMarked = hasSeveral(ranking) && ranking.rounds > 1;
  const widths = columns.map(({ isCompared }, i) => widthOf(lines, i, { isTall, areMarked: areMarked && isCompared }));
  const before = columns.findIndex(
    ({ notRanked, figure }) => notRanked !== undefined && figure.group === 'response time',
  );
  const silhouettes = before < 0 ? null : silhouettesOf(run, cases);
  const times = silhouettes === null ? undefined : { before, silhouettes };
  /** @type {How} */
  const how = {
    ...{ isTall, areMarked, isRunning: summary.endedBy === 'running', widths, classes: classesOf(columns) },
    ...present('times', times),
  };
  const heads = headsOf(columns, how);
  const areServed = lines.every(({ row }) => row !== undefined && row.notRun === undefined && !row.isShort);
  const body = allGroups
    .flatMap(splitByServed)
    .map(
      ({ name, isApart, bands, lines: groupLines }) =>
        html`<tbody>${name === undefined ? null : html`<tr class="group${isApart ? ' apart' : ''}"><th scope="rowgroup" colspan="${heads.length + 2}">${name}</th></tr>`}${groupLines.map(
          (line) => rowOf(line, columns, { ...how, bands }),
        )}</tbody>`,
    );
  return html`<section id="servers" aria-label="Servers"><div class="scroll" tabindex="0" role="region" aria-label="Table of the servers"><table class="servers sortable ${isTall ? 'tall' : 'low'}${areServed ? ' all-served' : ''}"><thead><tr><th scope="col">server</th><th scope="col" class="connections"><button type="button">connections</button></th>${heads}</tr></thead>${body}${axes(columns, how)}</table></div>${notes.length > 0 ? html`<p class="foot">${[...notes, DRAWN].join(' ')}</p>` : null}</section>`;
}

/** Width of a character of a value, and of the text below or beside it, em. */
const CHARACTER = { value: 0.62, mark: 0.5 };

/**
 * @param {Line[]} lines @param {number} i index of a column @param {{ isTall: boolean, areMarked: boolean }} how
 * @returns {string} width of the column's widest text, so that the lanes of all rows have the same width
 */
function widthOf(lines, i, { isTall, areMarked }) {
  const longest = (/** @type {(cell: TableCell) => string} */ textOf) =>
    Math.max(0, ...lines.map(({ row }) => (row?.cells[i] ? textOf(row.cells[i]).length : 0)));
  const value = CHARACTER.value * longest(({ text }) => text);
  if (!areMarked) return `${value.toFixed(1)}em`;
  const mark = CHARACTER.mark * longest(({ short = '', bounds = '' }) => (isTall ? bounds : short));
  return `${(isTall ? Math.max(value, mark) : value + mark + 0.6).toFixed(1)}em`;
}
