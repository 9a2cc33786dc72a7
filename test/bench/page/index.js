// How large the pages of large runs are, and how long they take to build and to open. ../README.md explains the method.

import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { EnvironmentError } from '../../../client/errors.js';
import { bytes, count } from '../../../client/words/format.js';
import { buildReport } from '../../../report/index.js';
import { findChromium, launchChromium } from '../../fixtures/browser.js';
import { makeRun } from '../../fixtures/make-run.js';
import { makeSweep } from '../../fixtures/page-kinds.js';
import { measureAlone } from '../alone.js';
import { BUILD } from '../build.js';
import { conditionsOf, inRounds, publish } from '../conduct.js';
import { list, number, oneOf } from '../options.js';
import { medianIn, spreadIn, spreadText, table } from '../tables.js';
import { openPage } from './open-page.js';

/** @import { Opened } from './open-page.js' */

const NAME = 'page';
const LIMITS = { bytes: 10_000_000, loadMs: 1000, chartMs: 1000 };
const BUILD_LIMIT_MS = 120_000;
/** Made-up runs, so that their sizes are known. @type {Record<string, (out: string) => Promise<string>>} */
const MAKERS = {
  '3 legs': (out) => makeRun({ out }),
  '200 legs': (out) => makeRun({ out, legs: 200, seconds: 2 }),
  '20 legs of 10 min': (out) => makeRun({ out, legs: 20, seconds: 590 }), // after a ramp of 10 s
  'sweep of 200 points': (out) => makeSweep(out, { servers: 4, points: 50 }),
};
const PAGES = Object.keys(MAKERS);

export const options = {
  pages: list(PAGES.join(','), 'pages', oneOf(PAGES)),
  rounds: number(7, 'number of rounds'),
};

/** @typedef {Opened & { bytes: number, buildMs: number }} Figures */

/** @param {any} given @param {AbortSignal} signal @returns {Promise<boolean>} */
export async function run({ pages, rounds, ...given }, signal) {
  const executable = await findChromium();
  if (executable === null)
    throw new EnvironmentError('no Chromium found; install it (apt-get install chromium) or name it in CHROMIUM');
  const conditions = await conditionsOf({ rounds, how: 'a new browser context each time, window of 1400 x 900' });
  mkdirSync(BUILD, { recursive: true });
  const scratch = mkdtempSync(join(BUILD, `${NAME}-`));
  const browser = await launchChromium(executable);
  try {
    const cells = [];
    for (const name of pages) cells.push({ name, folder: await MAKERS[name](join(scratch, String(cells.length))) });
    const measured = await inRounds(
      {
        cells,
        clientsOf: () => /** @type {const} */ (['page']),
        async measure({ folder }, _, stop) {
          const { page, ...built } = await measureAlone(
            import.meta.url,
            { folder },
            { limitMs: BUILD_LIMIT_MS, signal: stop },
          );
          return /** @type {Figures} */ ({ ...built, ...(await openPage(browser, page)) });
        },
        lineOf: ({ name }, _, figures) =>
          `${name}: ${bytes(figures.bytes)}, built in ${ms(figures.buildMs)} ms, load ${ms(figures.loadMs)} ms, charts ${ms(figures.chartMs)} ms`,
      },
      conditions,
      signal,
    );
    const rows = measured.map(({ cell, rounds: all }) => ({ name: cell.name, own: all.map(({ page }) => page) }));
    publish(NAME, { conditions, measured, tables: [tableOf(rows)] }, given);
    return rows.every(({ own }) =>
      /** @type {(keyof typeof LIMITS)[]} */ (Object.keys(LIMITS)).every(
        (name) => medianIn(own, (figures) => figures[name]) <= LIMITS[name],
      ),
    );
  } finally {
    await browser.close();
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** In a process of its own. @param {{ folder: string }} request of a run */
export async function measure({ folder }) {
  const begun = performance.now();
  const { page } = await buildReport({ runFolder: folder, reportFolder: join(folder, 'report'), index: false });
  return { page, buildMs: performance.now() - begun, bytes: statSync(page).size };
}

/** @param {number} value */
const ms = (value) => count(Math.round(value));

/** @param {{ name: string, own: Figures[] }[]} rows */
function tableOf(rows) {
  return table(
    [
      ...[
        'page',
        'size',
        'build ms',
        'first paint ms',
        'load event ms',
        'charts painted ms',
        'script ms',
        'style and layout ms',
      ],
      ...['elements', 'charts drawn'],
    ],
    rows.map(({ name, own }) => {
      const text = (/** @type {keyof Figures} */ figure, limit = Infinity) =>
        spreadText(
          spreadIn(own, (figures) => figures[figure]),
          ms,
          limit,
        );
      return [
        name,
        spreadText(
          spreadIn(own, (figures) => figures.bytes),
          bytes,
          LIMITS.bytes,
        ),
        ...[text('buildMs'), text('paintMs'), text('loadMs', LIMITS.loadMs), text('chartMs', LIMITS.chartMs)],
        ...[text('scriptMs'), text('styleMs')],
        count(medianIn(own, ({ elements }) => elements)),
        `${count(medianIn(own, ({ charts }) => charts))} of ${count(medianIn(own, ({ canvases }) => canvases))}`,
      ];
    }),
    1,
  );
}
