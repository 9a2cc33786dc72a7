// The scenarios of the tests and of the points of a sweep: each is resolved by itself, and stored as its difference
// from the scenario of the run. Pure.

import { protocolOf } from '../protocols/index.js';
import { differingKeys, withoutVariants } from '../measure/leg-settings.js';
import { crossed, pointKeys, pointWhere } from './keys/sweep.js';
import { givenOf, mostConnections, overlay, testWhere } from './keys/tests.js';

/**
 * @import { Flags } from './flags.js'
 * @import { Axes } from './keys/sweep.js'
 * @import { Scenario } from './scenario.js'
 */

/** @typedef {Record<string, any>} Raw  keys as written */

/**
 * @typedef {object} Resolution
 * @property {Flags} flags  those of the sweep left out
 * @property {(path: string) => string} where
 * @property {(content: Raw, flags: Flags) => Raw} merge
 * @property {(raw: Raw, where: (path: string) => string, isRun?: boolean) => Scenario} resolve
 * @property {(raw: Raw, key: string) => boolean} isShaped  whether what is written at a key is as the schema has it
 */

/**
 * @param {Raw} raw as written @param {Resolution['isShaped']} isShaped
 * @returns {string[]} of payload and the protocol's options, those without an effect; none where the options are wrong
 */
function unusedKeys(raw, isShaped) {
  const { protocol } = raw;
  if (!isShaped(raw, protocol)) return [];
  const options = Object(raw[protocol]);
  const { hasPayload, unused } = protocolOf(protocol);
  return [
    ...(hasPayload?.(options) === false ? ['payload'] : []),
    ...(unused?.(options) ?? []).map((key) => `${protocol}.${key}`),
  ];
}

/**
 * What the scenario gives for all tests is left out of those on which it has no effect, if it has one on others.
 * @param {Raw} laid a test over the scenario, changed in place
 * @param {Raw} keys of the test
 * @param {string[][]} unused  keys without an effect, of each test
 * @param {Resolution['isShaped']} isShaped
 */
function leaveOutUnused(laid, keys, unused, isShaped) {
  for (const path of unusedKeys(laid, isShaped)) {
    const [first, second] = path.split('.');
    const own = second === undefined ? keys[first] : Object(keys[first])[second];
    if (own !== undefined || unused.every((paths) => paths.includes(path))) continue;
    if (second === undefined) delete laid[first];
    else delete Object(laid[first])[second];
  }
}

/**
 * @param {Raw} base as written, flags included, without its tests
 * @param {Raw[]} tests
 * @param {Resolution} resolution
 * @returns {Scenario} the base, and for each test what differs
 */
export function withTests(base, tests, { flags, where, merge, resolve, isShaped }) {
  const connections = 'connections' in flags ? base.connections : mostConnections(base, tests);
  // checked with each test laid over it: alone it is not run
  const scenario = resolve(
    structuredClone({ ...base, ...(connections === undefined ? {} : { connections }), tests }),
    where,
    false,
  );
  const unused = tests.map((keys) => unusedKeys(overlay(base, keys), isShaped));
  const resolved = tests.map(({ as, ...keys }, i) => {
    const given = givenOf({ as, ...keys }, flags);
    const laid = merge(overlay(base, keys), flags);
    leaveOutUnused(laid, keys, unused, isShaped);
    const one = resolve(laid, testWhere(i, given, where));
    return { as, given, one };
  });
  return {
    ...scenario,
    tests: resolved.map(({ as, given, one }) => ({
      as,
      given,
      settings: differingKeys(scenario, withoutVariants(one)),
    })),
  };
}

/**
 * @param {Raw} base as written, flags included, without its tests and its sweep
 * @param {Axes} sweep
 * @param {Raw[] | null} tests  crossed with the points of the sweep
 * @param {Resolution} resolution
 * @returns {Scenario} the first point, with the connections of the largest, and for each point what differs
 */
export function withSweep(base, sweep, tests, { flags, where, merge, resolve, isShaped }) {
  const points = (tests ?? [null]).flatMap((test, i) =>
    crossed(sweep).map((values) => {
      const { as = '', ...keys } = test ?? {};
      const given = test === null ? {} : givenOf({ as, ...keys }, flags);
      const raw = structuredClone(overlay(test === null ? base : merge(overlay(base, keys), flags), pointKeys(values)));
      const ownWhere = pointWhere(values, sweep, test === null ? where : testWhere(i, given, where));
      return {
        axes: { ...(test === null ? {} : { test: as }), ...values },
        keys: overlay(keys, pointKeys(values)),
        given: { ...given, ...values },
        instances: values.instances,
        raw,
        where: ownWhere,
      };
    }),
  );
  const unused = points.map(({ raw }) => unusedKeys(raw, isShaped));
  const resolved = points.map(({ raw, keys, where: own, ...point }) => {
    leaveOutUnused(raw, keys, unused, isShaped);
    return { ...point, one: resolve(raw, own) };
  });
  const first = resolved[0].one;
  const connections = Math.max(...resolved.map(({ one }) => one.connections));
  const scenario = { ...first, connections, sweep };
  const differing = resolved.map(({ axes, given, instances, one }) => {
    // the servers are the same but for their instances, which may yet be those of a pattern
    const { servers: _, instances: __, ...settings } = differingKeys(scenario, withoutVariants(one));
    return { axes, given, settings: { ...settings, ...(instances === undefined ? {} : { instances }) } };
  });
  return {
    ...scenario,
    tests: tests?.map((test) => ({ as: test.as, given: givenOf(test, flags), settings: {} })) ?? null,
    points: differing,
  };
}
