// Completes a scenario that is valid by the schema. resolve.js resolves the keys that follow from the schema alone;
// this file resolves the others, such as those whose defaults depend on other keys.

import { lookTimes } from '../judge/looks.js';
import { protocolOf } from '../protocols/index.js';
import { familyOf } from '../words/endpoint.js';
import { peakOf } from '../measure/profile.js';
import { parseDuration, parseRate } from '../words/units.js';
import { commandsOf } from './keys/commands.js';
import { lifetimeOf } from './keys/lifetime.js';
import { payloadBytesOf, payloadFileOf, payloadMinBytesOf } from './keys/payload.js';
import { profileOf } from './keys/profile.js';
import { serverEntryOf } from './keys/servers.js';
import { derivedOf } from './resolve.js';
import { completeTls } from './keys/tls.js';
import { warmupOf } from './keys/warmup.js';
import { wrapOf } from './keys/wrap.js';
import { canBeStamped } from './rules/connections.js';

/**
 * @import { Endpoint } from '../../config/types.js'
 * @import { Find } from '../judge/search/index.js'
 * @import { Scenario, Source, Written } from './scenario.js'
 */

/**
 * @typedef {'auto' | 'off' | number} Interleave  a number: the length of a slice, ns
 * @typedef {{ share: number } | { rate: number }} CompareAt  share: of the smallest throughput measured; rate: requests
 *   a second
 */

/**
 * The CPUs of client and server; plan/placement.js chooses those that are left open.
 * @typedef {object} Pin
 * @property {string | null} client  a list of CPUs, or `each`: a CPU for each worker; null: all
 * @property {string | null} server  the same, for each instance
 * @property {{server: number, client: number} | null} cores  the number of CPUs for each side, instead of the lists
 */

/**
 * @typedef {object} Budget
 * @property {number} minNs      shortest length of the steady state
 * @property {number[]} looksNs  when servers are compared, ns from the start of the steady state; the last is its end
 */

const MAX_DRAIN_NS = 10e9;

/**
 * @param {boolean} isOneStep
 * @param {boolean} endsByTransfers  transfers of the ramp are no part of the results, so the ramp must be short
 * @returns {number} ns
 */
const usualStepNs = (isOneStep, endsByTransfers) => (!isOneStep ? 5e9 : endsByTransfers ? 1e3 : 1e9);

/**
 * @param {Written} raw
 * @param {Source} source
 * @param {Endpoint[]} targets
 * @returns {Scenario} of one point
 */
export function complete(raw, source, targets) {
  const target = targets.at(0);
  const rateProfile = profileOf(raw.rate, 'rate');
  const connectionsProfile = profileOf(raw.connections, 'connections');
  const rate = typeof raw.rate === 'string' ? parseRate(raw.rate) : null;
  const connections = typeof raw.connections === 'number' ? raw.connections : NaN;
  const given = /** @type {Record<string, unknown>} */ (raw)[raw.protocol] ?? {}; // some protocols have no options
  const protocolOptions = protocolOf(raw.protocol).complete?.(given) ?? given;
  const { servers } = raw;
  const choice =
    target !== undefined
      ? { target, ...(targets.length > 1 && { targets }) }
      : {
          ...(servers && { servers: servers.map((entry) => serverEntryOf(entry, raw)) }),
          ...commandsOf(raw),
          ...(raw.command !== undefined && { instances: raw.instances }),
        };
  const first = connectionsProfile === null ? connections : connectionsProfile[0].from;
  const isOneStep = first <= raw.ramp.add;
  const derived = derivedOf(raw);
  const drainTimeoutNs = derived.drainTimeoutNs ?? Math.min(derived.transferTimeoutNs, MAX_DRAIN_NS);
  const everyNs = derived.ramp.everyNs ?? usualStepNs(isOneStep, raw.transfers !== undefined);
  const completed = {
    ...derived,
    name: raw.name ?? source.name ?? '', // see resolveScenario
    ...choice,
    listen: target === undefined ? raw.listen : familyOf(target.host),
    interleave: interleaveOf(raw.interleave),
    margin: Number(raw.margin.slice(0, -1)) / 100,
    compareAt: compareAtOf(raw.compareAt),
    find: findOf(raw.find, { rate, connections }, parseDuration(raw.duration)),
    connections: connectionsProfile === null ? connections : peakOf(connectionsProfile),
    connectionsProfile,
    sweep: null,
    tests: null,
    points: null,
    ramp: { ...derived.ramp, everyNs },
    rate: rateProfile === null ? rate : peakOf(rateProfile),
    rateProfile,
    protocolOptions,
    tls: completeTls(raw.tls, new Set(targets.map(({ host }) => host)).size > 1 ? undefined : target),
    payloadBytes: payloadBytesOf(raw, protocolOptions),
    payloadMinBytes: payloadMinBytesOf(raw),
    payloadFile: payloadFileOf(raw),
    ...warmupOf(raw),
    ...lengthOfSteadyState(raw),
    drainTimeoutNs,
    lifetime: lifetimeOf(raw.lifetime),
    pin: pinOf(raw.pin),
    ...wrapOf(raw.wrap),
  };
  return { ...completed, timestamps: derived.timestamps ?? (canBeStamped(completed) ? 'sample' : 'off') };
}

/** The longest leg of a search; with few requests a leg lasts longer than the scenario says. */
const LONGEST_NS = 30e9;

/**
 * The key that `find` varies gives the greatest value to try; without a rate that is the throughput in closed loop,
 * which the search measures first.
 * @param {Written['find']} raw undefined: no search
 * @param {{ rate: number | null, connections: number }} greatest values to try
 * @param {number} durationNs of a leg
 * @returns {Find | null}
 */
function findOf(raw, greatest, durationNs) {
  if (raw === undefined) return null;
  const { maximise, confirm } = raw;
  const tolerance = Number(raw.tolerance.slice(0, -1)) / 100;
  return {
    maximise,
    goals: [raw.while].flat(),
    to: greatest[/** @type {'rate' | 'connections'} */ (maximise)],
    tolerance,
    confirm,
    longestNs: Math.max(durationNs, LONGEST_NS),
  };
}

/** @param {Written['interleave']} raw @returns {Interleave} */
const interleaveOf = (raw) => (raw === 'auto' || raw === 'off' ? raw : parseDuration(raw));

/** @param {Written['compareAt']} raw @returns {CompareAt | null} null: none is given */
function compareAtOf(raw) {
  if (raw === undefined) return null;
  return raw.endsWith('%') ? { share: Number(raw.slice(0, -1)) / 100 } : { rate: parseRate(raw) };
}

/** @param {Written['pin']} raw @returns {Pin} */
function pinOf({ client = undefined, server = undefined, cores = undefined }) {
  const [forServer, forClient] = cores?.split(':').map(Number) ?? [];
  return {
    client: client ?? null,
    server: server ?? null,
    cores: cores === undefined ? null : { server: forServer, client: forClient },
  };
}

/**
 * With key `budget` the steady state ends when the servers' marks are known well enough. `durationNs` is then its
 * longest length, which the plan uses; `duration` as written is its shortest.
 * @param {Pick<Written, 'budget' | 'duration'>} raw
 * @returns {{ budget: Budget | null, durationNs: number }}
 */
function lengthOfSteadyState({ duration, budget }) {
  const durationNs = parseDuration(duration);
  if (budget === undefined) return { budget: null, durationNs };
  const longestNs = parseDuration(budget);
  return { budget: { minNs: durationNs, looksNs: lookTimes(durationNs, longestNs) }, durationNs: longestNs };
}
