/// <reference lib="dom" />
/* global document, innerHeight, requestAnimationFrame */
// Opens a page in Chromium, and measures how long it takes. Times are ms from the start of the navigation.

import { pathToFileURL } from 'node:url';

/** @import { Browser } from 'playwright-core' */

/**
 * @typedef {object} Opened
 * @property {number} paintMs first contentful paint
 * @property {number} loadMs end of the load event
 * @property {number} chartMs until every chart in the window is drawn and painted
 * @property {number} scriptMs of JavaScript until then
 * @property {number} styleMs of style and layout until then
 * @property {number} elements
 * @property {number} canvases
 * @property {number} charts drawn so far
 */

/** Runs in the page. @returns {Promise<number>} when all charts in the window are drawn */
async function whenDrawn() {
  const inWindow = () =>
    [...document.querySelectorAll('canvas')].filter((canvas) => {
      const { top, bottom, width } = canvas.getBoundingClientRect();
      return width > 0 && bottom > 0 && top < innerHeight;
    });
  // @ts-ignore: chart.js is a global of the page
  while (!inWindow().every((canvas) => globalThis.Chart.getChart(canvas))) {
    await new Promise((resolve) => requestAnimationFrame(resolve));
  }
  // painted: after a frame has begun, and a task after it
  await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
  return performance.now();
}

/** @param {Browser} browser @param {string} path @returns {Promise<Opened>} */
export async function openPage(browser, path) {
  const context = await browser.newContext({ viewport: { width: 1400, height: 900 } });
  try {
    const page = await context.newPage();
    const devtools = await context.newCDPSession(page);
    await devtools.send('Performance.enable');
    await page.goto(pathToFileURL(path).href, { waitUntil: 'load', timeout: 120_000 });
    const chartMs = await page.evaluate(whenDrawn);
    const { metrics } = await devtools.send('Performance.getMetrics');
    const ms = (/** @type {string} */ name) => (metrics.find((one) => one.name === name)?.value ?? NaN) * 1000;
    const inPage = await page.evaluate(() => {
      const [navigation] = /** @type {PerformanceNavigationTiming[]} */ (performance.getEntriesByType('navigation'));
      const [paint] = performance.getEntriesByName('first-contentful-paint');
      const canvases = [...document.querySelectorAll('canvas')];
      return {
        paintMs: paint?.startTime ?? NaN,
        loadMs: navigation.loadEventEnd,
        elements: document.querySelectorAll('*').length,
        canvases: canvases.length,
        // @ts-ignore: chart.js is a global of the page
        charts: canvases.filter((canvas) => globalThis.Chart.getChart(canvas)).length,
      };
    });
    return {
      ...inPage,
      chartMs,
      scriptMs: ms('ScriptDuration'),
      styleMs: ms('RecalcStyleDuration') + ms('LayoutDuration'),
    };
  } finally {
    await context.close();
  }
}
