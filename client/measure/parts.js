// The kinds of parts that the load of a leg may be divided over. Samples and summary have the counts of each part; they
// add up to those of the leg.

import { ofHosts } from './hosts.js';
import { ofInstances } from './instances.js';
import { emptyParts } from './part-figures.js';

/**
 * @import { LegSummary, Sample } from '../../config/types.js'
 * @import { LegEnd, PlannedLeg } from './leg-summary.js'
 * @import { MergedPart, PartSample } from './part-figures.js'
 * @import { Merged } from './sample-merge.js'
 */

/**
 * @typedef {object} DividedOver
 * @property {number} [instances]  of the server; absent: one
 * @property {{ count: number, workers: number }} [hosts]  that have the workers; absent: the controller's own
 *
 * @typedef {object} PartKind
 * @property {string} kind  its name in samples and summaries
 * @property {string} words  what they are, as in "added up over the instances of the server"
 * @property {(over: DividedOver) => Division | null} divided  null: there are no parts
 * @property {(part: MergedPart, index: number, measured: { instanceCpu?: (number | null)[] }) => PartSample} sampleOf
 *   instanceCpu: CPU seconds of each instance of the server
 * @property {(leg: PlannedLeg, samples: Sample[], settled: Sample, end: Pick<LegEnd, 'targets' | 'hosts'>,
 *   load: { workload?: string }) => object[] | undefined} summariesOf  settled: the last sample before the drain
 *
 * @typedef {{ count: number, workers?: number, partOf: (share: number) => number }} Division  partOf: the part that a
 *   share of the load belongs to
 * @typedef {typeof ALL[number]['kind']} Kind
 */

const ALL = Object.freeze(/** @type {const} */ ([ofInstances, ofHosts]));

/** The names of the kinds, and what they are. @type {readonly { kind: Kind, words: string }[]} */
export const KINDS = ALL;

/** @param {DividedOver} over @returns {(Division & { kind: Kind })[]} */
export const divisionsOf = (over) =>
  ALL.flatMap(({ kind, divided }) => {
    const division = divided(over);
    return division === null ? [] : { kind, ...division };
  });

/** @param {(Division & { kind: Kind })[]} divisions @returns {Merged['parts']} without counts */
export const emptyPartsOf = (divisions) =>
  Object.fromEntries(divisions.map(({ kind, count, workers }) => [kind, emptyParts(count, workers)]));

/**
 * @template T
 * @param {(kind: typeof ALL[number]) => T | undefined} of
 * @returns {{ [K in Kind]?: T }} without those that are undefined
 */
const ofEachKind = (of) =>
  /** @type {{ [K in Kind]?: T }} */ (
    Object.fromEntries(ALL.map((kind) => [kind.kind, of(kind)]).filter(([, value]) => value !== undefined))
  );

/** @template T @param {T} value @returns {Record<Kind, T>} the same of each kind */
export const forEachKind = (value) =>
  /** @type {Record<Kind, T>} */ (Object.fromEntries(ALL.map(({ kind }) => [kind, value])));

/** @param {Sample} sample @returns {Sample} without the counts of parts */
export const withoutParts = (sample) => ({ ...sample, ...forEachKind(undefined) });

/** @param {Merged} merged @param {{ instanceCpu?: (number | null)[] }} measured @returns {Pick<Sample, Kind>} */
export const partSamples = ({ parts }, measured) =>
  /** @type {Pick<Sample, Kind>} */ (
    ofEachKind(({ kind, sampleOf }) => parts[kind]?.map((part, index) => sampleOf(part, index, measured)))
  );

/** @type {(...of: Parameters<PartKind['summariesOf']>) => Pick<LegSummary, Kind>} */
export const partSummaries = (...of) =>
  /** @type {Pick<LegSummary, Kind>} */ (ofEachKind(({ summariesOf }) => summariesOf(...of)));
