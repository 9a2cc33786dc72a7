/**
 * Runs in the page. Reads the chart model out of the page: the panels of a chart when they are first asked for, and the
 * points of a line when they are. To its reader it is a plain object: `chart.panels[0].datasets[0].points` are `[x, y,
 * n]`.
 */
import { unpackPoints } from '../model/columns.js';

/** @import { ChartModel, Panel } from './types.js' */

/** @param {object} object @param {string} key @param {() => unknown} make its value, once, when it is first read */
function makeLater(object, key, make) {
  Object.defineProperty(object, key, {
    configurable: true,
    enumerable: true,
    get() {
      const value = make();
      Object.defineProperty(object, key, { value, writable: true });
      return value;
    },
  });
}

/** @typedef {(id: string) => string | null | undefined} TextOf the text of an element of the page */

/** @param {string} text of the panels of a chart @returns {Panel[]} */
function panelsOf(text) {
  const { columns, panels } = JSON.parse(text);
  for (const dataset of /** @type {Panel[]} */ (panels).flatMap((panel) => panel.datasets)) {
    const places = /** @type {unknown} */ (dataset.points);
    makeLater(dataset, 'points', () => unpackPoints(columns, /** @type {number[]} */ (places)));
  }
  return panels;
}

/**
 * @param {TextOf} [textOf] tests read a page without a browser
 * @returns {ChartModel} the chart model of the page
 */
export function readModel(textOf = (id) => document.getElementById(id)?.textContent) {
  const page = JSON.parse(textOf('chart-model') ?? '{"legs":[],"charts":[]}');
  for (const chart of page.charts) makeLater(chart, 'panels', () => panelsOf(textOf(`chart-model-${chart.id}`) ?? ''));
  return page;
}
