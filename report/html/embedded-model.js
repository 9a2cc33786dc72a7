/**
 * The chart model inside the page: one JSON element for the page, and one for the panels of each chart, which is read when
 * the chart is first drawn. What is already text of the page is left out.
 */
import { ColumnPacker } from '../model/columns.js';
import { html, json } from './html.js';

/** @param {import('../types.js').Chart} chart @returns {object} its panels, with packed points */
function panelsOf(chart) {
  const packer = new ColumnPacker();
  const panels = chart.panels.map(({ alt: _alt, note: _note, datasets, ...panel }) => ({
    ...panel,
    datasets: datasets.map((dataset) => ({ ...dataset, points: packer.pack(dataset.points) })),
  }));
  return { columns: packer.columns, panels };
}

/**
 * @param {import('../types.js').ChartModel} model
 * @returns {import('./html.js').Fragment}
 */
export function embeddedModel({ charts, ...page }) {
  const heads = charts.map(({ panels: _panels, lead: _lead, ...head }) => head);
  return html`<script type="application/json" id="chart-model">${json({ ...page, charts: heads })}</script>${charts.map(
    (chart) => html`
<script type="application/json" id="chart-model-${chart.id}">${json(panelsOf(chart))}</script>`,
  )}`;
}
