/**
 * Runs in the page. Draws every figure of the chart model into its canvas, and draws anew when the theme changes or the
 * page is printed. Needs nothing but the inlined chart.js and the model; touches no network.
 */
import { listenToArrange } from './arrange.js';
import { listenToTools } from './chart-tools.js';
import { datasetOf } from './datasets.js';
import { drawAtFirst, drawnLegs, listenToChoice, pointed, pointedPlugin } from './drawn.js';
import { intervalPlugin } from './interval-bars.js';
import { readModel } from './model.js';
import { heatPlugin } from './heat-map.js';
import { gapPlugin, limitPlugin, markPlugin, phasePlugin, textPlugin } from './plugins.js';
import { listenToPopups } from './popups.js';
import { listenToRuns } from './runs.js';
import { scaleOf } from './scales.js';
import { currentTheme, legColour, pageFont, printing } from './theme.js';
import { atPointer, tooltipOf } from './tooltip.js';

const page = readModel();

/** @param {any} panel @returns {any} the leg's phases; for overlaid legs those of the first, when all have the same */
function phasesOf(panel) {
  if (!panel.phases) return null;
  if (panel.leg !== null) return page.legs[panel.leg];
  const [first, ...others] = page.legs;
  const same = others.every(
    (/** @type {any} */ leg) =>
      Math.abs(leg.ramp - first.ramp) < 0.5 &&
      Math.abs(leg.warm - first.warm) < 0.5 &&
      Math.abs(leg.steady - first.steady) < 1.5,
  );
  return same ? first : null;
}

/** @param {any} panel @param {any} theme @returns {any[]} its marks, coloured */
function marksOf(panel, theme) {
  const marks = (panel.marks ?? []).filter((/** @type {any} */ { leg }) => leg === undefined || drawnLegs.has(leg));
  return marks.map((/** @type {any} */ mark) => ({
    ...mark,
    colour: mark.leg === undefined ? theme.muted : legColour(theme, page, mark.leg),
  }));
}

/** @param {any} chart of the model @param {any} panel of it @param {HTMLCanvasElement} canvas @param {any} theme */
function draw(chart, panel, canvas, theme) {
  return new Chart(canvas, {
    type: chart.kind,
    data: { datasets: panel.datasets.map((/** @type {any} */ dataset) => datasetOf(dataset, panel, theme, page)) },
    options: {
      animation: false,
      parsing: false,
      normalized: true,
      responsive: true,
      maintainAspectRatio: false,
      resizeDelay: 40,
      layout: { padding: { top: panel.phases ? 14 : 6, right: 10 } },
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
        marks: { marks: marksOf(panel, theme), quiet: Boolean(panel.empty) },
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

/** Which overlaid legs a reader has switched off; kept when the theme changes. @type {Set<string>} */
const hidden = new Set();

/** @param {HTMLCanvasElement} canvas @returns {{ chart: any, panel: any } | null} what it is to show */
function modelOf(canvas) {
  const [, id, at] = /^chart-(.+)-(\d+)$/.exec(canvas.id) ?? [];
  const chart = page.charts.find((/** @type {any} */ one) => one.id === id);
  return chart ? { chart, panel: chart.panels[Number(at)] } : null;
}

/**
 * One that holds a hundred times as many transfers, or bytes, than all others must not press the others flat.
 * @param {any} chart of the model @returns {number} the end of its axis: over what is drawn of it where it is linear
 */
function topOf(chart) {
  if (chart.y.type !== 'linear' || chart.kind !== 'line') return chart.y.max;
  const drawn = chart.panels.flatMap((/** @type {any} */ panel) =>
    panel.datasets.filter(
      (/** @type {any} */ one) =>
        !hidden.has(`${chart.id}:${one.leg}`) && (chart.own || panel.own || drawnLegs.has(one.leg ?? panel.leg)),
    ),
  );
  let most = 0;
  for (const { points, intervals = [] } of drawn) {
    for (const [, y] of points) most = Math.max(most, y ?? 0);
    for (const one of intervals) most = Math.max(most, one?.[1] ?? 0);
  }
  return most > 0 ? Math.min(chart.y.max, most * 1.08) : chart.y.max;
}

/** @param {any} chart of the model @returns {number} the end of its time axis: that of the longest leg it draws */
function endOf(chart) {
  const drawn = chart.panels.flatMap((/** @type {any} */ panel) =>
    panel.leg === null
      ? panel.datasets.flatMap((/** @type {any} */ { leg }) => (chart.own || drawnLegs.has(leg) ? (leg ?? []) : []))
      : panel.own || drawnLegs.has(panel.leg)
        ? panel.leg
        : [],
  );
  const ends = drawn.map((/** @type {number} */ leg) => Math.ceil(page.legs[leg].end * 100) / 100);
  return ends.length ? Math.min(chart.x.max, Math.max(0.1, ...ends)) : chart.x.max;
}

/** @param {any} drawn by chart.js @param {any} chart @param {any} panel of the model */
function showLegs(drawn, chart, panel) {
  panel.datasets.forEach((/** @type {any} */ { leg }, /** @type {number} */ at) => {
    const chosen = chart.own || drawnLegs.has(leg);
    drawn.setDatasetVisibility(at, leg === undefined || (chosen && !hidden.has(`${chart.id}:${leg}`)));
  });
  if (page.many) drawn.options.scales.y.max = topOf(chart);
  if (page.many && chart.x.type === 'time') drawn.options.scales.x.max = endOf(chart);
  drawn.options.plugins.marks.marks = marksOf(panel, currentTheme());
  drawn.update('none');
}

/** @param {HTMLCanvasElement} canvas */
function drawOne(canvas) {
  const model = modelOf(canvas);
  if (!model) return;
  Chart.getChart(canvas)?.destroy();
  const drawn = draw(model.chart, model.panel, canvas, currentTheme());
  if (page.many || hidden.size) showLegs(drawn, model.chart, model.panel);
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
  const next = [...canvases()].find((canvas) => !Chart.getChart(canvas) && modelOf(canvas));
  if (!next) return;
  drawOne(next);
  whenIdle(drawRest);
}

function drawAll() {
  Chart.defaults.font.family = pageFont();
  for (const canvas of canvases()) {
    // of many, a panel of a leg that is not drawn has no place on the page
    const hasPlace = !page.many || canvas.offsetParent !== null;
    const wanted = hasPlace && (printing.active || Boolean(Chart.getChart(canvas)));
    if (wanted) drawOne(canvas);
    else Chart.getChart(canvas)?.destroy();
    watcher.observe(canvas);
  }
}

/** Applies a new choice of legs to the charts that exist; others are made when they scroll into view. */
function redrawLegs() {
  for (const canvas of canvases()) {
    const [drawn, model] = [Chart.getChart(canvas), modelOf(canvas)];
    if (drawn && model) showLegs(drawn, model.chart, model.panel);
  }
}

function repaint() {
  for (const canvas of canvases()) {
    const { top, bottom } = canvas.getBoundingClientRect();
    if (bottom > 0 && top < window.innerHeight) Chart.getChart(canvas)?.draw();
  }
}

/** Legend entries of overlaid legs are buttons: a click hides the leg in that chart. */
function listenToLegends() {
  for (const button of document.querySelectorAll('button[data-chart]')) {
    button.addEventListener('click', () => {
      const { chart, leg } = /** @type {HTMLElement} */ (button).dataset;
      const key = `${chart}:${leg}`;
      const on = hidden.has(key);
      if (on) hidden.delete(key);
      else hidden.add(key);
      button.setAttribute('aria-pressed', String(on));
      const drawn = Chart.getChart(`chart-${chart}-0`);
      if (!drawn) return;
      const model = page.charts.find((/** @type {any} */ one) => one.id === chart);
      model.panels[0].datasets.forEach((/** @type {any} */ dataset, /** @type {number} */ at) => {
        if (String(dataset.leg) === leg) drawn.setDatasetVisibility(at, on);
      });
      drawn.update('none');
    });
  }
}

/** One legend serves all charts of a sweep: the server pointed at in it is highlighted in each of them. */
function listenToSweep() {
  const charts = page.charts.filter((/** @type {any} */ { section, ownLines }) => section === 'sweep' && !ownLines);
  const buttons = /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll('button[data-swept]'));
  const show = (/** @type {HTMLElement} */ button, /** @type {boolean} */ on) => {
    button.setAttribute('aria-pressed', String(on));
    for (const { id } of charts) hidden[on ? 'delete' : 'add'](`${id}:${button.dataset.swept}`);
  };
  const redraw = () => {
    pointed.leg = null;
    for (const chart of charts) {
      const drawn = Chart.getChart(`chart-${chart.id}-0`);
      if (drawn) showLegs(drawn, chart, chart.panels[0]);
    }
  };
  for (const button of buttons) {
    button.addEventListener('click', () => {
      show(button, button.getAttribute('aria-pressed') === 'false');
      redraw();
    });
    const point = (/** @type {boolean} */ on) => () => {
      pointed.leg = on && button.getAttribute('aria-pressed') === 'true' ? Number(button.dataset.swept) : null;
      repaint();
    };
    for (const type of ['pointerenter', 'focus']) button.addEventListener(type, point(true));
    for (const type of ['pointerleave', 'blur']) button.addEventListener(type, point(false));
  }
  for (const every of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll('button[data-swept-all]'))) {
    every.addEventListener('click', () => {
      for (const button of buttons) show(button, every.dataset.sweptAll === 'true');
      redraw();
    });
  }
}

/** @param {boolean} active paper: light colours, whatever the screen has */
function print(active) {
  if (printing.active === active) return;
  printing.active = active;
  drawAll();
}

Chart.Interaction.modes.atPointer = atPointer;
listenToTools({
  legs: page.legs,
  chartOf: (id) => page.charts.find((/** @type {any} */ one) => one.id === id),
  draw: drawOne,
});
drawAtFirst(page);
drawAll();
if (!page.many) whenIdle(drawRest);
listenToLegends();
listenToSweep();
if (page.many) listenToChoice(redrawLegs, repaint);
listenToArrange();
listenToPopups();
window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', drawAll);
window.matchMedia('print').addEventListener('change', (event) => print(event.matches));
window.addEventListener('beforeprint', () => print(true));
window.addEventListener('afterprint', () => print(false));
listenToRuns();
