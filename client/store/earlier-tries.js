// What an earlier try of a leg has left: it is kept in earlier/ of the run folder while the leg is run again, until the leg is
// complete. A try that left no samples never takes the place of one that did.

import { existsSync, mkdirSync, readdirSync, renameSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = 'earlier';

/** @param {string} run folder @param {string} leg id @returns {string[]} names of its earlier tries in earlier/, the latest last */
function triesOf(run, leg) {
  const folder = join(run, FOLDER);
  const names = existsSync(folder) ? readdirSync(folder) : [];
  const numberOf = (/** @type {string} */ name) => Number(name.slice(leg.length + 1));
  return names
    .filter((name) => name.startsWith(`${leg}-`) && /^[0-9]+$/.test(name.slice(leg.length + 1)))
    .sort((a, b) => numberOf(a) - numberOf(b));
}

/** @param {string} run folder @param {string} leg id @returns {boolean} whether something was measured in its last try */
const hasSamples = (run, leg) => (statSync(join(run, leg, 'samples.ndjson'), { throwIfNoEntry: false })?.size ?? 0) > 0;

/**
 * Moves the folder of a leg that is run again out of the way. Throws where that fails, since the new try would overwrite it.
 * @param {string} run folder @param {string} leg id
 */
export function setAside(run, leg) {
  if (!hasSamples(run, leg)) {
    rmSync(join(run, leg), { recursive: true, force: true });
    return;
  }
  mkdirSync(join(run, FOLDER), { recursive: true });
  const last = triesOf(run, leg).at(-1);
  const number = last === undefined ? 1 : Number(last.slice(leg.length + 1)) + 1;
  renameSync(join(run, leg), join(run, FOLDER, `${leg}-${number}`));
}

/** Deletes the earlier tries of a leg that is complete now. @param {string} run folder @param {string} leg id */
export function dropEarlierTries(run, leg) {
  const tries = triesOf(run, leg);
  for (const name of tries) rmSync(join(run, FOLDER, name), { recursive: true, force: true });
  if (tries.length > 0 && readdirSync(join(run, FOLDER)).length === 0) rmdirSync(join(run, FOLDER));
}

/** @param {string} run folder @param {string} leg id @returns {boolean} whether there was an earlier try to put back */
function restore(run, leg) {
  const latest = triesOf(run, leg).at(-1);
  if (latest === undefined) return false;
  rmSync(join(run, leg), { recursive: true, force: true });
  renameSync(join(run, FOLDER, latest), join(run, leg));
  if (readdirSync(join(run, FOLDER)).length === 0) rmdirSync(join(run, FOLDER));
  return true;
}

/**
 * Puts the latest earlier try of each leg back whose last one left no samples. Legs that take turns were tried together: they are
 * put back only if none of them left any.
 * @param {string} run folder @param {Pick<import('../../config/types.js').PlannedLeg, 'id' | 'slices'>[]} legs of the plan
 * @returns {string[]} ids of the legs that were put back
 */
export function restoreEarlierTries(run, legs) {
  const groupOf = (/** @type {typeof legs[number]} */ leg) =>
    leg.slices === undefined ? [leg] : legs.filter(({ slices }) => slices?.group === leg.slices?.group);
  const empty = legs.filter((leg) => groupOf(leg).every(({ id }) => !hasSamples(run, id)));
  return empty.map(({ id }) => id).filter((id) => restore(run, id));
}
