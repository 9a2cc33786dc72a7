/**
 * Runs in the page. Draws every figure of the chart model into its canvas, and draws anew when the theme changes or the
 * page is printed. Needs nothing but the inlined chart.js and the model; touches no network.
 */
import { listenToArrange } from './arrange.js';
import { listenToTools } from './chart-tools.js';
import { listenToCursor, placeCursor } from './cursor.js';
import { datasetOf } from './datasets.js';
import { chooseLegs, drawnLegs, firstLegs, listenToChoice, pointedPlugin } from './drawn.js';
import { intervalPlugin } from './interval-bars.js';
import { linkOf, readLink } from './link.js';
import { readModel } from './model.js';
import { heatPlugin } from './heat-map.js';
import { gapPlugin, limitPlugin, markPlugin, phasePlugin, textPlugin } from './plugins.js';
import { listenToPopups } from './popups.js';
import { listenToRuns } from './runs.js';
import { scaleOf } from './scales.js';
import { fitSpan } from './span.js';
import { listenToSweep } from './sweep-legend.js';
import { currentTheme, legColour, pageFont, printing } from './theme.js';
import { atPointer, tooltipOf } from './tooltip.js';
import { applyView, isOverTime, isPlain, marksOf, wholeTime, zoomed } from './view.js';
import { listenToKeys, makeStops } from './walk.js';
import { listenToReset, listenToSpan, showSpan } from './zoom.js';

export const page = readModel();

/** @param {import('./types.js').Panel} panel @returns {import('./types.js').ChartLeg | null | undefined} the leg's phases; for overlaid legs those of the first, when all have the same */
function phasesOf(panel) {
  if (!panel.phases) return null;
  if (panel.leg !== null) return page.legs[panel.leg];
  const [first, ...others] = page.legs;
  const same = others.every(
    (leg) =>
      Math.abs(leg.ramp - first.ramp) < 0.5 &&
      Math.abs(leg.warm - first.warm) < 0.5 &&
      Math.abs(leg.steady - first.steady) < 1.5,
  );
  return same ? first : null;
}

/** @param {import('./types.js').ModelChart} chart of the model @param {import('./types.js').Panel} panel of it @param {HTMLCanvasElement} canvas @param {import('./types.js').Palette} theme */
function draw(chart, panel, canvas, theme) {
  return new Chart(canvas, {
    type: chart.kind,
    data: { datasets: panel.datasets.map((dataset) => datasetOf(dataset, panel, theme, page)) },
    options: {
      animation: false,
      parsing: false,
      normalized: true,
      responsive: true,
      maintainAspectRatio: false,
      resizeDelay: 40,
      layout: { padding: { top: panel.phases ? 16 : 6, right: 10 } },
      font: { family: pageFont() },
      interaction: { mode: 'atPointer', intersect: false },
      scales: {
        x: { ...scaleOf(chart.x, theme, 'x'), offset: false },
        y: { ...scaleOf(chart.y, theme, 'y'), stacked: chart.kind === 'bar' },
      },
      plugins: {
        legend: { display: false },
        tooltip: tooltipOf(chart, theme),
        phases: { phases: phasesOf(panel), theme },
        gaps: { gaps: panel.gaps, quiet: Boolean(panel.empty), theme },
        texts: { empty: panel.empty, theme },
        marks: { marks: marksOf(chart, panel, page, theme), quiet: Boolean(panel.empty) },
        limits: {
          limits: panel.limits,
          theme,
          legColour: panel.leg === null ? theme.ink : legColour(theme, page, panel.leg),
        },
      },
    },
    plugins: [phasePlugin, heatPlugin, gapPlugin, limitPlugin, markPlugin, textPlugin, pointedPlugin, intervalPlugin],
  });
}

/** Charts by the start of the names of their canvases. @type {Map<string, import('./types.js').ModelChart>} */
const chartsById = new Map(page.charts.map((chart) => [`chart-${chart.id}`, chart]));

/** @param {HTMLCanvasElement} canvas @returns {import('./types.js').ModelChart} its chart of the model */
const chartOf = (canvas) =>
  /** @type {import('./types.js').ModelChart} */ (chartsById.get(canvas.id.replace(/-\d+$/, '')));

/** @param {HTMLCanvasElement} canvas @returns {import('./types.js').Panel} its panel of the model */
const panelOf = (canvas) => chartOf(canvas).panels[Number(/\d+$/.exec(canvas.id)?.[0])];

/** Canvases that a reader can zoom in. @type {WeakSet<HTMLCanvasElement>} */
const listening = new WeakSet();

/** @param {HTMLCanvasElement} canvas */
function drawOne(canvas) {
  const chart = chartOf(canvas);
  if (!chart) return;
  Chart.getChart(canvas)?.destroy();
  const drawn = draw(chart, panelOf(canvas), canvas, currentTheme());
  if (!isPlain(page)) applyView(drawn, chart, panelOf(canvas), page);
  if (!listening.has(canvas)) listenToSpan(charts, canvas);
  listening.add(canvas);
}

const canvases = () => /** @type {NodeListOf<HTMLCanvasElement>} */ (document.querySelectorAll('canvas[id^="chart-"]'));

/** A chart is made shortly before it scrolls into view; of few legs, the others are made when there is nothing else to do. */
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

/** Safari has no idle callbacks. @type {(task: () => void) => void} */
const whenIdle = (task) => (window.requestIdleCallback ?? setTimeout)(task);

/** Draws what no one has looked at yet, one chart at a time, so that the page never waits for them. */
function drawRest() {
  const next = [...canvases()].find(
    (canvas) => !Chart.getChart(canvas) && chartOf(canvas) && !canvas.closest('details.subject:not([open])'),
  );
  if (!next) return;
  drawOne(next);
  whenIdle(drawRest);
}

function drawAll() {
  Chart.defaults.font.family = pageFont();
  for (const canvas of canvases()) {
    // of many, a panel of a leg that is no longer drawn has no place on the page
    const hasPlace = () => !page.many || canvas.offsetParent !== null;
    if ((printing.active || Chart.getChart(canvas)) && hasPlace()) drawOne(canvas);
    else Chart.getChart(canvas)?.destroy();
    watcher.observe(canvas);
  }
}

/** @returns {HTMLCanvasElement[]} of the charts that exist; others are made when they scroll into view */
const drawnCanvases = () =>
  Object.values(Chart.instances).flatMap(({ canvas }) => (canvas && chartOf(canvas) ? [canvas] : []));

/** Their view has changed since they were drawn. @type {Set<HTMLCanvasElement>} */
const outdated = new Set();

/** @param {HTMLCanvasElement} canvas */
function renew(canvas) {
  outdated.delete(canvas);
  const drawn = Chart.getChart(canvas);
  if (drawn) applyView(drawn, chartOf(canvas), panelOf(canvas), page);
}

/** @param {HTMLCanvasElement} canvas @returns {boolean} */
function isInView(canvas) {
  const { top, bottom } = canvas.getBoundingClientRect();
  return bottom > 0 && top < window.innerHeight;
}

/** What is renewed without a pause, ms: a reader does not notice it. */
const RENEW_MS = 10;

function renewRest() {
  const begun = performance.now();
  for (const canvas of outdated) {
    renew(canvas);
    if (performance.now() - begun > RENEW_MS) break;
  }
  if (outdated.size) window.setTimeout(renewRest);
}

/** Shows another span of time: at once where it is seen. */
function redrawTime() {
  const isBusy = outdated.size > 0;
  for (const canvas of drawnCanvases()) if (isOverTime(chartOf(canvas))) outdated.add(canvas);
  for (const canvas of outdated) if (isInView(canvas)) renew(canvas);
  if (!isBusy && outdated.size) window.setTimeout(renewRest);
  placeCursor(charts);
}

function redrawLegs() {
  // those of legs that are chosen for the first time are new
  for (const canvas of canvases()) watcher.observe(canvas);
  for (const canvas of drawnCanvases()) renew(canvas);
  placeCursor(charts);
  makeStops(charts);
}

function repaint() {
  for (const canvas of drawnCanvases()) if (isInView(canvas)) Chart.getChart(canvas)?.draw();
}

/** The page as the keys and the pointer see it. @type {import('./zoom.js').Charts} */
const charts = {
  page,
  chartOf,
  canvases: drawnCanvases,
  changed(canvas) {
    if (canvas) anchor = `figure-${chartOf(canvas).id}`;
    redrawTime();
    saveView();
  },
};

const legIds = page.legs.map(({ id }) => id);
/** Where a link to what is shown leads to. */
let anchor = '';
/** @type {number | undefined} */
let saving;
/** A wheel turns faster than a browser takes addresses. */
const SAVE_MS = 150;

function saveView() {
  window.clearTimeout(saving);
  saving = window.setTimeout(() => {
    const link = linkOf({ anchor, span: zoomed.span, shown: drawnLegs }, legIds, firstLegs(page));
    if (`#${link}` !== (window.location.hash || '#')) window.history.replaceState(window.history.state, '', `#${link}`);
  }, SAVE_MS);
}

/** @returns {boolean} whether the address says what to show */
function takeView() {
  const view = readLink(window.location.hash, legIds);
  anchor = view.anchor;
  if (!view.given) return false;
  zoomed.span = view.span && fitSpan(view.span, wholeTime(page));
  chooseLegs(view.shown ?? firstLegs(page));
  showSpan();
  return true;
}

/** @param {string} id of an element, which may be folded @returns {HTMLElement | null} */
function unfolded(id) {
  const element = document.getElementById(id);
  for (const fold of [element?.closest('details'), element?.querySelector(':scope > details.each')]) {
    fold?.setAttribute('open', '');
  }
  return element;
}

/** A browser looks for an element of the whole name, and not all of them unfold it. */
function goToAnchor() {
  unfolded(anchor)?.scrollIntoView();
}

/** Folds that are open on paper only. @type {HTMLDetailsElement[]} */
let opened = [];

/** @param {boolean} active */
function unfoldForPaper(active) {
  const closed = /** @type {NodeListOf<HTMLDetailsElement>} */ (
    document.querySelectorAll('details.subject:not([open]), details.each:not([open])')
  );
  const changed = active ? [...closed] : opened;
  for (const fold of changed) fold.open = active;
  opened = active ? changed : [];
}

/**
 * In the page of a run in progress, the legs change; their canvases are in the page.
 * @param {import('./types.js').ChartLeg[]} legs @param {import('./types.js').ModelChart[]} models of the charts
 */
export function replaceModel(legs, models) {
  page.legs.splice(0, page.legs.length, ...legs);
  page.charts.splice(0, page.charts.length, ...models);
  chartsById.clear();
  for (const chart of models) chartsById.set(`chart-${chart.id}`, chart);
  legIds.splice(0, legIds.length, ...legs.map(({ id }) => id));
  chooseLegs(firstLegs(page));
}

/** Draws every chart anew, also those that are not in view. */
export function drawEvery() {
  drawAll();
  makeStops(charts);
  whenIdle(drawRest);
}

/** @param {boolean} active paper: light colours, whatever the screen has */
function print(active) {
  if (printing.active === active) return;
  printing.active = active;
  unfoldForPaper(active);
  drawAll();
}

Chart.Interaction.modes.atPointer = atPointer;
listenToTools({
  legs: page.legs,
  chartOf: (id) => page.charts.find((one) => one.id === id),
  draw: drawOne,
});
for (const at of firstLegs(page)) drawnLegs.add(at);
takeView();
drawAll();
if (!page.many) whenIdle(drawRest);
if (anchor) goToAnchor();
listenToChoice(() => {
  redrawLegs();
  saveView();
}, repaint);
listenToSweep(page, redrawLegs, repaint);
listenToReset(charts);
listenToCursor(charts);
listenToKeys(charts);
listenToArrange();
listenToPopups();
// it does not bubble
document.addEventListener('toggle', () => void (page.many || whenIdle(drawRest)), true);
window.addEventListener('hashchange', () => {
  // A link within the page leads to another place, and leaves what is shown as it is.
  if (!takeView()) {
    unfolded(anchor)?.scrollIntoView();
    return saveView();
  }
  redrawLegs();
  goToAnchor();
});
window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', drawAll);
window.matchMedia('print').addEventListener('change', (event) => print(event.matches));
window.addEventListener('beforeprint', () => print(true));
window.addEventListener('afterprint', () => print(false));
listenToRuns();
