#!/usr/bin/env node
// How large the pages of large runs are, and how long they take to build and to open. ../README.md explains the method.

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { EnvironmentError } from '../../../client/errors.js';
import { findChromium, launchChromium } from '../../fixtures/browser.js';
import { conduct, main } from '../conduct.js';
import { namesOf, parseOptions } from '../options.js';
import { withScratch } from '../scratch.js';
import { openPage } from './open-page.js';
import { PAGES, makeRunOf } from './pages.js';
import { keepsAll, markdownOf, resultsOf } from './result.js';

const NAME = 'page';
const SAYS = 'Measures the size of the pages of large runs, and the time to build and to open them.';
const BUILDER = fileURLToPath(new URL('build-page.js', import.meta.url));
/** A build and an opening. */
const SECONDS = 6;
const more = {
  pages: /** @type {const} */ ({ type: 'string', default: PAGES.join(','), describe: 'list of pages' }),
};

/** @typedef {import('playwright-core').Browser} Browser */

await main(NAME, async (words, signal) => {
  const options = parseOptions(words, { bench: NAME, says: SAYS, rounds: 7, more });
  const pages = namesOf(options.pages, PAGES, '--pages');
  const executable = options.from === undefined ? await findChromium() : null;
  if (options.from === undefined && executable === null) {
    throw new EnvironmentError('no Chromium found; install it (apt-get install chromium) or name it in CHROMIUM');
  }
  /** @type {Map<string, string>} run folders by page */
  const runs = new Map();
  /** @type {Browser | undefined} */
  let browser;
  try {
    return await withScratch(NAME, (scratch) =>
      conduct(
        {
          name: NAME,
          cells: pages.map((page) => ({ page })),
          clients: /** @type {const} */ (['page']),
          how: 'a new browser context each time, window of 1400 x 900',
          secondsOf: () => SECONDS,
          async prepare() {
            browser = await launchChromium(/** @type {string} */ (executable));
            for (const page of pages) runs.set(page, await makeRunOf(page, join(scratch(), String(runs.size))));
          },
          measure: ({ cell: { page } }, stop) =>
            measure(/** @type {string} */ (runs.get(page)), /** @type {Browser} */ (browser), stop),
          lineOf: ({ cell, figures }) =>
            `${cell.page.padEnd(20)} ${(figures.bytes / 1e6).toFixed(2)} MB, load ${figures.loadMs.toFixed(0)} ms, charts ` +
            `${figures.chartMs.toFixed(0)} ms, script ${figures.scriptMs.toFixed(0)} ms, style ${figures.styleMs.toFixed(0)} ms, built in ${figures.buildMs.toFixed(0)} ms`,
          resultsOf,
          markdownOf,
          keeps: keepsAll,
        },
        options,
        signal,
      ),
    );
  } finally {
    await browser?.close();
  }
});

/** @param {string} run folder @param {Browser} browser @param {AbortSignal} signal */
async function measure(run, browser, signal) {
  const { stdout } = await promisify(execFile)(process.execPath, [BUILDER, run, join(run, 'report')], { signal });
  const { page, ...built } = JSON.parse(stdout);
  return { ...built, ...(await openPage(browser, page)) };
}
