/**
 * Runs in the page. Draws every chart of the model, and redraws when the theme changes or the page is printed. It needs
 * only the inlined chart.js and the model, and no network.
 */
import { renewTools } from './chart-tools.js';
import { drawFields, renewFields } from './connection-field.js';
import { listenToCursor, placeCursor } from './cursor.js';
import { datasetOf } from './datasets.js';
import { intervalPlugin } from './interval-bars.js';
import { readModel } from './model.js';
import { heatPlugin } from './heat-map.js';
import { gapPlugin, limitPlugin, markPlugin, phasePlugin, textPlugin } from './plugins.js';
import { BRACKET_ROW, bracketPlugin, bracketsOf, endPlugin, paddingOf, stepPlugin } from './against.js';
import { scaleOf } from './scales.js';
import { colourAt, currentTheme, listenToTheme, pageFont, printing } from './theme.js';
import { atPointer, tooltipOf } from './tooltip.js';
import { isTrack, trackOptions, trackPlugin } from './tracks.js';
import { applyView, isOverTime, isStacked, marksOf, plotsOf, zoomed } from './view.js';
import { listenToKeys, makeStops, readAgain } from './walk.js';
import { listenToReset, listenToSpan, showSpan } from './zoom.js';
import { listenToSort, sortAgain } from './sort.js';

/**
 * @import { Drawing } from './chart-tools.js'
 * @import { ChartLeg, Drawn, ModelChart, Palette, Panel, Point } from './types.js'
 * @import { Charts } from './zoom.js'
 */

const page = readModel();

/** @param {Panel} panel @returns {ChartLeg | null} the leg whose phases are shown; the first of servers side by side */
const phasesOf = ({ leg, phases }) => (phases ? page.legs[leg ?? 0] : null);

/** @param {Panel} panel @returns {number | undefined} place of the leg's colour; undefined without a leg */
const colorOf = ({ leg }) => (leg === null ? undefined : page.legs[leg].color);

/** @param {ModelChart} chart @param {Panel} panel @param {number} at index of a dataset @param {Palette} theme */
const drawnDataset = (chart, panel, at, theme) => ({
  ...datasetOf(panel.datasets[at], colorOf(panel), theme),
  // chart.js fills exactly between stepped lines only if each names the line below.
  ...(chart.isStacked ? { fill: at === 0 ? 'origin' : '-1' } : {}),
});

/** @param {Panel} panel of a track @param {Palette} theme */
const trackPluginOptions = (panel, theme) => ({
  ...{ phases: phasesOf(panel), gaps: panel.gaps ?? [], gapLabel: panel.gapLabel, side: panel.side, theme },
  perDoubling: panel.datasets[0]?.heat?.perDoubling ?? 1,
});
/** Width of the y axis of rows, px. */
const Y_AXIS = 58;
/** Height of the hidden x axis of all rows but the last, px. */
const HIDDEN_AXIS = 5;
/** Greatest number of ticks of a row. */
const MAX_TICKS = 4;

/**
 * @param {ModelChart} chart @param {Panel} panel @param {Palette} theme
 * @returns {{ x: object, y: object }} chart.js scales
 */
function scalesOf(chart, panel, theme) {
  const [x, y] = [scaleOf(chart.x, theme, 'x'), { ...scaleOf(chart.y, theme, 'y'), stacked: isStacked(chart) }];
  const brackets = Math.max(-1, ...(panel.brackets ?? []).map(({ row }) => row)) + 1;
  x.ticks.padding += brackets * BRACKET_ROW;
  // chart.js applies the padding of ticks twice, above and below.
  x.title.padding = { top: 2 - brackets * BRACKET_ROW, bottom: 2 };
  x.grid.display = panel.y === undefined;
  if (chart.panels.length > 1)
    Object.assign(y, { afterFit: (/** @type {{ width: number }} */ scale) => (scale.width = Y_AXIS) });
  if (chart.panels.length > 1 && !panel.y) Object.assign(y.ticks, { maxTicksLimit: MAX_TICKS });
  if (panel !== plotsOf(chart).at(-1)) {
    x.ticks.display = x.title.display = false;
    Object.assign(x, { afterFit: (/** @type {{ height: number }} */ scale) => (scale.height = HIDDEN_AXIS) });
  }
  return { x: { ...x, offset: false }, y };
}

/** @param {ModelChart} chart @param {Panel} panel @param {Palette} theme @returns a chart.js configuration */
function configOf(chart, panel, theme) {
  const track = isTrack(chart) ? trackOptions(chart, panel) : undefined;
  const scales = scalesOf(chart, panel, theme);
  return {
    type: chart.kind,
    data: { datasets: panel.datasets.map((_, at) => drawnDataset(chart, panel, at, theme)) },
    options: {
      animation: false,
      parsing: false,
      normalized: true,
      responsive: true,
      maintainAspectRatio: false,
      resizeDelay: 40,
      layout: track?.layout ?? { autoPadding: chart.panels.length === 1, padding: paddingOf(chart, panel) },
      font: { family: pageFont() },
      interaction: { mode: 'atPointer', intersect: false },
      scales: { x: { ...scales.x, ...track?.x }, y: { ...scales.y, ...track?.y } },
      plugins: {
        legend: { display: false },
        tooltip: tooltipOf(chart),
        phases: { phases: track ? null : phasesOf(panel), isFirst: panel === plotsOf(chart)[0], theme },
        tracks: track ? trackPluginOptions(panel, theme) : {},
        gaps: { gaps: track ? [] : panel.gaps, theme },
        marks: { marks: marksOf(panel, theme), atEnd: chart.endLabels },
        ends: { isOn: chart.endLabels },
        brackets: { brackets: bracketsOf(panel, theme) },
        limits: { limits: panel.limits, theme, legColour: colourAt(theme, colorOf(panel)) },
      },
    },
    plugins: [
      ...[phasePlugin, heatPlugin, trackPlugin, gapPlugin, limitPlugin, markPlugin, textPlugin],
      ...[intervalPlugin, stepPlugin, bracketPlugin, endPlugin],
    ],
  };
}

/** Key: id of the chart's canvases without the panel's number. @type {Map<string, ModelChart>} */
const chartsById = new Map(page.charts.map((chart) => [`chart-${chart.id}`, chart]));

/** @param {HTMLCanvasElement} canvas @param {ModelChart} chart @returns {Panel} */
const panelIn = ({ id }, { panels }) => panels[Number(/\d+$/.exec(id)?.[0])];

/** @param {HTMLCanvasElement} canvas @returns {ModelChart} its chart, with kind and y axis of its panel */
function chartOf(canvas) {
  const chart = /** @type {ModelChart} */ (chartsById.get(canvas.id.replace(/-\d+$/, '')));
  // Panels of charts over time have the chart's axes; they need not be read here.
  if (!chart || isOverTime(chart)) return chart;
  const { kind = chart.kind, y } = panelIn(canvas, chart);
  return y ? { ...chart, kind, y } : chart;
}

/** @param {HTMLCanvasElement} canvas @returns {Panel} */
const panelOf = (canvas) => panelIn(canvas, chartOf(canvas));

/** Canvases that have listeners for the zoom. @type {WeakSet<HTMLCanvasElement>} */
const listening = new WeakSet();

/** Removes a chart; chart.js may still call a deferred resize on it. @param {HTMLCanvasElement} canvas */
function erase(canvas) {
  const drawn = Chart.getChart(canvas);
  drawn?.tooltip?.setActiveElements([], { x: 0, y: 0 });
  if (drawn) Object.assign(drawn, { resize() {}, update() {} }).destroy();
}

/** @param {HTMLCanvasElement} canvas */
function drawOne(canvas) {
  const chart = chartOf(canvas);
  if (!chart) return;
  erase(canvas);
  const drawn = new Chart(canvas, configOf(chart, panelOf(canvas), currentTheme()));
  if (zoomed.span && isOverTime(chart)) applyView(drawn, chart);
  if (!listening.has(canvas)) listenToSpan(charts, canvas);
  listening.add(canvas);
}

const canvases = () => /** @type {NodeListOf<HTMLCanvasElement>} */ (document.querySelectorAll('canvas[id^="chart-"]'));

/** Draws a chart below the main ones shortly before it scrolls into view. */
const watcher = new IntersectionObserver(
  (entries) => {
    for (const { isIntersecting, target } of entries) {
      const canvas = /** @type {HTMLCanvasElement} */ (target);
      if (!isIntersecting || Chart.getChart(canvas)) continue;
      drawOne(canvas);
    }
  },
  { rootMargin: '800px 0px' },
);

/** Draws all charts again; a script that is not in every page listens for `redraw`. */
function drawAll() {
  Chart.defaults.font.family = pageFont();
  drawFields();
  for (const canvas of canvases()) {
    if (printing.active || canvas.closest('#charts') || Chart.getChart(canvas)) drawOne(canvas);
    watcher.observe(canvas);
  }
  document.dispatchEvent(new Event('redraw'));
}

/** @returns {HTMLCanvasElement[]} canvases of the charts drawn so far */
const drawnCanvases = () =>
  Object.values(Chart.instances).flatMap(({ canvas }) => (canvas && chartOf(canvas) ? [canvas] : []));

/** Canvases whose view has changed since they were drawn. @type {Set<HTMLCanvasElement>} */
const outdated = new Set();

/** @param {HTMLCanvasElement} canvas */
function renew(canvas) {
  outdated.delete(canvas);
  const drawn = Chart.getChart(canvas);
  if (drawn && isOverTime(chartOf(canvas))) applyView(drawn, chartOf(canvas));
  else drawn?.update('none');
}

/** @param {HTMLCanvasElement} canvas @returns {boolean} */
function isInView(canvas) {
  const { top, bottom } = canvas.getBoundingClientRect();
  return bottom > 0 && top < window.innerHeight;
}

/** Longest time for redrawing without a pause, ms; a reader does not notice it. */
const RENEW_MS = 10;

function renewOutdated() {
  const begun = performance.now();
  for (const canvas of outdated) {
    renew(canvas);
    if (performance.now() - begun > RENEW_MS) break;
  }
  if (outdated.size) window.setTimeout(renewOutdated);
}

/** Redraws the charts over time: those in view at once, the others later. */
function redrawTime() {
  const isBusy = outdated.size > 0;
  for (const canvas of drawnCanvases()) if (isOverTime(chartOf(canvas))) outdated.add(canvas);
  for (const canvas of outdated) if (isInView(canvas)) renew(canvas);
  if (!isBusy && outdated.size) window.setTimeout(renewOutdated);
  placeCursor(charts);
}

/** The charts, for the modules that handle keys and pointer. @type {Charts} */
const charts = {
  page,
  chartOf,
  canvases: drawnCanvases,
  changed: redrawTime,
};

/** @type {Drawing} */
const drawing = {
  legs: () => page.legs,
  chartOf: (id) => page.charts.find((chart) => chart.id === id),
};

/** Scrolls to the element of the address, and opens its part of the page. */
function goToAnchor() {
  const element = document.getElementById(decodeURIComponent(window.location.hash.slice(1)));
  const part = element?.closest('details');
  if (part) part.open = true;
  element?.scrollIntoView();
}

/** Details that are open for printing only. @type {HTMLDetailsElement[]} */
let opened = [];

/** @param {boolean} active */
function unfoldForPaper(active) {
  const closed = /** @type {NodeListOf<HTMLDetailsElement>} */ (document.querySelectorAll('details:not([open])'));
  const changed = active ? [...closed] : opened;
  for (const fold of changed) fold.open = active;
  opened = active ? changed : [];
}

/** Reads the model again. */
function renewModel() {
  Object.assign(page, readModel());
  chartsById.clear();
  for (const chart of page.charts) chartsById.set(`chart-${chart.id}`, chart);
}

/** Updates the drawn charts of a live page after its elements were changed. */
export function renewPage() {
  renewModel();
  showSpan();
  sortAgain();
  renewFields();
  renewTools(drawing);
  for (const { canvas } of Object.values(Chart.instances)) if (!canvas.isConnected || !chartOf(canvas)) erase(canvas);
  for (const canvas of drawnCanvases()) {
    const { data, options } = configOf(chartOf(canvas), panelOf(canvas), currentTheme());
    const drawn = Object.assign(/** @type {Drawn} */ (Chart.getChart(canvas)), { data, options });
    drawn.setActiveElements([]);
    renew(canvas);
  }
  for (const canvas of canvases()) watcher.observe(canvas);
  makeStops(charts);
  readAgain(charts);
  placeCursor(charts);
}

/** @param {boolean} active whether the page is printed, in light colours */
function print(active) {
  if (printing.active === active) return;
  printing.active = active;
  unfoldForPaper(active);
  drawAll();
}

Chart.Interaction.modes.atPointer = atPointer;
renewTools(drawing);
drawAll();
if (window.location.hash) goToAnchor();
listenToReset(charts);
listenToCursor(charts);
listenToKeys(charts);
listenToSort();
renewFields();
listenToTheme(drawAll);
window.addEventListener('hashchange', goToAnchor);
window.matchMedia('print').addEventListener('change', (event) => print(event.matches));
window.addEventListener('beforeprint', () => print(true));
window.addEventListener('afterprint', () => print(false));
