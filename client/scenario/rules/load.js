// Rules about the load: workload, rate, connections, payload, and when connections and legs end.

import { protocolOf, protocolsThatVary } from '../../protocols/index.js';
import { count } from '../../words/format.js';
import { firstConnections } from '../../measure/profile.js';
import { rampSteps } from '../../measure/schedule.js';
import { writeDuration, writeSize } from '../../words/units.js';
import { MAX_PAYLOAD_BYTES } from '../keys/payload.js';
import { provided } from './rule.js';

/**
 * @import { Raw } from '../merge.js'
 * @import { Scenario } from '../scenario.js'
 * @import { Rule } from './rule.js'
 */

const MAX_CONNECTS_PER_SECOND = 10_000_000;
export const MAX_REQUESTS_PER_SECOND = 100_000_000;
const MAX_RAMP_STEPS = 100_000;

/** @param {Scenario} scenario @returns {boolean} whether no connection has a transfer */
export const isSilent = ({ workload, heartbeatNs }) => workload === 'hold' && heartbeatNs === 0;

/** @param {Scenario['workload']} workload @returns {boolean} whether its connections have transfers without end */
export const repeats = (workload) => workload === 'continuous' || workload === 'reconnect';

/** @type {Rule[]} */
const workloadRules = [
  {
    path: 'start',
    code: 'start-and-rate',
    when: ({ start, rate }) => start === 'together' && rate !== null && { start, rate },
    why: ({ rate }, start) =>
      `"${start}" belongs to a closed loop; with rate (${rate}/s), requests begin after the ramp anyway; leave start out`,
  },
  {
    path: 'start',
    code: 'hold-without-heartbeat',
    when: (scenario) =>
      scenario.start === 'together' && isSilent(scenario) && { start: scenario.start, workload: scenario.workload },
    why: (_, start) =>
      `"${start}", but workload "hold" without heartbeat has no transfers; give heartbeat, or leave start out`,
  },
  {
    path: 'heartbeat',
    code: 'key-not-for-workload',
    when: ({ heartbeatNs, workload }) => heartbeatNs > 0 && workload !== 'hold' && { workload },
    why: ({ workload }, written) =>
      `${written} belongs to workload "hold", but the workload is "${workload}"; leave it out, or give workload "hold"`,
  },
  {
    path: 'pause',
    code: 'key-not-for-workload',
    when: ({ pauseNs, workload }) => pauseNs > 0 && workload !== 'continuous' && { workload },
    why: ({ workload }, written) =>
      `${written} belongs to workload "continuous", but the workload is "${workload}"` +
      (workload === 'hold' ? '; give heartbeat for a transfer now and then' : '; leave it out'),
  },
  {
    path: 'pipeline',
    code: 'pipeline-and-pause',
    when: ({ pipeline, pauseNs, workload }) => pipeline > 1 && pauseNs > 0 && { pipeline, workload, pauseNs },
    why: ({ pauseNs }, pipeline) => `${pipeline}, but pause is ${writeDuration(pauseNs)}; leave one of them out`,
  },
  {
    path: 'pipeline',
    code: 'key-not-for-workload',
    when: ({ pipeline, pauseNs, workload }) =>
      pipeline > 1 && workload !== 'continuous' && { pipeline, workload, pauseNs },
    why: ({ workload }, pipeline) =>
      `${pipeline} belongs to workload "continuous", but the workload is "${workload}"; leave one of them out`,
  },
  {
    path: 'pipeline',
    code: 'pipeline-not-for-protocol',
    when: ({ pipeline, protocol }) =>
      pipeline > 1 && protocolOf(protocol).pipelined === false && { pipeline, protocol },
    why: ({ protocol }, pipeline) =>
      `${pipeline}, but a connection of ${protocol} has at most one request in flight; leave pipeline out`,
  },
];

/** @param {'rate' | 'connections'} key that holds a profile @returns {Rule} */
const pieceLengths = (key) => ({
  path: `${key}[].for`,
  code: 'out-of-range',
  each: (scenario) =>
    (scenario[/** @type {const} */ (`${key}Profile`)] ?? []).map(({ forNs }, i) => [`${key}[${i}].for`, forNs]),
  when: (_, __, value) => value === 0 && { value },
  why: () => 'must be longer than 0s',
});

/** @type {Rule[]} */
const rateRules = [
  {
    path: 'connectRate',
    code: 'out-of-range',
    when: ({ connectRate: value }) =>
      value !== null && !(value > 0 && value <= MAX_CONNECTS_PER_SECOND) && { value, max: MAX_CONNECTS_PER_SECOND },
    why: ({ max }, written) =>
      `${written} is not a connect rate; more than 0/s, at most ${count(max)}/s, or leave it out to connect as fast as possible`,
  },
  {
    path: 'arrivals',
    code: 'key-needs-rate',
    when: ({ arrivals, rate, compareAt, find }) =>
      (rate ?? compareAt) === null && find?.maximise !== 'rate' && arrivals !== 'constant' && { value: arrivals },
    why: ({ value }) => `"${value}" belongs to rate, but there is none; give rate, such as 1000/s`,
  },
  {
    path: 'rate',
    code: 'out-of-range',
    when: ({ rate: value }) =>
      value !== null && !(value > 0 && value <= MAX_REQUESTS_PER_SECOND) && { value, max: MAX_REQUESTS_PER_SECOND },
    why: ({ value, max }) =>
      `${value}/s is not a rate of requests; more than 0/s, at most ${count(max)}/s, or leave it out for a closed loop`,
  },
  {
    path: 'rate',
    code: 'key-not-for-workload',
    when: ({ rate, workload }) => rate !== null && !repeats(workload) && { workload },
    why: ({ workload }, rate) =>
      `${rate} belongs to workload "continuous" or "reconnect", but the workload is "${workload}"; leave one of them out`,
  },
  {
    path: 'rate',
    code: 'rate-and-pause',
    when: ({ rate, pauseNs }) => rate !== null && pauseNs > 0 && { rate, pauseNs },
    why: ({ pauseNs }, rate) =>
      `${rate} says when requests are sent, and so does pause (${writeDuration(pauseNs)}); leave one of them out`,
  },
  pieceLengths('rate'),
  pieceLengths('connections'),
  {
    path: 'connections',
    code: 'profile-empty',
    when: ({ connectionsProfile, connections }) => connectionsProfile !== null && connections === 0 && {},
    why: () => 'a profile without a single connection; give more in one of its pieces',
  },
  {
    path: 'connections',
    code: 'profile-without-reopen',
    when: ({ connectionsProfile, lifetime }) =>
      connectionsProfile !== null && lifetime?.reopen === false && { reopen: false },
    why: () =>
      'a profile needs connections that stay open or come back; give a number, or leave lifetime.reopen (false) out',
  },
  {
    path: 'connections',
    code: 'key-not-for-workload',
    when: ({ connectionsProfile, workload }) => connectionsProfile !== null && workload === 'once' && { workload },
    why: ({ workload }) =>
      `a profile needs connections that stay open or come back, but the workload is "${workload}"; give a number, or another workload`,
  },
  {
    path: 'ramp.add',
    code: 'too-many-steps',
    when: (scenario) => {
      const { add, spread } = scenario.ramp;
      const steps = rampSteps(firstConnections(scenario), add);
      return !spread && steps > MAX_RAMP_STEPS && { add, steps, max: MAX_RAMP_STEPS };
    },
    why: ({ add, steps, max }) =>
      `${add} makes a ramp of ${count(steps)} steps, more than ${count(max)}; give a larger add and a longer every, with ` +
      'ramp.spread to space them evenly',
  },
];

/** @type {Rule[]} */
const endRules = [
  {
    path: 'transfers',
    code: 'transfers-and-rate',
    when: ({ transfers, rate }) => transfers !== null && rate !== null && { transfers, rate },
    why: ({ transfers, rate }) =>
      `${transfers} belongs to a closed loop; with rate (${rate}/s), duration determines how many there are; leave one of them out`,
  },
  {
    path: 'transfers',
    code: 'key-not-for-workload',
    when: ({ transfers, workload }) => transfers !== null && !repeats(workload) && { workload },
    why: ({ workload }, transfers) =>
      `${transfers} belongs to workload "continuous" or "reconnect", but the workload is "${workload}"; leave one of them out`,
  },
  {
    path: 'lifetime.reopen',
    code: 'lifetime-without-end',
    when: ({ lifetime }, { lifetime: { reopen } = /** @type {Raw} */ ({}) }) =>
      lifetime === null && reopen !== undefined && { reopen },
    why: (_, written) =>
      `${written}, but nothing says when a connection is closed; give lifetime.transfers or lifetime.time`,
  },
  {
    path: 'lifetime.reopen',
    code: 'reopen-and-rate',
    when: ({ lifetime, rate }) => lifetime?.reopen === false && rate !== null && { reopen: false, rate },
    why: ({ rate }) => `false, but with rate (${rate}/s), duration determines when the leg ends; leave one of them out`,
  },
  {
    path: 'lifetime',
    code: 'key-not-for-workload',
    when: ({ lifetime, workload }) =>
      lifetime !== null && (workload === 'once' || workload === 'reconnect') && { workload },
    why: ({ workload }) =>
      `a connection of workload "${workload}" has one transfer and is closed; give workload "continuous" or "hold", or leave ` +
      'lifetime out',
  },
  {
    path: 'lifetime',
    code: 'hold-without-heartbeat',
    when: (scenario) => scenario.lifetime !== null && isSilent(scenario) && { workload: scenario.workload },
    why: () => 'a connection ends after a transfer, and one that is held without a heartbeat has none; give heartbeat',
  },
];

/** @param {Scenario} scenario @returns {boolean} whether its requests carry the bytes of `payload` */
const isSent = ({ protocol, protocolOptions }) => {
  const { hasPayload, sizes } = protocolOf(protocol);
  return hasPayload?.(protocolOptions) !== false && !sizes?.(protocolOptions);
};

/** @param {Scenario} scenario @returns {boolean} whether `payload` is a range of sizes that the protocol can send */
const varies = ({ protocol, payloadMinBytes }) =>
  payloadMinBytes !== null && protocolOf(protocol).variesPayload === true;

/** @type {Rule[]} */
const payloadRules = [
  {
    path: 'payload',
    code: 'payload-set-by-protocol',
    when: ({ protocol, protocolOptions }, { payload }) =>
      payload !== undefined && protocolOf(protocol).sizes?.(protocolOptions) && { payload, protocol },
    why: ({ payload, protocol }) =>
      `${payload}, but ${protocolOf(protocol).sizedBy} says what is sent; leave one of them out`,
  },
  {
    path: 'payload',
    code: 'payload-not-sent',
    when: ({ protocol, protocolOptions }, { payload }) =>
      payload !== undefined &&
      protocolOf(protocol).hasPayload?.(protocolOptions) === false && {
        ...{ payload, protocol },
        needsMethod: protocol === 'http' && protocolOptions.requests === undefined,
      },
    why: ({ payload, protocol, needsMethod }, _written, isOfFile) =>
      `${payload}, but such a request of ${protocol} carries none; leave payload out` +
      (isOfFile ? ' of the file, or the file out (--config)' : '') +
      (needsMethod ? ', or give -m POST' : ''),
  },
  ...provided(isSent, [
    {
      path: 'payload',
      code: 'payload-cannot-vary',
      when: (scenario, { payload: value }) =>
        scenario.payloadMinBytes !== null && !varies(scenario) && { value, protocol: scenario.protocol },
      why: ({ value, protocol }) =>
        `${value} is a range, but every request of ${protocol} has the same size; give one size, or a protocol whose ` +
        `requests may vary: ${protocolsThatVary.join(', ')}`,
    },
    {
      path: 'payload',
      code: 'not-whole-bytes',
      when: ({ payloadBytes, payloadMinBytes: least }, { payload }) =>
        !(Number.isInteger(payloadBytes) && Number.isInteger(least ?? 0)) && {
          value: least === null ? payloadBytes : payload,
        },
      why: (_, written) => `${written} is not a number of whole bytes`,
    },
    {
      path: 'payload',
      code: 'range-empty',
      when: ({ payloadBytes, payloadMinBytes: least }, { payload: value }) =>
        least !== null && least >= payloadBytes && { value },
      why: ({ value }) => `${value} is no range; give the smaller size first, such as 1B-64KiB`,
    },
    {
      path: 'payload',
      code: 'out-of-range',
      when: ({ protocol, payloadBytes, payloadMinBytes: least }, { payload }) =>
        (least ?? payloadBytes) < 1 &&
        !protocolOf(protocol).emptyPayload && { value: least === null ? payloadBytes : payload, min: 1 },
      why: (_, written) => `${written} is too small; a payload has at least 1B`,
    },
    {
      path: 'payload',
      code: 'out-of-range',
      when: (scenario, { payload }) =>
        scenario.payloadBytes > MAX_PAYLOAD_BYTES && {
          ...{ value: varies(scenario) ? payload : scenario.payloadBytes, max: MAX_PAYLOAD_BYTES },
        },
      why: ({ max }, written) => `${written} is too large; at most ${writeSize(max)}`,
    },
    {
      path: 'payload',
      code: 'payload-fixed-by-protocol',
      when: ({ protocol, payloadBytes, payloadFile }, { payload }) => {
        const { wordBytes: bytes } = protocolOf(protocol);
        const isOther = bytes !== undefined && (payloadFile !== null || payloadBytes !== bytes);
        return isOther && { value: payloadFile === null ? payloadBytes : payload, protocol, bytes };
      },
      why: ({ protocol, bytes }, written) =>
        `${written}, but a request of ${protocol} is a word of ${bytes} bytes that its client draws; leave payload out`,
    },
  ]),
];

/** @type {readonly Rule[]} */
export const loadRules = [...workloadRules, ...rateRules, ...endRules, ...payloadRules];
