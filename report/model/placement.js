/** The host that the servers ran on, according to the plan. */

import { serverHostOf } from '../../client/measure/hosts.js';

/** @import { Run } from '../types.js' */

/** @param {Run} run @returns {string | undefined} the host of a target that is not on loopback */
export function hostElsewhere(run) {
  const servers = (run.plan?.legs ?? []).map((leg) => leg.server);
  const target = servers.find((server) => server.kind === 'target');
  return target && !/^(127\.|localhost$|::1$|unix:)/.test(target.host) ? target.host : undefined;
}

/** @param {Run} run @returns {string | undefined} the host that the servers were started on; undefined: the client's */
export const startedAt = (run) => run.plan?.legs?.map(serverHostOf).find((host) => host !== undefined);

/**
 * @param {Run} run
 * @returns {boolean} whether client and server shared the cores; a server that was running already is measured only if
 *   it is on this host
 */
export const sharesMachine = (run) =>
  startedAt(run) === undefined &&
  (hostElsewhere(run) === undefined || run.legs.some(({ summary }) => summary?.serverUse !== undefined));
