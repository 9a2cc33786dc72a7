/**
 * Runs in the page. Reads the chart model out of the page: the panels of a chart when they are first asked for.
 */

/** @import { ChartModel } from './types.js' */

/** @typedef {(id: string) => string | null | undefined} TextOf the text of an element of the page */

/**
 * @param {TextOf} [textOf] tests read a page without a browser
 * @returns {ChartModel} the chart model of the page
 */
export function readModel(textOf = (id) => document.getElementById(id)?.textContent) {
  const page = JSON.parse(textOf('chart-model') ?? '{"legs":[],"charts":[]}');
  for (const chart of page.charts) {
    Object.defineProperty(chart, 'panels', {
      configurable: true,
      enumerable: true,
      get() {
        const value = JSON.parse(textOf(`chart-model-${chart.id}`) ?? '[]');
        Object.defineProperty(chart, 'panels', { value, writable: true });
        return value;
      },
    });
  }
  return page;
}
