/**
 * Reads a run folder. A run in progress is read repeatedly; each read adds only its new samples and events. The reader
 * accepts an interrupted run: a cut last line of samples.ndjson, legs that never began. It lists unreadable files.
 */
import { createReadStream } from 'node:fs';
import { readFile, readdir } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { unfinishedLeg, unfinishedRun } from '../../client/judge/unfinished.js';
import { damageOf, parseSummary } from '../../client/measure/run-documents.js';
import { RunEvents } from '../../client/measure/run-events.js';
import { SampleLines } from '../../client/measure/sample-lines.js';
import { SampleSeries } from '../../client/measure/sample-series.js';
import { readPlan, readScenario } from '../../client/measure/settings.js';
import { legName } from '../../client/words/leg-name.js';
import { parseProfiles } from './profiles.js';

/**
 * @import { Documents, Kind } from '../../client/measure/run-documents.js'
 * @import { SummedSample } from '../../client/measure/sample-sum.js'
 * @import { ConnectionField, Density, LegSummary } from '../../config/types.js'
 * @import { ProfileTree, Run } from '../types.js'
 */

const PROFILES = 'profiles.json';
const PART_BYTES = 2 ** 15;

/** A run's id is also the name of its page's file. */
const RUN_ID = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;

/** @param {string} path @returns {Promise<string | null>} null when the file is absent; throws on any other error */
function readText(path) {
  return readFile(path, 'utf8').catch((error) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null;
    throw error;
  });
}

/**
 * @template {Kind} K
 * @param {string} path @param {K} kind
 * @returns {Promise<Documents[K] | null>} null when the file is absent
 * @throws {Error} when the file is unreadable or damaged
 */
async function readDocument(path, kind) {
  const text = await readText(path);
  if (text === null) return null;
  const document = JSON.parse(text);
  const damage = damageOf(kind, document);
  if (damage !== null) throw new Error(damage);
  return document;
}

/** A file that another program appends to. */
class GrowingFile {
  /** @param {string} path */
  constructor(path) {
    this.path = path;
    this.bytes = 0;
  }

  /** @returns {AsyncGenerator<Buffer>} the bytes added since the last call; none if the file is unreadable */
  async *parts() {
    try {
      for await (const part of createReadStream(this.path, { start: this.bytes, highWaterMark: PART_BYTES })) {
        this.bytes += part.length;
        yield part;
      }
    } catch (error) {
      if (/** @type {NodeJS.ErrnoException} */ (error).syscall === undefined) throw error;
    }
  }
}

/** The samples of a leg. A long leg's samples are merged into longer ones, so that they fit in memory. */
class LegSamples {
  /** @param {string} path of samples.ndjson */
  constructor(path) {
    this.file = new GrowingFile(path);
    this.lines = new SampleLines();
    this.series = new SampleSeries();
    this.isWhole = false;
  }

  /** @param {boolean} hasEnded whether the leg has ended: a last line without a newline is then a cut line */
  async read(hasEnded) {
    if (this.isWhole) return;
    for await (const part of this.file.parts()) for (const sample of this.lines.add(part)) this.series.add(sample);
    if (!hasEnded) return;
    for (const sample of this.lines.end()) this.series.add(sample);
    this.isWhole = true;
  }

  /** @returns {SummedSample[]} */
  get samples() {
    const samples = this.series.samples();
    return this.isWhole ? samples : [...samples, ...this.lines.last];
  }
}

/**
 * @typedef {{ summary: LegSummary | null, density: Density | null, connectionField: ConnectionField | null,
 *   samples: LegSamples }} LegFiles  null: not written yet
 */

/** Reads one run folder. */
export class RunReader {
  /** @param {string} folder the run folder */
  constructor(folder) {
    this.folder = folder;
    this.eventsFile = new GrowingFile(join(folder, 'events.ndjson'));
    this.events = new RunEvents();
    /** Key: the leg's id. @type {Map<string, LegFiles>} */
    this.legs = new Map();
    /** @type {string[]} */
    this.unreadable = [];
  }

  /**
   * @template {Kind} K
   * @param {string} name @param {K} kind @returns {Promise<Documents[K] | null>} null when the file is absent or
   *   damaged
   */
  document(name, kind) {
    return readDocument(join(this.folder, name), kind).catch((error) => {
      this.unreadable.push(`${name}: ${error.message}`);
      return null;
    });
  }

  /** @returns {Promise<ProfileTree[] | null>} null when the file is absent or damaged */
  async profiles() {
    try {
      const text = await readText(join(this.folder, PROFILES));
      return text === null ? null : parseProfiles(text);
    } catch (error) {
      this.unreadable.push(`${PROFILES}: ${/** @type {Error} */ (error).message}`);
      return null;
    }
  }

  /** @returns {Promise<Run>} the present content of the folder; without summary.json the run is in progress */
  async read() {
    const { folder, events } = this;
    this.unreadable = [];
    const path = join(folder, 'summary.json');
    const text = await readText(path);
    const written = text === null ? null : parseSummary(text, path);
    const [planned, resolved, environment] = await Promise.all([
      this.document('plan.json', 'plan'),
      this.document('scenario.json', 'resolved'),
      this.document('environment.json', 'environment'),
    ]);
    /** @type {Run['plan']} */
    const plan = planned && readPlan(planned, resolved);
    /** @type {Run['scenario']} */
    const scenario = resolved && readScenario(resolved);
    if (written === null) for await (const part of this.eventsFile.parts()) events.add(part);
    const conditions = { id: basename(resolve(folder)), plan, scenario, environment, events };
    const files = await Promise.all(
      (await this.legIds(plan, written)).map(async (id, index) => {
        const planned = plan?.legs.find((leg) => leg.id === id) ?? null;
        const leg = await this.readLeg(id, written);
        const { samples, cutLines, density, connectionField } = leg;
        const inProgress = written === null && leg.summary === null && samples.length > 0;
        const summary = inProgress
          ? unfinishedLeg(planned ?? { id, label: nameIn(id) }, samples, 'running', conditions)
          : leg.summary;
        return { id, index, planned, summary, samples, density, connectionField, cutLines };
      }),
    );
    const summary =
      written ??
      unfinishedRun(
        files.flatMap((leg) => leg.summary ?? []),
        'running',
        conditions,
      );
    const named = [...(plan?.legs ?? []), ...summary.legs];
    const legs = files.map((leg) => {
      const caseLabel = leg.summary?.label ?? leg.planned?.label ?? nameIn(leg.id);
      const { round, start } = leg.summary ?? leg.planned ?? {};
      return { ...leg, label: legName({ label: caseLabel, round, start }, named), caseLabel };
    });
    const profiles = summary.explained === undefined ? null : await this.profiles();
    const id = RUN_ID.test(summary.run ?? '') ? summary.run : conditions.id;
    return { id, folder, summary, plan, scenario, environment, legs, profiles, unreadable: this.unreadable };
  }

  /**
   * @param {Run['plan']} plan
   * @param {Run['summary'] | null} written
   * @returns {Promise<string[]>} ids of the legs that were planned or have a folder, in the order of the run
   */
  async legIds(plan, written) {
    const entries = await readdir(this.folder, { withFileTypes: true });
    const folders = entries.filter((entry) => entry.isDirectory() && /^\d+-/.test(entry.name));
    const ids = [...(plan?.legs ?? []), ...(written?.legs ?? [])].map(({ id }) => id);
    const uniqueIds = new Set([...ids, ...folders.map(({ name }) => name)]);
    return [...uniqueIds].sort((a, b) => parseInt(a, 10) - parseInt(b, 10) || (a < b ? -1 : 1));
  }

  /**
   * @param {string} id of a leg @param {Run['summary'] | null} written the run's summary; null while it is in progress
   * @returns {Promise<{ summary: LegFiles['summary'], samples: LegSamples['samples'], cutLines: number,
   *   density: LegFiles['density'], connectionField: LegFiles['connectionField'] }>} summary: null until the leg ends
   */
  async readLeg(id, written) {
    const files = this.legs.get(id) ?? {
      summary: null,
      density: null,
      connectionField: null,
      samples: new LegSamples(join(this.folder, id, 'samples.ndjson')),
    };
    this.legs.set(id, files);
    const legSummary = written?.legs.find((leg) => leg.id === id) ?? null;
    files.summary = legSummary ?? files.summary ?? (await this.document(join(id, 'summary.json'), 'leg-summary'));
    await files.samples.read(files.summary !== null || written !== null);
    // These large files are written when the leg ends, so they are read once.
    if (files.summary !== null) {
      files.density ??= await this.document(join(id, 'density.json'), 'density');
      files.connectionField ??= await this.document(join(id, 'connections.json'), 'connections');
    }
    const { samples, lines } = files.samples;
    return {
      summary: files.summary,
      samples,
      cutLines: lines.cutLines,
      density: files.density,
      connectionField: files.connectionField,
    };
  }
}

/** @param {string} id of a leg without a plan @returns {string} the id without its number */
const nameIn = (id) => id.replace(/^\d+-/, '');

/**
 * @param {string} folder the run folder
 * @returns {Promise<Run>}
 */
export const readRun = (folder) => new RunReader(folder).read();
