/** Runs in the page. Converts a dataset of the chart model into a chart.js dataset. Its role decides its look. */
import { dashOf, markOf } from '../model/leg-marks.js';
import { COLOURS } from '../model/palette.js';
import { colourAt, fade } from './theme.js';

/**
 * @import { Dataset, DrawnDataset, DrawnPoint, Look, Palette, PointContext, Role } from './types.js'
 */

/**
 * Radius of a point: a point between two gaps has no line, and would be invisible without a dot.
 * @param {PointContext} context
 */
function lonePoint(context) {
  const { data } = context.dataset;
  const known = (/** @type {number} */ i) => data[i] !== undefined && !Number.isNaN(data[i].y);
  return known(context.dataIndex) && !known(context.dataIndex - 1) && !known(context.dataIndex + 1) ? 2.5 : 0;
}

/**
 * @param {Dataset} dataset of the model
 * @returns {DrawnPoint[]} chart.js points; a gap is NaN, because parsing is off
 */
export function pointsOf(dataset) {
  if (dataset.role === 'cloud' || dataset.role === 'failed') {
    return dataset.points.map(([x, y, connection, status]) => ({ x, y: Number(y), connection, status }));
  }
  return dataset.points.map(([x, y, n]) => ({ x, y: y === null ? NaN : y, n }));
}

/** Dashes of kernel events, so that they differ by more than colour. @type {Record<string, number[]>} */
const EVENT_DASHES = { drops: [], syn: [5, 3], again: [2, 2], rst: [9, 3, 2, 3], aborts: [4, 4], memory: [1, 2] };

/** @param {PointContext} context @returns {boolean} whether the leg served only some of its connections */
const isHollow = ({ dataset, dataIndex }) => Boolean(dataset.hollow?.includes(dataIndex));

/** @param {string} colour @returns {Look} an area of a stack */
const partLook = (colour) => ({ backgroundColor: colour, borderWidth: 0, pointRadius: 0, order: 1 });

/** @param {string} colour @param {Dataset} dataset @returns {Look} bars of a stack; with gaps if share is below 1 */
const barLook = (colour, { share = 1 }) => ({
  backgroundColor: colour,
  stack: 'all',
  inflateAmount: 0,
  barThickness: share < 1 ? undefined : 'flex',
  categoryPercentage: share,
  barPercentage: 1,
  order: 1,
});

/** @param {string} colour @param {Dataset} dataset @returns {Look} a state of connections */
const fateLook = (colour, dataset) => (dataset.isStepped ? partLook(colour) : barLook(colour, dataset));

/** @param {string} colour @param {string} fill @returns {Look} a trial of a search */
const trialLook = (colour, fill) => ({
  showLine: false,
  pointRadius: 4,
  pointStyle: 'circle',
  borderColor: colour,
  pointBackgroundColor: () => fill,
  pointBorderWidth: 1.5,
  pointHoverRadius: 6,
  order: 0,
});

/**
 * @type {Record<Role, (colour: string, theme: Palette, dataset: Dataset & { cause: string, mark: number }) => Look>}
 */
const LOOKS = {
  p50: (colour) => ({ borderColor: colour, borderWidth: 2, order: 1 }),
  p90: (colour) => ({
    borderColor: fade(colour, 0.55),
    borderWidth: 0.75,
    fill: '+1',
    backgroundColor: fade(colour, 0.34),
    order: 4,
  }),
  p99: (colour) => ({
    borderColor: fade(colour, 0.55),
    borderWidth: 0.75,
    fill: '+1',
    backgroundColor: fade(colour, 0.2),
    order: 5,
  }),
  max: (colour) => ({
    borderColor: fade(colour, 0.5),
    borderWidth: 0.75,
    fill: '+1',
    backgroundColor: fade(colour, 0.09),
    order: 6,
  }),
  cloud: (_colour, theme) => ({
    showLine: false,
    pointRadius: 1,
    pointStyle: 'circle',
    borderWidth: 0,
    order: 3,
    backgroundColor: fade(theme.ink, 0.3),
    pointBorderWidth: 0,
    pointHoverRadius: 3,
  }),
  // A few crosses must be visible at once; thousands must not become a blot.
  failed: (_colour, theme, dataset) => ({
    showLine: false,
    pointRadius: dataset.points.length > 300 ? 2 : 3,
    pointStyle: 'crossRot',
    borderColor: fade(theme.failed, dataset.points.length > 300 ? 0.6 : 1),
    order: 0,
    pointBorderWidth: dataset.points.length > 300 ? 1 : 1.4,
    pointHoverRadius: 5,
    backgroundColor: theme.failed,
  }),
  // The plugin of heat maps draws the cells; points are for the pointer only.
  heat: (_colour, theme) => ({ showLine: false, pointRadius: 0, borderColor: theme.ink, order: 2 }),
  failures: (_colour, theme) => ({ showLine: false, pointRadius: 0, borderColor: theme.failed, order: 1 }),
  requested: (_colour, theme) => ({ borderColor: theme.muted, borderWidth: 1.25, borderDash: [5, 3], order: 1 }),
  // Below the line of "answered", and wider.
  due: (_colour, theme) => ({ borderColor: fade(theme.muted, 0.35), borderWidth: 7, order: 1000 }),
  answered: (_colour, theme) => ({ borderColor: theme.fates.served, borderWidth: 2, pointRadius: 0, order: 1 }),
  clientCores: (_colour, theme) => partLook(theme.client),
  serverCores: (_colour, theme) => partLook(theme.fates.served),
  otherCores: (_colour, theme) => partLook(fade(theme.machine, 0.55)),
  served: (_colour, theme, dataset) => fateLook(theme.fates.served, dataset),
  idle: (_colour, theme, dataset) => fateLook(theme.fates.idle, dataset),
  unanswered: (_colour, theme, dataset) => fateLook(theme.fates.unanswered, dataset),
  connecting: (_colour, theme, dataset) => fateLook(theme.fates.connecting, dataset),
  lost: (_colour, theme, dataset) => fateLook(theme.fates.lost, dataset),
  closed: (_colour, theme, dataset) => fateLook(theme.fates.closed, dataset),
  // Parts of a response time split by kernel timestamps; the client's parts have its colour.
  whole: (_colour, theme) => ({ borderColor: theme.ink, borderWidth: 2, order: 1 }),
  connectionWait: (_colour, theme) => ({ borderColor: theme.muted, borderWidth: 1.5, borderDash: [1, 3], order: 4 }),
  networkAndServer: (colour) => ({ borderColor: colour, borderWidth: 2, borderDash: [7, 3], order: 2 }),
  receiveDelay: (_colour, theme) => ({ borderColor: theme.client, borderWidth: 2, order: 3 }),
  sendDelay: (_colour, theme) => ({ borderColor: theme.client, borderWidth: 1.5, borderDash: [2, 2], order: 3 }),
  client: (_colour, theme) => ({ borderColor: theme.client, borderWidth: 1.75, order: 1 }),
  server: (colour) => ({ borderColor: colour, borderWidth: 1.75, borderDash: [6, 2], order: 1 }),
  machine: (_colour, theme) => ({
    borderColor: fade(theme.machine, 0.6),
    borderWidth: 0.75,
    fill: 'origin',
    order: 5,
    backgroundColor: fade(theme.machine, 0.2),
  }),
  cause: (_colour, theme, dataset) => ({
    backgroundColor: theme.causes[dataset.cause] ?? theme.causes.other,
    stack: 'all',
    inflateAmount: 0,
    barThickness: 'flex',
    categoryPercentage: 0.92,
    barPercentage: 1,
    order: 1,
  }),
  line: (colour) => ({ borderColor: colour, borderWidth: 1.75, order: 1 }),
  // Next to the main line of the same server.
  thin: (colour, _theme, { mark }) => ({
    borderColor: fade(colour, 0.7),
    backgroundColor: fade(colour, 0.7),
    borderWidth: 1,
    order: 10 + mark,
    borderDash: dashOf(mark),
  }),
  mean: (colour, _theme, { mark }) => ({
    borderColor: colour,
    backgroundColor: colour,
    borderWidth: 1.25,
    order: 10 + mark,
    borderDash: [1, 3],
  }),
  // Trials of a search, and their median.
  trend: (colour) => ({ borderColor: colour, borderWidth: 1, order: 1 }),
  held: (colour) => trialLook(colour, colour),
  missed: (colour, theme) => trialLook(colour, theme.surface),
  // A line with its name at its end.
  curve: (colour, _theme, { mark }) => ({
    borderColor: colour,
    borderWidth: 2,
    // Dashes distinguish lines whose colour is used again.
    borderDash: mark < COLOURS ? [] : dashOf(mark),
    order: 1,
  }),
  knee: (colour, theme) => ({
    showLine: false,
    pointRadius: 5,
    pointStyle: 'rectRot',
    borderColor: colour,
    pointBackgroundColor: () => theme.surface,
    pointBorderWidth: 2,
    order: 0,
  }),
  second: (colour) => ({
    showLine: false,
    pointRadius: 2,
    pointStyle: 'circle',
    backgroundColor: fade(colour, 0.4),
    borderWidth: 0,
    pointBorderWidth: 0,
    pointHoverRadius: 2,
    order: 9,
  }),
  // Drawn by the plugin for the columns of cells.
  tail: (_colour, theme) => ({ showLine: false, pointRadius: 0, borderColor: theme.ink, order: 1 }),
  // Dots for unknown percentiles.
  beyond: (colour) => ({
    showLine: false,
    pointRadius: 1.5,
    pointStyle: 'circle',
    backgroundColor: fade(colour, 0.45),
    borderWidth: 0,
    pointBorderWidth: 0,
    order: 9,
  }),
  event: (_colour, theme, dataset) => ({
    borderColor: theme.causes[dataset.cause] ?? theme.causes.other,
    borderWidth: 1.5,
    borderDash: EVENT_DASHES[dataset.cause] ?? [],
    order: 1,
  }),
  pages: (_colour, theme) => ({ borderColor: theme.muted, borderWidth: 1.5, borderDash: [2, 2], order: 2 }),
  leg: (colour, theme, { mark }) => ({
    borderColor: colour,
    backgroundColor: colour,
    borderWidth: 2,
    order: mark,
    borderDash: dashOf(mark),
    pointStyle: markOf(mark),
    pointRadius: (/** @type {PointContext} */ context) => (isHollow(context) ? 4.5 : markRadius(context, mark)),
    pointBackgroundColor: (/** @type {PointContext} */ context) => (isHollow(context) ? theme.surface : colour),
    pointBorderWidth: (/** @type {PointContext} */ context) => (isHollow(context) ? 2 : 1),
  }),
};

/**
 * Radius of a point of one of several lines: about eight points have a mark, at different places on each line.
 * @param {PointContext} context
 * @param {number} mark
 */
function markRadius(context, mark) {
  const every = Math.max(1, Math.round(context.dataset.data.length / 8));
  const offset = Math.round(every * (0.3 + (0.4 * (mark % 3)) / 2));
  return context.dataIndex % every === offset % every ? 3.5 : lonePoint(context);
}

/**
 * @param {Dataset} dataset of the model
 * @param {number | undefined} color place of the leg's colour
 * @param {Palette} theme
 * @returns {DrawnDataset} a chart.js dataset
 */
export function datasetOf(dataset, color, theme) {
  const place = dataset.color ?? color;
  const colour = colourAt(theme, place);
  const base = {
    label: dataset.label,
    role: dataset.role,
    cause: dataset.cause,
    total: dataset.total,
    endMark: dataset.end,
    hollow: dataset.hollow,
    disturbed: dataset.disturbed,
    intervals: dataset.intervals,
    heat: dataset.heat,
    share: dataset.share,
    spread: dataset.spread,
    data: pointsOf(dataset),
    // Marks at the end of a leg may overlap the edge.
    clip: 6,
    spanGaps: false,
    pointRadius: lonePoint,
    pointHoverRadius: 3,
    pointHitRadius: 0,
    borderJoinStyle: 'round',
    stepped: /** @type {'after' | false} */ (dataset.isStepped ? 'after' : false),
    tension: 0,
  };
  const look = {
    ...base,
    ...LOOKS[dataset.role](colour, theme, {
      ...{ ...dataset, mark: dataset.mark ?? place ?? 0 },
      cause: dataset.cause ?? 'other',
    }),
  };
  const { borderColor = look.backgroundColor ?? colour, backgroundColor = borderColor } = look;
  return { ...look, borderColor, backgroundColor };
}
