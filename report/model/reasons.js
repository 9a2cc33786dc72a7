/**
 * Why connections of a leg were rejected or slow, and which side was the limit: a remark for everything that happened.
 * Pure. Code and tests use `code` and `data` of a remark; `text` is for people.
 */
import { coverageOf } from '../../client/measure/leg-figures.js';
import { connectDelaysOf } from '../../client/judge/connect-delays.js';
import { causeName, REJECT_MEANINGS } from '../../client/words/causes.js';
import { kneeReasons, kneeText } from '../../client/words/knee.js';
import { count, duration, percent } from '../../client/words/format.js';
import { causesOf, causesSeen, causesText, ERROR_WORDS, REJECT_WORDS } from './charts/words.js';
import { sharesMachine } from './placement.js';
import { noSecondSyn } from './page-leg.js';
import { disturbedRounds } from '../../client/judge/disturbances.js';

/** @typedef {import('../types.js').PageLeg} PageLeg */
/** @typedef {import('../types.js').Remark} Remark */

/** Up to this many cores, client and server are expected to fill the machine that they share. */
const FEW_CORES = 4;
const SIDES = /** @type {const} */ (['machine', 'client', 'server']);
/** @type {Record<(typeof SIDES)[number], string>} */
const LIMITING = {
  machine: 'all cores were busy',
  client: 'the client was the limit',
  server: 'the server was the limit',
};
/** Of more shares than these only the extremes are given. */
const MAX_LISTED = 3;

/** @param {PageLeg} f @returns {(typeof SIDES)[number][]} sides that were the limit for some of the steady state */
export const limitingSides = ({ summary: { limitShares } }) => SIDES.filter((side) => (limitShares?.[side] ?? 0) > 0);

/** @param {PageLeg} f @returns {Remark | null} which side was the limit; null where it is not known */
export function limitRemark(f) {
  const { limitShares: limits } = f.summary;
  if (!limits) return null;
  const span = coverageOf(f.summary) === 'whole leg' ? 'leg' : 'steady state';
  const sides = limitingSides(f);
  if (sides.length === 0) {
    const likely = f.summary.findings?.find(({ code }) => code === 'likely-limit');
    return { code: 'no-limit', data: limits, text: likely?.text ?? `No side was at its limit in the ${span}.` };
  }
  const parts = sides.map((side) => `${LIMITING[side]} for ${percent(limits[side])}`);
  const rest = limits.none > 0 ? [`no side was at its limit for ${percent(limits.none)}`] : [];
  const waits = limits.machine > 0 ? ' Response times include waiting for CPU.' : '';
  const text = [...parts, ...rest].join(', ');
  return { code: 'limit', data: limits, text: `${text[0].toUpperCase()}${text.slice(1)} of the ${span}.${waits}` };
}

/** @param {number[]} shares of a core @returns {string} each of a few, the extremes of many */
function sharesText(shares) {
  if (shares.length <= MAX_LISTED) return shares.map((share) => percent(share, 2)).join(', ');
  const sorted = [...shares].sort((a, b) => a - b);
  const [least, most] = [sorted[0], sorted[sorted.length - 1]].map((share) => percent(share, 2));
  return least === most ? `${least} each` : `${least} to ${most}`;
}

/** @param {PageLeg} results @returns {Remark | null} how busy the threads of the engine were */
export function enginesRemark({ figures }) {
  const engines = figures?.client.engines;
  if (!engines?.length) return null;
  const cpu = engines.map((one) => one.cpu);
  const wait = engines.map((one) => one.wait);
  const name = engines.length > 1 ? `${count(engines.length)} engine threads` : 'The engine thread';
  return {
    code: 'engine-threads',
    data: { cpu, wait },
    text: `${name}: ${sharesText(cpu)} of the time on a core, ${sharesText(wait)} waiting for one`,
  };
}

/** @param {PageLeg} results @returns {Remark | null} how busy the processes of the server were, its supervisor apart */
export function processesRemark({ summary, figures, planned }) {
  const processCpu = figures?.server?.processCpu;
  const serverProcesses = summary.serverUse?.processes ?? 0;
  const plannedProcesses = (planned?.server.kind === 'named' ? planned.server.options.processes : undefined) ?? 0;
  if (!processCpu?.length) return null;
  // The first process starts the others, watches them, and serves no connection.
  const supervised = plannedProcesses > 1 && serverProcesses === plannedProcesses + 1;
  const serving = supervised ? plannedProcesses : Math.max(serverProcesses, processCpu.length);
  const cpu = processCpu.slice(0, serving);
  const name =
    serving > cpu.length
      ? `The busiest ${count(cpu.length)} of ${count(serving)} server processes`
      : serving > 1
        ? `${count(serving)} server processes`
        : 'The server process';
  return {
    code: 'server-processes',
    data: { cpu, serving, supervised },
    text: `${name}: ${sharesText(cpu)} of a core${supervised ? '; one more process only supervises them' : ''}`,
  };
}

/** @param {PageLeg} results @param {number} [connectTimeoutNs] @returns {Remark | null} */
function rejectsRemark({ summary: { rejects, kernel, serverKernel } }, connectTimeoutNs) {
  if (!rejects?.total) return null;
  const counts = causesOf(rejects);
  const acceptQueueFull = ((serverKernel ?? kernel)?.TcpExtListenOverflows ?? 0) > 0;
  const causes = causesSeen(counts, REJECT_WORDS)
    .sort((a, b) => counts[b] - counts[a])
    .map((cause) => ({ cause, count: counts[cause], acceptQueueFull: cause === 'timeout' && acceptQueueFull }));
  const texts = causes.map(({ cause, acceptQueueFull: isFull }) => {
    const isTimeout = cause === 'timeout' && connectTimeoutNs;
    const meaning = isTimeout ? `no answer within ${duration(connectTimeoutNs)}` : REJECT_MEANINGS[cause];
    const queue = isFull ? ', while an accept queue was full' : '';
    return meaning ? `${causeName(cause)}: ${meaning}${queue}` : causeName(cause);
  });
  const total = rejects.total === 1 ? 'One reject' : `${count(rejects.total)} rejects`;
  const text =
    texts.length === 1
      ? `${total}, ${texts[0]}.`
      : `${total}: ${texts.map((one, i) => `${count(causes[i].count)} ${one}`).join('; ')}.`;
  return { code: 'rejects', data: { total: rejects.total, causes }, text };
}

/** @param {PageLeg} results @returns {Remark | null} */
function errorsRemark({ summary: { errors } }) {
  if (!errors?.total) return null;
  const counts = causesOf(errors);
  const total = errors.total === 1 ? 'One error' : `${count(errors.total)} errors`;
  const text = `${total} on open connections: ${causesText(counts, ERROR_WORDS, count)}.`;
  return { code: 'errors', data: { total: errors.total, errors: counts }, text };
}

/** Why connects took as long as it takes until a SYN is sent again. @type {Record<string, string>} */
const DELAYS = {
  'this-machine': 'No SYN was sent again, so the delay was on this machine, not in the network.',
  'accept-queue': 'The accept queue was full: the kernel dropped the SYNs, and sent them again at those times.',
  'no-answer': 'The SYNs were not answered, and sent again at those times; the usual reason is a full accept queue.',
};

/** @param {PageLeg} results @returns {Remark | null} connects that took as long as another SYN */
function slowConnectsRemark({ summary }) {
  const { connectSteps = [] } = summary;
  const delays = connectDelaysOf(summary);
  if (delays === null) return null;
  const { slow, of, atNs, reason } = delays;
  const steps = connectSteps.filter(({ connections }) => connections > 0);
  const waited = connectSteps.flatMap(({ atNs: from, connections }, i) => {
    const next = connectSteps[i + 1]?.atNs;
    const range = next === undefined ? `${duration(from)} or more` : `${duration(from)} to ${duration(next)}`;
    return connections > 0 ? [`${count(connections)} waited ${range}`] : [];
  });
  return {
    code: 'slow-connects',
    data: { slow, of, steps, reason },
    text: `${count(slow)} of ${count(of)} connects took ${duration(atNs)} or longer: ${waited.join(', ')}. ${DELAYS[reason]}`,
  };
}

/** @param {PageLeg} results @returns {Remark | null} */
function roundTripRemark({ summary: { rttNs: rtt, tcp } }) {
  if (!rtt) return null;
  const share = tcp?.sampled ? tcp.retransmitted / tcp.sampled : undefined;
  const again =
    share === undefined
      ? ''
      : share > 0
        ? ` ${percent(share)} of ${count(tcp?.sampled)} readings show retransmissions.`
        : ` No retransmissions in ${count(tcp?.sampled)} readings.`;
  return {
    code: 'tcp-round-trip',
    data: { min: rtt.min, p50: rtt.p50, p99: rtt.p99, retransmitted: share },
    text:
      `TCP round-trip time: least ${duration(rtt.min)}, p50 ${duration(rtt.p50)}, p99 ${duration(rtt.p99)}. More than the least is ` +
      `mostly the server's time: an acknowledgement travels with the reply.${again}`,
  };
}

/** @param {PageLeg} results @returns {Remark} of a leg without rejects, errors and slow connects */
function quietRemark(results) {
  const { neverAnswered = 0 } = results.summary.connections ?? {};
  const secondSyn = noSecondSyn(results) ? false : undefined;
  const text = neverAnswered
    ? `No connection was rejected or lost, but ${count(neverAnswered)} were unanswered even after the drain.`
    : `No connection was rejected or lost${secondSyn === false ? ', and none needed a second SYN' : ''}.`;
  return { code: 'nothing-rejected', data: { neverAnswered, secondSyn }, text };
}

/** @param {PageLeg} results @returns {Remark[]} what the plan said of limits that the server would meet */
const ceilingRemarks = ({ ceilings }) =>
  ceilings.map(({ code, text }) => ({
    code: 'ceiling',
    data: { limit: code },
    text: `Predicted by the plan: ${text}`,
  }));

/** @param {PageLeg} results @returns {Remark[]} the knee of the ramp; none without steps */
function kneeRemarks({ summary: { ramp } }) {
  const knee = kneeText(ramp);
  if (knee === undefined) return [];
  const why = kneeReasons(ramp);
  const text = `${knee[0].toUpperCase()}${knee.slice(1)}${why ? `: ${why}` : ''}.`;
  if (ramp?.undetermined) return [{ code: 'knee-undetermined', data: { ...ramp.undetermined }, text }];
  return [{ code: ramp?.knee ? 'knee' : 'no-knee', data: { knee: ramp?.knee ?? null }, text }];
}

/** @template T @param {(T | null)[]} list @returns {T[]} */
const known = (list) => list.flatMap((one) => (one === null ? [] : [one]));

/**
 * @param {PageLeg} results @param {number} [connectTimeoutNs]
 * @returns {Remark[]} rejects, errors, slow connects; empty where there were none
 */
export const failureRemarks = (results, connectTimeoutNs) =>
  known([rejectsRemark(results, connectTimeoutNs), errorsRemark(results), slowConnectsRemark(results)]);

/** @param {PageLeg} results @param {number} [connectTimeoutNs] @returns {Remark[]} what happened, and what was expected */
export const rowRemarks = (results, connectTimeoutNs) => [
  ...failureRemarks(results, connectTimeoutNs),
  ...ceilingRemarks(results),
];

/** @param {PageLeg} results @param {number} [connectTimeoutNs] @returns {Remark[]} everything, in the order of the page */
export function legRemarks(results, connectTimeoutNs) {
  const failures = failureRemarks(results, connectTimeoutNs);
  return [
    ...(failures.length > 0 ? failures : [quietRemark(results)]),
    ...ceilingRemarks(results),
    ...kneeRemarks(results),
    ...known([roundTripRemark(results)]),
  ];
}

/**
 * That the machine is the limit is to be expected where client and server share a few cores.
 * @param {PageLeg[]} ran @param {import('../types.js').Run} run
 * @returns {Remark | null} null where the machine was no leg's limit
 */
export function machineRemark(ran, run) {
  const limited = ran.filter((f) => (f.summary.limitShares?.machine ?? 0) >= 0.5);
  if (limited.length === 0) return null;
  const legs = limited.filter((f) => disturbedRounds(f.summary)).map(({ label }) => label);
  if (legs.length > 0) {
    const where = legs.length === limited.length ? '' : ` (${legs.join(', ')})`;
    const text = `Other programs used part of the machine${where}: see the warnings.`;
    return { code: 'background-load', data: { legs }, text };
  }
  const { cores = Infinity } = run.environment ?? {};
  if (!sharesMachine(run) || !(cores <= FEW_CORES)) return null;
  const text = `Client and server share ${count(cores)} ${cores === 1 ? 'core' : 'cores'}, so the machine is usually the limit.`;
  return { code: 'shared-cores', data: { cores }, text };
}
