// The runs whose pages are measured. They are made up, so that their sizes are known.

import { makeSweep } from '../../fixtures/page-kinds.js';
import { makeRun } from '../../fixtures/make-run.js';

/** @typedef {(typeof PAGES)[number]} Page */
export const PAGES = /** @type {const} */ (['3 legs', '200 legs', '20 legs of 10 min', 'sweep of 200 points']);

/** The page that the others are compared with. @type {Page} */
export const SMALL = '3 legs';

/** @type {Record<Page, (out: string) => Promise<string>>} */
const MAKERS = {
  '3 legs': (out) => makeRun({ out }),
  '200 legs': (out) => makeRun({ out, legs: 200, seconds: 2 }),
  '20 legs of 10 min': (out) => makeRun({ out, legs: 20, seconds: 590 }), // after a ramp of 10 s
  'sweep of 200 points': (out) => makeSweep(out, { servers: 4, points: 50 }),
};

/** @param {Page} page @param {string} out @returns {Promise<string>} the run folder */
export const makeRunOf = (page, out) => MAKERS[page](out);
