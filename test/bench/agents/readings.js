// What the control plane has used so far: messages and bytes as the NATS server counts them, and CPU time.

import { streamOf } from '../../../client/run/agents/subjects.js';
import { cpuSecondsOf } from '../process-use.js';

/**
 * @typedef {object} World
 * @property {import('@nats-io/transport-node').NatsConnection} nc of the controller
 * @property {import('@nats-io/jetstream').JetStreamManager} jsm
 * @property {string} run
 * @property {string} monitor URL of the NATS server's monitoring
 * @property {number} natsPid
 * @property {number[]} agentPids
 */

/**
 * @template {string} Name
 * @typedef {{ atMs: number, values: Record<Name, number> }} Reading
 */

/** @param {string} url @returns {Promise<any>} */
const json = async (url) => (await fetch(url)).json();

/** @param {World} world @returns {Promise<Reading<'messages' | 'bytes' | 'controllerMessages' | 'controllerBytes' | 'storedBytes'>>} */
export async function readCounts({ nc, jsm, run, monitor }) {
  const atMs = performance.now();
  const [all, { connections }, { state }] = await Promise.all([
    json(`${monitor}/varz`),
    json(`${monitor}/connz?cid=${nc.info?.client_id}`),
    jsm.streams.info(streamOf(run)),
  ]);
  const [own] = connections;
  return {
    atMs,
    values: {
      messages: all.in_msgs + all.out_msgs,
      bytes: all.in_bytes + all.out_bytes,
      controllerMessages: own.in_msgs + own.out_msgs,
      controllerBytes: own.in_bytes + own.out_bytes,
      storedBytes: state.bytes,
    },
  };
}

/** @param {World} world @returns {Reading<'controllerCpu' | 'natsCpu' | 'agentsCpu'>} ms */
export function readCpu({ natsPid, agentPids }) {
  const { user, system } = process.cpuUsage();
  return {
    atMs: performance.now(),
    values: {
      controllerCpu: (user + system) / 1000,
      natsCpu: cpuSecondsOf(natsPid) * 1000,
      agentsCpu: agentPids.reduce((sum, pid) => sum + cpuSecondsOf(pid), 0) * 1000,
    },
  };
}

/**
 * @template {string} Name
 * @param {Reading<Name>} before @param {Reading<Name>} now
 * @returns {Record<Name, number>} how much more, per second
 */
export function perSecond(before, now) {
  const seconds = (now.atMs - before.atMs) / 1000;
  const names = /** @type {Name[]} */ (Object.keys(now.values));
  return /** @type {Record<Name, number>} */ (
    Object.fromEntries(names.map((name) => [name, (now.values[name] - before.values[name]) / seconds]))
  );
}
