/**
 * Runs in the page. Reads the chart model from the page. The panels of a chart are parsed when they are first used.
 */

/** @import { ChartModel } from './types.js' */

/** @typedef {(id: string) => string | null | undefined} TextOf returns the text of an element of the page */

/**
 * @param {TextOf} [textOf] default: reads the document
 * @returns {ChartModel}
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
