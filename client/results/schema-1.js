// Upgrades the documents of a run of schema 1 (samples.ndjson, summary.json) to schema 2 on reading. Pure.
// Names differ, and a few figures of a summary are new: these are taken from the samples. A document of schema 2 is
// returned unchanged.

import { summariseLeg } from './summary.js';

/** @typedef {Record<string, any>} Json */

/** Names of schema 1 and what schema 2 calls them, by the object they are in. */
const SAMPLE = { k: 'second' };
const COUNTERS = { gone: 'lostWithWorker' };
const GAUGES = { asked: 'requested', fresh: 'openedLastSecond', mostOpen: 'peakOpen' };
const CLIENT = { spunSeconds: 'idlePollSeconds' };
const ENGINE = { spun: 'idlePoll' };
const CONNECTIONS = { asked: 'requested', askedAtEnd: 'requestedAtEnd', gone: 'lostWithWorker' };
const STEP = { asked: 'requested', fresh: 'openedLastSecond', inPlay: 'maxInFlight' };
const KNEE = { asked: 'requested' };

/**
 * @param {any} value @param {Record<string, string>} names old name -> new name
 * @returns {any} a copy with the new names, in the same order; anything but an object is returned as it is
 */
function renamed(value, names) {
  if (Object(value) !== value || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [names[name] ?? name, one]));
}

/** @param {any} client of a sample, or of the figures of a span @returns {any} */
function upgradeClient(client) {
  const upgraded = renamed(client, CLIENT);
  if (!Array.isArray(upgraded?.engines)) return upgraded;
  return { ...upgraded, engines: upgraded.engines.map((/** @type {Json} */ engine) => renamed(engine, ENGINE)) };
}

/**
 * @param {Json} document @param {Record<string, (part: any) => any>} upgrades by the name of a part
 * @returns {Json} the document with those parts upgraded that it has
 */
function withParts(document, upgrades) {
  const parts = Object.entries(upgrades).filter(([name]) => document[name] !== undefined && document[name] !== null);
  return { ...document, ...Object.fromEntries(parts.map(([name, upgrade]) => [name, upgrade(document[name])])) };
}

/**
 * @param {Json} sample a line of samples.ndjson
 * @returns {Json} in schema 2
 */
export function upgradeSample(sample) {
  if (sample?.schema !== 1) return sample;
  return withParts(
    { ...renamed(sample, SAMPLE), schema: 2 },
    {
      counters: (counters) => ({ lostWithWorker: 0, ...renamed(counters, COUNTERS) }),
      gauges: (gauges) => renamed(gauges, GAUGES),
      client: upgradeClient,
    },
  );
}

/**
 * A leg's summary has no schema number of its own; names of schema 1 mean nothing else in schema 2.
 * @param {Json} summary of a leg
 * @returns {Json} in schema 2
 */
export function upgradeLegSummary(summary) {
  const figures = (/** @type {Json} */ part) => withParts(part, { client: upgradeClient });
  return withParts(summary, {
    connections: (connections) => renamed(connections, CONNECTIONS),
    steady: figures,
    beforeSteady: figures,
    ramp: (ramp) =>
      withParts(ramp, {
        steps: (steps) => steps.map((/** @type {Json} */ step) => renamed(step, STEP)),
        knee: (knee) => renamed(knee, KNEE),
      }),
  });
}

/**
 * The figures that schema 2 added, from the samples.
 * @param {Json} summary of a leg, its names upgraded @param {import('./sample.js').Sample[]} samples of the leg
 * @param {Json} scenario
 * @returns {Json}
 */
export function withNewFigures(summary, samples, scenario) {
  if (!summary.connections || samples.length === 0) return summary;
  const protocolOptions = scenario.protocolOptions ?? scenario[scenario.protocol];
  const end = { endedBy: summary.endedBy, targets: [], server: summary.server, warnings: [] };
  const fresh = /** @type {Json} */ (
    summariseLeg({ id: summary.id, label: summary.label }, samples, end, { ...scenario, protocolOptions })
  );
  const figures = (/** @type {'steady' | 'beforeSteady'} */ name) =>
    summary[name] === undefined
      ? {}
      : { [name]: { ...fresh[name], ...summary[name], server: fresh[name]?.server ?? summary[name].server } };
  const added = ['churns', 'heldOnly', 'wholeLeg'].filter((name) => fresh[name] !== undefined);
  return {
    ...summary,
    ...Object.fromEntries(added.map((name) => [name, fresh[name]])),
    connections: { ...fresh.connections, ...summary.connections },
    ...figures('steady'),
    ...figures('beforeSteady'),
  };
}

/**
 * @param {Json} summary of a run
 * @returns {Json} in schema 2
 */
export function upgradeRunSummary(summary) {
  if (summary?.schema !== 1) return summary;
  return { ...summary, schema: 2, legs: summary.legs?.map(upgradeLegSummary) };
}
