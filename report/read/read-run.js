/**
 * Reads a run folder, the report's only input. Tolerates what an interrupted run leaves: no summary.json, a cut last
 * line of samples.ndjson, legs that never began. What could not be read is named, never guessed.
 */
import { readFile, readdir } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { upgradeLegSummary, upgradeRunSummary, upgradeSample } from '../../client/results/schema-1.js';
import { merge } from '../model/histogram.js';

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
 * What every figure relies on.
 * @param {any} sample @throws when it is not one
 */
function checkSample(sample) {
  const isObject = (/** @type {any} */ value) => Object(value) === value && !Array.isArray(value);
  const groups = ['counters', 'rejects', 'errors', 'gauges'];
  if (!isObject(sample) || !groups.every((name) => isObject(sample[name]))) throw new TypeError('not a sample');
  if (![sample.fromNs, sample.toNs].every(Number.isFinite)) throw new TypeError('a sample without its span');
  for (const histogram of Object.values(sample.histograms ?? {})) if (histogram) merge([histogram]);
}

/**
 * @param {string} text of samples.ndjson
 * @returns {{samples: import('../types.js').Sample[], cutLines: number}} in the order of time; lines that are
 *   no samples are counted
 */
export function parseSamples(text) {
  const samples = [];
  let cutLines = 0;
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue;
    try {
      const sample = /** @type {import("../types.js").Sample} */ (upgradeSample(JSON.parse(line)));
      checkSample(sample);
      samples.push(sample);
    } catch {
      cutLines++;
    }
  }
  samples.sort((a, b) => a.fromNs - b.fromNs || a.toNs - b.toNs);
  return { samples, cutLines };
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
  const [found, plan, scenario, environment] = await Promise.all(
    ['summary.json', 'plan.json', 'scenario.json', 'environment.json'].map(document),
  );
  const summary = found === null ? null : upgradeRunSummary(found);
  const entries = await readdir(folder, { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory() && /^\d+-/.test(entry.name)).map((entry) => entry.name);
  const ids = new Set(
    [...(plan?.legs ?? []), ...(summary?.legs ?? [])].map((/** @type {any} */ leg) => leg.id).concat(folders),
  );
  const sorted = [...ids].sort((a, b) => parseInt(a, 10) - parseInt(b, 10) || (a < b ? -1 : 1));
  const legs = await Promise.all(
    sorted.map(async (id, index) => {
      const text = await readFile(join(folder, id, 'samples.ndjson'), 'utf8').catch(() => '');
      const planned = plan?.legs?.find((/** @type {any} */ leg) => leg.id === id) ?? null;
      const ofRun = summary?.legs?.find((/** @type {any} */ leg) => leg.id === id) ?? null;
      const own = ofRun ?? (await document(join(id, 'summary.json')));
      const ofLeg = own === null ? null : upgradeLegSummary(own);
      const label = ofLeg?.label ?? planned?.label ?? id.replace(/^\d+-/, '');
      return { id, label, index, planned, summary: ofLeg, ...parseSamples(text) };
    }),
  );
  return {
    id: RUN_ID.test(summary?.run ?? '') ? summary?.run : basename(resolve(folder)),
    folder,
    summary,
    plan,
    scenario,
    environment,
    legs,
    unreadable,
  };
}
