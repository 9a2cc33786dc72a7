/** Where the server ran, as far as plan and scenario tell. Pure. */

/** @import { Run } from '../types.js' */

/** @param {Run} run @returns {string | undefined} the host of a target that is not on loopback */
export function hostElsewhere(run) {
  const servers = (run.plan?.legs ?? []).map((leg) => leg.server);
  const target = servers.find((server) => server.kind === 'target');
  return target && !/^(127\.|localhost$|::1$|unix:)/.test(target.host) ? target.host : undefined;
}

/** @param {Run} run @returns {string | undefined} name of the agent that started the servers */
export const serverAgentOf = (run) => run.plan?.legs?.find((leg) => leg.serverAgent)?.serverAgent;

/**
 * @param {Run} run
 * @returns {boolean} whether client and server had their cores in common: only a server here is measured without an
 *   agent
 */
export const sharesMachine = (run) =>
  serverAgentOf(run) === undefined &&
  (hostElsewhere(run) === undefined || run.legs.some(({ summary }) => summary?.serverUse !== undefined));
