/**
 * Runs in the page. Draws every figure of the chart model into its canvas, and draws anew when the theme changes or the
 * page is printed. Needs nothing but the inlined chart.js and the model; touches no network.
 */
import { datasetOf } from './datasets.js';
import { gapPlugin, limitPlugin, markPlugin, phasePlugin, textPlugin } from './plugins.js';
import { scaleOf } from './scales.js';
import { currentTheme, legColour, pageFont, printing } from './theme.js';
import { atPointer, tooltipOf } from './tooltip.js';

const page = JSON.parse(document.getElementById('chart-model')?.textContent ?? '{"legs":[],"charts":[]}');

/** @param {any} panel @returns {any} the leg's phases; for overlaid legs those of the first, when all have the same */
function phasesOf(panel) {
  if (!panel.phases) return null;
  if (panel.leg !== null) return page.legs[panel.leg];
  const [first, ...others] = page.legs;
  const same = others.every(
    (/** @type {any} */ leg) => Math.abs(leg.ramp - first.ramp) < 0.5 && Math.abs(leg.steady - first.steady) < 1.5,
  );
  return same ? first : null;
}

/** @param {any} panel @param {any} theme @returns {any[]} its marks, coloured */
function marksOf(panel, theme) {
  return (panel.marks ?? []).map((/** @type {any} */ mark) => ({
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
    plugins: [phasePlugin, gapPlugin, limitPlugin, markPlugin, textPlugin],
  });
}

/** Which overlaid legs a reader has switched off; kept when the theme changes. @type {Set<string>} */
const hidden = new Set();

function drawAll() {
  const theme = currentTheme();
  Chart.defaults.font.family = pageFont();
  for (const chart of page.charts) {
    chart.panels.forEach((/** @type {any} */ panel, /** @type {number} */ i) => {
      const canvas = /** @type {HTMLCanvasElement | null} */ (document.getElementById(`chart-${chart.id}-${i}`));
      if (!canvas) return;
      Chart.getChart(canvas)?.destroy();
      const drawn = draw(chart, panel, canvas, theme);
      panel.datasets.forEach((/** @type {any} */ dataset, /** @type {number} */ at) => {
        if (hidden.has(`${chart.id}:${dataset.leg}`)) drawn.setDatasetVisibility(at, false);
      });
      if (hidden.size) drawn.update('none');
    });
  }
}

/** Legend entries of overlaid legs are buttons: a press hides the leg in that figure. */
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
      const model = page.charts.find((/** @type {any} */ one) => one.id === chart);
      model.panels[0].datasets.forEach((/** @type {any} */ dataset, /** @type {number} */ at) => {
        if (String(dataset.leg) === leg) drawn.setDatasetVisibility(at, on);
      });
      drawn.update('none');
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
drawAll();
listenToLegends();
window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', drawAll);
window.matchMedia('print').addEventListener('change', (event) => print(event.matches));
window.addEventListener('beforeprint', () => print(true));
window.addEventListener('afterprint', () => print(false));
