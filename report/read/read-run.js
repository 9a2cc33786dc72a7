/**
 * Reads a run folder, the report's only input. Tolerates what an interrupted run leaves: a cut last line of
 * samples.ndjson, legs that never began. What could not be read is named, never guessed.
 */
import { createReadStream } from 'node:fs';
import { readFile, readdir } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { isObject } from '../../client/measure/objects.js';
import { damageOf, parseSummary } from '../../client/measure/run-documents.js';
import { SampleLines } from '../../client/measure/sample-lines.js';
import { SampleSeries } from '../../client/measure/sample-series.js';
import { legName } from '../../client/words/leg-name.js';

/** @typedef {import('../types.js').Run} Run */

const PART_BYTES = 2 ** 15;

/** It becomes the name of a file. */
const RUN_ID = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;

/** @param {string} path @returns {Promise<string | null>} null when it is absent; throws on anything else */
function readText(path) {
  return readFile(path, 'utf8').catch((error) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null;
    throw error;
  });
}

/**
 * @param {string} path @param {import('../../client/measure/run-documents.js').Kind} [kind]
 * @returns {Promise<any>} the document, null when it is absent
 * @throws {Error} when it cannot be read, or is damaged
 */
async function readDocument(path, kind) {
  const text = await readText(path);
  if (text === null) return null;
  const document = JSON.parse(text);
  const damage = kind === undefined ? shapeDamage(document) : damageOf(kind, document);
  if (damage !== null) throw new Error(damage);
  return document;
}

/** @param {unknown} document without a schema @returns {string | null} */
const shapeDamage = (document) => (isObject(document) ? null : 'not an object');

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
  /** @param {string} name @param {import('../../client/measure/run-documents.js').Kind} [kind] */
  const document = (name, kind) =>
    readDocument(join(folder, name), kind).catch((error) => {
      unreadable.push(`${name}: ${error.message}`);
      return null;
    });
  const path = join(folder, 'summary.json');
  const text = await readText(path);
  if (text === null) throw new Error(`${folder} has no summary.json; npm run report writes one`);
  const summary = parseSummary(text, path);
  /** @type {[Run['plan'], Run['scenario'], Run['environment']]} */
  const [plan, scenario, environment] = await Promise.all([
    document('plan.json', 'plan'),
    document('scenario.json'),
    document('environment.json'),
  ]);
  const entries = await readdir(folder, { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory() && /^\d+-/.test(entry.name)).map((entry) => entry.name);
  const ids = new Set([...(plan?.legs ?? []), ...summary.legs].map(({ id }) => id).concat(folders));
  const sorted = [...ids].sort((a, b) => parseInt(a, 10) - parseInt(b, 10) || (a < b ? -1 : 1));
  const legs = await Promise.all(
    sorted.map(async (id, index) => {
      const { samples, cutLines } = await readSamples(join(folder, id, 'samples.ndjson'));
      const planned = plan?.legs.find((leg) => leg.id === id) ?? null;
      const ofRun = summary.legs.find((leg) => leg.id === id) ?? null;
      const ofLeg = ofRun ?? (await document(join(id, 'summary.json'), 'leg-summary'));
      const caseLabel = ofLeg?.label ?? planned?.label ?? id.replace(/^\d+-/, '');
      const { round, start } = ofLeg ?? planned ?? {};
      const label = legName({ label: caseLabel, round, start }, [...(plan?.legs ?? []), ...summary.legs]);
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
