/**
 * Reads a run folder, the report's only input. Tolerates what an interrupted run leaves: a cut last line of
 * samples.ndjson, legs that never began. What could not be read is named, never guessed.
 */
import { createReadStream } from 'node:fs';
import { readFile, readdir } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { SampleLines } from '../../client/measure/sample-lines.js';
import { SampleSeries } from '../../client/measure/sample-series.js';
import { checkSchema } from '../../client/measure/schema.js';

/** @typedef {import('../types.js').Run} Run */

const PART_BYTES = 2 ** 18;

/** It becomes the name of a file. */
const RUN_ID = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;

/** @param {string} path @returns {Promise<any>} the parsed file, null when absent; throws on anything else */
async function readJson(path) {
  const text = await readFile(path, 'utf8').catch((error) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null;
    throw error;
  });
  return text === null ? null : JSON.parse(text);
}

/**
 * @param {string} path of samples.ndjson, which may be longer than the memory
 * @returns {Promise<{ samples: import('../../client/measure/sample-sum.js').SummedSample[], cutLines: number }>} of a long leg longer
 *   than a second; none of a file that cannot be read
 */
async function readSamples(path) {
  const [lines, series] = [new SampleLines(), new SampleSeries()];
  try {
    for await (const part of createReadStream(path, { highWaterMark: PART_BYTES })) {
      for (const sample of lines.add(part)) series.add(sample);
    }
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).syscall === undefined) throw error;
  }
  for (const sample of lines.end()) series.add(sample);
  return { samples: series.samples(), cutLines: lines.cutLines };
}

/**
 * @param {string} folder the run folder
 * @returns {Promise<import('../types.js').Run>}
 */
export async function readRun(folder) {
  /** @type {string[]} */
  const unreadable = [];
  const document = (/** @type {string} */ name) =>
    readJson(join(folder, name)).catch((error) => {
      unreadable.push(`${name}: ${error.message}`);
      return null;
    });
  /** @type {[Run['summary'] | null, Run['plan'], Run['scenario'], Run['environment']]} */
  const [summary, plan, scenario, environment] = /** @type {any} */ (
    await Promise.all(['summary.json', 'plan.json', 'scenario.json', 'environment.json'].map(document))
  );
  if (summary === null) {
    throw new Error(unreadable[0] ?? `${folder} has no summary.json; npm run report writes one`);
  }
  checkSchema(summary, join(folder, 'summary.json'));
  const entries = await readdir(folder, { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory() && /^\d+-/.test(entry.name)).map((entry) => entry.name);
  const ids = new Set([...(plan?.legs ?? []), ...summary.legs].map(({ id }) => id).concat(folders));
  const sorted = [...ids].sort((a, b) => parseInt(a, 10) - parseInt(b, 10) || (a < b ? -1 : 1));
  const inRounds = [...(plan?.legs ?? []), ...summary.legs].some(({ round }) => round > 1);
  const legs = await Promise.all(
    sorted.map(async (id, index) => {
      const { samples, cutLines } = await readSamples(join(folder, id, 'samples.ndjson'));
      const planned = plan?.legs.find((leg) => leg.id === id) ?? null;
      const ofRun = summary.legs.find((leg) => leg.id === id) ?? null;
      const ofLeg = ofRun ?? (await document(join(id, 'summary.json')));
      const caseLabel = ofLeg?.label ?? planned?.label ?? id.replace(/^\d+-/, '');
      const label = inRounds ? `${caseLabel}, round ${ofLeg?.round ?? planned?.round ?? 1}` : caseLabel;
      return { id, label, caseLabel, index, planned, summary: ofLeg, samples, cutLines };
    }),
  );
  return {
    id: RUN_ID.test(summary.run ?? '') ? summary.run : basename(resolve(folder)),
    folder,
    summary,
    plan,
    scenario,
    environment,
    legs,
    unreadable,
  };
}
