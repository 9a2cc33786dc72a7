#!/usr/bin/env node
// How large the pages of large runs are, and how long they take to build and to open. ../README.md explains the method.

import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { EnvironmentError } from '../../../client/errors.js';
import { findChromium, launchChromium } from '../../fixtures/browser.js';
import { BUILD } from '../build.js';
import { conduct, main } from '../conduct.js';
import { namesOf, parseOptions } from '../options.js';
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

await main(NAME, async (words, signal) => {
  const options = parseOptions(words, { bench: NAME, says: SAYS, rounds: 7, more });
  const pages = namesOf(options.pages, PAGES, '--pages');
  const executable = options.from === undefined ? await findChromium() : null;
  if (options.from === undefined && executable === null) {
    throw new EnvironmentError('no Chromium found; install it (apt-get install chromium) or name it in CHROMIUM');
  }
  /** @type {Map<string, string>} run folders by page */
  const runs = new Map();
  let scratch = '';
  /** @type {import('playwright-core').Browser | undefined} */
  let browser;
  try {
    return await conduct(
      {
        name: NAME,
        cells: pages.map((page) => ({ page })),
        clients: /** @type {const} */ (['page']),
        how: 'a new browser context each time, window of 1400 x 900',
        secondsOf: () => SECONDS,
        async prepare() {
          scratch = await mkdtemp(join(BUILD, 'page-'));
          browser = await launchChromium(/** @type {string} */ (executable));
          for (const page of pages) runs.set(page, await makeRunOf(page, join(scratch, String(runs.size))));
        },
        async measure({ cell: { page } }, stop) {
          const run = /** @type {string} */ (runs.get(page));
          const { stdout } = await promisify(execFile)(process.execPath, [BUILDER, run, join(run, 'report')], {
            signal: stop,
          });
          const { page: path, ...built } = JSON.parse(stdout);
          const opened = await openPage(/** @type {import('playwright-core').Browser} */ (browser), path);
          return { ...built, ...opened };
        },
        lineOf: ({ cell, figures }) =>
          `${cell.page.padEnd(20)} ${(figures.bytes / 1e6).toFixed(2)} MB, load ${figures.loadMs.toFixed(0)} ms, charts ` +
          `${figures.chartMs.toFixed(0)} ms, script ${figures.scriptMs.toFixed(0)} ms, style ${figures.styleMs.toFixed(0)} ms, built in ${figures.buildMs.toFixed(0)} ms`,
        resultsOf,
        markdownOf,
        keeps: keepsAll,
      },
      options,
      signal,
    );
  } finally {
    await browser?.close();
    if (scratch) await rm(scratch, { recursive: true, force: true });
  }
});
