/**
 * Runs in the page. Converts the chart model of a chart into tables of its values.
 */
import { count, NOT_MEASURED } from '../../client/words/format.js';
import { FORMATS } from './scales.js';
import { STATUSES } from './tooltip.js';

/** @import { ChartLeg, Dataset, ModelChart, Panel, Point, Unit } from './types.js' */

/**
 * @typedef {{ head: string, unit: Unit | null }} Column  unit: of an axis; null for texts
 * @typedef {number | string | null | undefined} Cell  null: not measured; undefined: no point
 * @typedef {Pick<Panel, 'leg' | 'limits' | 'datasets'>} Shown  a panel with all or some of its datasets
 * @typedef {{ caption: string, columns: Column[], rows: Cell[][], rowHeads: number }} ChartTable
 *   rowHeads: number of columns that are the head of a row
 */

/** Heads of x columns by unit, for charts without a title of the axis. @type {Partial<Record<Unit, string>>} */
const X_HEADS = { s: 'Time', percentile: 'Percentile', connections: 'Connections', payload: 'Message size' };
/** Heads of y columns by unit, for tables whose rows are points of lines. @type {Partial<Record<Unit, string>>} */
const Y_HEADS = { duration: 'Duration', rate: 'Per second', share: 'Share', bytes: 'Bytes', cores: 'Cores' };
/** Lines share rows if their places together are at most this many times those of the longest line. */
const MAX_SPARSE = 1.25;

/** @param {Dataset} dataset @returns {boolean} whether its points are single transfers, which have a separate table */
const hasTransfers = ({ role }) => ['cloud', 'failed'].includes(role);

/**
 * @param {{ role: string, cause?: string }} line dataset, or entry of a legend
 * @returns {string} the same for the corresponding lines of all legs
 */
const kindOf = ({ role, cause }) => `${role} ${cause ?? ''}`;

/** @param {Point} point @returns {boolean} whether the point only breaks the line */
const isBreak = ([, y, n]) => y === null && n === 0;

/** @param {ModelChart} chart @returns {Column} */
const xColumn = ({ x }) => ({ head: x.title ?? X_HEADS[x.unit] ?? 'Value', unit: x.unit });

/** @param {ModelChart} chart @returns {Column} */
const yColumn = ({ y }) => ({ head: y.title ?? Y_HEADS[y.unit] ?? 'Value', unit: y.unit });

/**
 * @param {Pick<Dataset, 'label' | 'intervals'>} dataset
 * @param {Unit | null} unit
 * @returns {Column[]} columns of the value and of its interval
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

/** @param {Dataset} dataset @param {number} at @returns {Cell[]} for the columns of columnsOf() */
const cellsOf = ({ points, intervals }, at) => [
  points[at][1],
  ...(intervals ? [intervals[at]?.[0] ?? null, intervals[at]?.[1] ?? null] : []),
];

/** @param {Dataset} dataset @returns {boolean} whether it has one value at each place, unlike a line with steps */
const isFunction = ({ points }) => new Set(points.map(([x]) => x)).size === points.length;

/** @param {Dataset[]} datasets @returns {number[]} every place with a point, ascending */
const placesIn = (datasets) =>
  [...new Set(datasets.flatMap(({ points }) => points.filter((point) => !isBreak(point)).map(([x]) => x)))].sort(
    (a, b) => a - b,
  );

/** @param {Dataset[]} datasets @returns {Cell[][]} a row for each place: the place, then the cells of each dataset */
function joined(datasets) {
  const byPlace = datasets.map(({ points }) => new Map(points.map(([x], at) => [x, at])));
  return placesIn(datasets).map((x) => [
    x,
    ...datasets.flatMap((dataset, i) => {
      const at = byPlace[i].get(x);
      return at === undefined ? columnsOf(dataset, null).map(() => undefined) : cellsOf(dataset, at);
    }),
  ]);
}

/** @param {ModelChart} chart @param {Dataset[]} datasets of one panel @returns {ChartTable} */
function overlaid(chart, datasets) {
  const longest = datasets.reduce((length, { points }) => Math.max(length, points.length), 0);
  if (placesIn(datasets).length <= longest * MAX_SPARSE && datasets.every(isFunction)) {
    const columns = datasets.flatMap((dataset) => columnsOf(dataset, chart.y.unit));
    return { caption: chart.title, columns: [xColumn(chart), ...columns], rows: joined(datasets), rowHeads: 1 };
  }
  const { intervals } = datasets.find((dataset) => dataset.intervals) ?? {};
  const value = columnsOf({ label: yColumn(chart).head, intervals }, chart.y.unit);
  const rows = datasets.flatMap((dataset) =>
    dataset.points.flatMap((point, at) => (isBreak(point) ? [] : [[dataset.label, point[0], ...cellsOf(dataset, at)]])),
  );
  return { caption: chart.title, columns: [{ head: 'Line', unit: null }, xColumn(chart), ...value], rows, rowHeads: 2 };
}

/** @param {Shown} panel @param {number} x s @returns {string} the side that was the limit at that time */
const limitAt = ({ limits }, x) => limits?.find(([from, to]) => x > from && x <= to)?.[2] ?? 'none';

/** @param {Shown} panel of one leg @param {Pick<ChartLeg, 'label'>[]} legs @returns {string} */
const labelOf = ({ leg }, legs) => legs[leg ?? 0].label;

/** @param {ModelChart} chart @param {Shown[]} shown @param {Pick<ChartLeg, 'label'>[]} legs @returns {ChartTable} */
function byLeg(chart, shown, legs) {
  const place = (/** @type {Dataset} */ dataset) =>
    chart.legend.findIndex((entry) => kindOf(entry) === kindOf(dataset));
  /** @type {Map<string, Dataset>} a dataset of each kind */
  const kinds = new Map();
  for (const { datasets } of shown)
    for (const dataset of datasets) if (!kinds.has(kindOf(dataset))) kinds.set(kindOf(dataset), dataset);
  const lines = [...kinds.values()].sort((a, b) => place(a) - place(b));
  const hasLimits = shown.some(({ limits }) => limits);
  const rows = shown.flatMap((panel) => {
    const datasets = lines.map(
      (line) =>
        panel.datasets.find((dataset) => kindOf(dataset) === kindOf(line)) ?? {
          ...line,
          points: [],
          intervals: undefined,
        },
    );
    return joined(datasets).map(([x, ...cells]) => [
      labelOf(panel, legs),
      x,
      ...cells,
      ...(hasLimits ? [limitAt(panel, Number(x))] : []),
    ]);
  });
  const columns = [
    { head: 'Server', unit: null },
    xColumn(chart),
    ...lines.flatMap((line) => columnsOf(line, chart.y.unit)),
    ...(hasLimits ? [{ head: 'limit', unit: null }] : []),
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
 * @returns {ChartTable} a row for each cell that is not empty
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
          counts.flatMap((inCell, i) =>
            inCell === 0
              ? []
              : [[leg, x, kind, edge(first + i), edge(first + i + 1), inCell, Number((inCell / n).toPrecision(6))]],
          );
        return [...ofKind(label, heat.columns[at]), ...ofKind('failed or unfinished', heat.failed[at])];
      }),
    );
    return cells.sort((a, b) => Number(a[1]) - Number(b[1]));
  });
  /** @type {Column[]} */
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

/** @param {ChartTable} table @returns {ChartTable} the table without its first column, the server */
const withoutServer = ({ columns, rows, rowHeads, ...table }) => ({
  ...table,
  ...{ columns: columns.slice(1), rows: rows.map((cells) => cells.slice(1)), rowHeads: rowHeads - 1 },
});

/**
 * @param {ModelChart} chart whose panels have different y axes @param {Pick<ChartLeg, 'label'>[]} legs
 * @returns {ChartTable[]} a table for each panel, and one for its cells
 */
const ofPanels = (chart, legs) =>
  chart.panels.flatMap(({ title, y, datasets }) => {
    const panelChart = { ...chart, title: title ?? chart.title, y: y ?? chart.y };
    const cells = datasets.filter(({ heat }) => heat);
    const lines = datasets.map((dataset) => (dataset.heat ? { ...dataset, label: 'p50' } : dataset));
    const table = overlaid(panelChart, lines);
    return cells.length > 0
      ? [table, withoutServer(ofCells(panelChart, [{ leg: null, datasets: cells }], legs))]
      : [table];
  });

/**
 * @param {ModelChart} chart of the model @param {Pick<ChartLeg, 'label'>[]} legs of the model
 * @returns {ChartTable[]} the chart's table; a second one for single transfers
 */
export function tablesOf(chart, legs) {
  const { panels } = chart;
  if (panels.some(({ y }) => y)) return ofPanels(chart, legs);
  if (panels.length === 1 && panels[0].leg === null) return [overlaid(chart, panels[0].datasets)];
  const panelsWith = (/** @type {(dataset: Dataset) => boolean} */ isWanted) =>
    panels.map(({ datasets, ...panel }) => ({ ...panel, datasets: datasets.filter(isWanted) }));
  const transfers = ofTransfers(chart, panelsWith(hasTransfers), legs);
  const tables = panels.some(({ datasets }) => datasets.some(({ heat }) => heat))
    ? [ofCells(chart, panels, legs)]
    : [
        byLeg(
          chart,
          panelsWith((dataset) => !hasTransfers(dataset)),
          legs,
        ),
        ...(transfers.rows.length > 0 ? [transfers] : []),
      ];
  return panels.length > 1 ? tables : tables.map(withoutServer);
}

/** @param {Cell} cell @param {Column} column @returns {string} as in the chart's tooltip */
export function cellText(cell, { unit }) {
  if (cell === undefined) return '';
  if (cell === null) return NOT_MEASURED;
  if (typeof cell === 'string') return cell;
  return unit === 'count' || unit === 'connections' ? count(cell) : unit === null ? String(cell) : FORMATS[unit](cell);
}
