/**
 * Runs in the page. The values of a chart as tables, from the model that the chart is drawn from. Pure.
 */
import { count, NOT_MEASURED } from '../../client/words/format.js';
import { FORMATS } from './scales.js';
import { STATUSES } from './tooltip.js';

/** @import { ChartLeg, Dataset, ModelChart, Panel, Point } from './types.js' */

/**
 * @typedef {{ head: string, unit: string | null }} Column  unit: of an axis; null: texts
 * @typedef {number | string | null | undefined} Cell  null: not measured; undefined: there is no such point
 * @typedef {Pick<Panel, 'leg' | 'limits' | 'datasets'>} Shown  a panel, or some of its datasets
 * @typedef {{ caption: string, columns: Column[], rows: Cell[][], rowHeads: number }} ChartTable
 *   rowHeads: how many of the first columns say what a row is
 */

/** What a column of the x axis holds, where the chart does not say it. @type {Record<string, string>} */
const X_HEADS = { s: 'Time', percentile: 'Percentile', connections: 'Connections', payload: 'Message size' };
/** Likewise of y, where lines are rows. @type {Record<string, string>} */
const Y_HEADS = { duration: 'Duration', rate: 'Per second', share: 'Share', bytes: 'Bytes', cores: 'Cores' };
/** Lines share rows if all of them together have at most this many times the places of the longest line. */
const MAX_SPARSE = 1.25;

/** Single transfers are a table of their own. @param {Dataset} dataset @returns {boolean} */
const isOfTransfers = ({ role }) => ['cloud', 'failed'].includes(role);

/**
 * @param {{ role: string, cause?: string }} one dataset, or entry of a legend
 * @returns {string} the same for a line of each leg
 */
const kindOf = ({ role, cause }) => `${role} ${cause ?? ''}`;

/** A line that is broken on purpose has a point there that counts nothing. @param {Point} point @returns {boolean} */
const isBreak = ([, y, n]) => y === null && n === 0;

/** @param {ModelChart} chart @returns {Column} */
const xColumn = ({ x }) => ({ head: x.title ?? X_HEADS[x.unit] ?? 'Value', unit: x.unit });

/** @param {ModelChart} chart @returns {Column} */
const yColumn = ({ y }) => ({ head: y.title ?? Y_HEADS[y.unit] ?? 'Value', unit: y.unit });

/**
 * @param {Pick<Dataset, 'label' | 'intervals'>} dataset
 * @param {string} unit
 * @returns {Column[]} its value, and the interval of it
 */
const columnsOf = ({ label, intervals }, unit) => [
  { head: label, unit },
  ...(intervals
    ? [
        { head: `${label}, 95 % interval from`, unit },
        { head: `${label}, 95 % interval to`, unit },
      ]
    : []),
];

/** @param {Dataset} dataset @param {number} at @returns {Cell[]} as columnsOf() has them */
const cellsOf = ({ points, intervals }, at) => [
  points[at][1],
  ...(intervals ? [intervals[at]?.[0] ?? null, intervals[at]?.[1] ?? null] : []),
];

/** @param {Dataset} dataset @returns {boolean} whether it has one value at each place: not so a line with steps */
const isFunction = ({ points }) => new Set(points.map(([x]) => x)).size === points.length;

/** @param {Dataset[]} datasets @returns {number[]} every place with a point, rising */
const placesIn = (datasets) =>
  [...new Set(datasets.flatMap(({ points }) => points.filter((one) => !isBreak(one)).map(([x]) => x)))].sort(
    (a, b) => a - b,
  );

/** @param {Dataset[]} datasets @returns {Cell[][]} a row for each place: the place, then the cells of each dataset */
function joined(datasets) {
  const byPlace = datasets.map(({ points }) => new Map(points.map(([x], at) => [x, at])));
  return placesIn(datasets).map((x) => [
    x,
    ...datasets.flatMap((dataset, i) => {
      const at = byPlace[i].get(x);
      return at === undefined ? columnsOf(dataset, '').map(() => undefined) : cellsOf(dataset, at);
    }),
  ]);
}

/** @param {ModelChart} chart @param {Dataset[]} datasets of one panel @returns {ChartTable} */
function overlaid(chart, datasets) {
  const longest = datasets.reduce((most, { points }) => Math.max(most, points.length), 0);
  if (placesIn(datasets).length <= longest * MAX_SPARSE && datasets.every(isFunction)) {
    const columns = datasets.flatMap((dataset) => columnsOf(dataset, chart.y.unit));
    return { caption: chart.title, columns: [xColumn(chart), ...columns], rows: joined(datasets), rowHeads: 1 };
  }
  const { intervals } = datasets.find((one) => one.intervals) ?? {};
  const value = columnsOf({ label: yColumn(chart).head, intervals }, chart.y.unit);
  const rows = datasets.flatMap((dataset) =>
    dataset.points.flatMap((point, at) => (isBreak(point) ? [] : [[dataset.label, point[0], ...cellsOf(dataset, at)]])),
  );
  return { caption: chart.title, columns: [{ head: 'Line', unit: null }, xColumn(chart), ...value], rows, rowHeads: 2 };
}

/** @param {Shown} panel @param {number} x a place, s @returns {string} the side that was the limit there */
const limitAt = ({ limits }, x) => limits?.find(([from, to]) => x > from && x <= to)?.[2] ?? 'none';

/** @param {Shown} panel of one leg @param {Pick<ChartLeg, 'label'>[]} legs @returns {string} */
const labelOf = ({ leg }, legs) => legs[leg ?? 0].label;

/** @param {ModelChart} chart @param {Shown[]} shown @param {Pick<ChartLeg, 'label'>[]} legs @returns {ChartTable} */
function byLeg(chart, shown, legs) {
  const place = (/** @type {Dataset} */ one) => chart.legend.findIndex((entry) => kindOf(entry) === kindOf(one));
  /** @type {Map<string, Dataset>} a dataset of each kind */
  const kinds = new Map();
  for (const { datasets } of shown)
    for (const one of datasets) if (!kinds.has(kindOf(one))) kinds.set(kindOf(one), one);
  const lines = [...kinds.values()].sort((a, b) => place(a) - place(b));
  const limited = shown.some(({ limits }) => limits);
  const rows = shown.flatMap((panel) => {
    const own = lines.map(
      (line) =>
        panel.datasets.find((one) => kindOf(one) === kindOf(line)) ?? { ...line, points: [], intervals: undefined },
    );
    return joined(own).map(([x, ...cells]) => [
      labelOf(panel, legs),
      x,
      ...cells,
      ...(limited ? [limitAt(panel, Number(x))] : []),
    ]);
  });
  const columns = [
    { head: 'Server', unit: null },
    xColumn(chart),
    ...lines.flatMap((line) => columnsOf(line, chart.y.unit)),
    ...(limited ? [{ head: 'limit', unit: null }] : []),
  ];
  return { caption: chart.title, columns, rows, rowHeads: 2 };
}

/** @param {ModelChart} chart @param {Shown[]} shown @param {Pick<ChartLeg, 'label'>[]} legs @returns {ChartTable} */
function ofTransfers(chart, shown, legs) {
  const rows = shown.flatMap((panel) =>
    panel.datasets
      .flatMap(({ points }) => points)
      .sort((a, b) => a[0] - b[0])
      .map(([x, y, connection, status]) => [
        labelOf(panel, legs),
        x,
        y,
        connection,
        STATUSES[Number(status)] ?? String(status),
      ]),
  );
  const columns = [
    { head: 'Server', unit: null },
    { head: 'Ended at', unit: chart.x.unit },
    { head: 'Response time', unit: chart.y.unit },
    { head: 'Connection', unit: null },
    { head: 'Status', unit: null },
  ];
  return { caption: `${chart.title}: single transfers`, columns, rows, rowHeads: 2 };
}

/**
 * @param {ModelChart} chart a heat map
 * @param {Shown[]} shown
 * @param {Pick<ChartLeg, 'label'>[]} legs
 * @returns {ChartTable} a row for each cell with any transfers
 */
function ofCells(chart, shown, legs) {
  const rows = shown.flatMap((panel) => {
    const leg = labelOf(panel, legs);
    /** @type {Cell[][]} */
    const cells = panel.datasets.flatMap(({ heat, label, points }) =>
      points.flatMap(([x, , n = 0], at) => {
        if (!heat) return [[leg, x, label, undefined, undefined, n, undefined]];
        const edge = (/** @type {number} */ row) => Math.round(2 ** (row / heat.perDoubling));
        const ofKind = (/** @type {string} */ kind, /** @type {number[]} */ [first = 0, ...counts]) =>
          counts.flatMap((counted, i) =>
            counted === 0
              ? []
              : [[leg, x, kind, edge(first + i), edge(first + i + 1), counted, Number((counted / n).toPrecision(6))]],
          );
        return [...ofKind(label, heat.columns[at]), ...ofKind('failed or unfinished', heat.failed[at])];
      }),
    );
    return cells.sort((a, b) => Number(a[1]) - Number(b[1]));
  });
  const columns = [
    { head: 'Server', unit: null },
    xColumn(chart),
    { head: 'Outcome', unit: null },
    { head: 'From', unit: chart.y.unit },
    { head: 'To', unit: chart.y.unit },
    { head: 'Transfers', unit: 'count' },
    { head: 'Share', unit: 'share' },
  ];
  return { caption: chart.title, columns, rows, rowHeads: 2 };
}

/** @param {ChartTable} table @returns {ChartTable} without its first column, the server */
const ofOne = ({ columns, rows, rowHeads, ...table }) => ({
  ...table,
  ...{ columns: columns.slice(1), rows: rows.map((cells) => cells.slice(1)), rowHeads: rowHeads - 1 },
});

/**
 * @param {ModelChart} chart whose panels have y axes of their own @param {Pick<ChartLeg, 'label'>[]} legs
 * @returns {ChartTable[]} of each panel, and of its cells
 */
const ofPanels = (chart, legs) =>
  chart.panels.flatMap(({ title, y, datasets }) => {
    const own = { ...chart, title: title ?? chart.title, y: y ?? chart.y };
    const cells = datasets.filter(({ heat }) => heat);
    const lines = datasets.map((one) => (one.heat ? { ...one, label: 'p50' } : one));
    const table = overlaid(own, lines);
    return cells.length > 0 ? [table, ofOne(ofCells(own, [{ leg: null, datasets: cells }], legs))] : [table];
  });

/**
 * @param {ModelChart} chart of the model @param {Pick<ChartLeg, 'label'>[]} legs of the model
 * @returns {ChartTable[]} of single transfers a second one
 */
export function tablesOf(chart, legs) {
  const { panels } = chart;
  if (panels.some(({ y }) => y)) return ofPanels(chart, legs);
  if (panels.length === 1 && panels[0].leg === null) return [overlaid(chart, panels[0].datasets)];
  const only = (/** @type {(one: Dataset) => boolean} */ wanted) =>
    panels.map(({ datasets, ...panel }) => ({ ...panel, datasets: datasets.filter(wanted) }));
  const transfers = ofTransfers(chart, only(isOfTransfers), legs);
  const tables = panels.some(({ datasets }) => datasets.some(({ heat }) => heat))
    ? [ofCells(chart, panels, legs)]
    : [
        byLeg(
          chart,
          only((one) => !isOfTransfers(one)),
          legs,
        ),
        ...(transfers.rows.length > 0 ? [transfers] : []),
      ];
  return panels.length > 1 ? tables : tables.map(ofOne);
}

/** @param {Cell} cell @param {Column} column @returns {string} as the chart's tooltip writes it */
export function cellText(cell, { unit }) {
  if (cell === undefined) return '';
  if (cell === null) return NOT_MEASURED;
  if (typeof cell === 'string') return cell;
  return unit === 'count' || unit === 'connections' ? count(cell) : (FORMATS[unit ?? ''] ?? String)(cell);
}
