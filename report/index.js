/**
 * Builds the report: one self-contained page for each run folder, and index.html, which is the newest run's page with a
 * list of all runs. The only inputs are the run folder and the pages that exist already.
 */
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { chartModel } from './model/charts/all.js';
import { bodyOf, loadText, OTHER_RUNS, pageOf, titleOf } from './html/page.js';
import { pageLegsOf } from './model/page-cases.js';
import { readRun, RunReader } from './read/read-run.js';
import { listPages, previousOf, runsSection } from './read/run-list.js';
import { digestOf } from '../client/judge/run-digest.js';
import { keepUnits } from './html/units.js';

/**
 * @import { Content } from './html/page.js'
 * @import { Card } from './read/run-list.js'
 * @import { Run } from './types.js'
 */

/** Replaces a file atomically, since two runs may end at once. @param {string} path @param {string} text */
async function replaceFile(path, text) {
  const draft = `${path}.${process.pid}`;
  try {
    await writeFile(draft, text);
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true }).catch(() => {}); // may fail for the same reason as the write
    throw error;
  }
}

/** @param {Run} run @returns {Content & { card: Omit<Card, 'file'> }} */
function contentOf(run) {
  const { results, cases } = pageLegsOf(run);
  const card = {
    run: run.id,
    scenario: titleOf(run),
    startedAt: run.summary.startedAt ?? '',
    load: loadText(run),
    complete: Boolean(run.summary.complete),
    endedBy: run.summary.endedBy,
    digest: { ...digestOf(run.summary), load: JSON.stringify([titleOf(run), run.summary.config, loadText(run)]) },
  };
  return { run, results, cases, model: chartModel(run, results, cases), card };
}

/**
 * @param {string} runFolder folder of a run in progress
 * @returns {{ page: () => Promise<string>, body: (end?: { page: string | null }) => Promise<string> }} page: the whole
 *   live page; body: its changing part; end: set when the run has ended, with the file name of its report
 */
export function livePage(runFolder) {
  const reader = new RunReader(runFolder);
  return {
    page: async () => pageOf(contentOf(await reader.read()), true),
    body: async (end) => bodyOf(contentOf(await reader.read()), { end }),
  };
}

/**
 * @param {{ runFolder: string, reportFolder: string, index?: boolean }} options index: also write index.html; default
 *   true
 * @returns {Promise<{ page: string, index: string }>} paths of the run's page and of index.html
 */
export async function buildReport({ runFolder, reportFolder, index = true }) {
  const run = await readRun(runFolder);
  const content = contentOf(run);
  await mkdir(reportFolder, { recursive: true });
  const paths = { page: join(reportFolder, `${run.id}.html`), index: join(reportFolder, 'index.html') };
  const previous = previousOf(content.card, await listPages(reportFolder));
  await replaceFile(paths.page, await pageOf({ ...content, previous }));
  if (index) await writeIndex(reportFolder, paths.index);
  return paths;
}

/** @param {string} folder @param {string} path of index.html */
async function writeIndex(folder, path) {
  const cards = await listPages(folder);
  const [newest] = cards;
  const page = await readFile(join(folder, newest.file), 'utf8');
  await replaceFile(
    path,
    page.replace(OTHER_RUNS, () => keepUnits(runsSection(cards))),
  );
}
