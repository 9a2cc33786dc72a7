// Describes the servers that an agent may start: which, at which address, and what they lack here.

/**
 * @import { Availability, Serves } from './messages.js'
 * @import { Serving } from './server-host.js'
 * @import { RemoteError } from './server-messages.js'
 * @import { Listed } from './server-permission.js'
 */
/**
 * @typedef {Serving['launcher'] & { checkAvailability(servers: Listed[]): Promise<Availability[]> }} Launcher
 */

export class AgentServers {
  /** @param {string} name of the agent @param {Serving & { launcher: Launcher }} serving */
  constructor(name, serving) {
    this.name = name;
    this.serving = serving;
  }

  /** @returns {Serves} */
  describe() {
    const { address, permission } = this.serving;
    return { address, servers: permission.patterns, commands: permission.commands };
  }

  /** @param {string[]} names @returns {Promise<Availability[]>} in the same order */
  async availability(names) {
    const { launcher, permission } = this.serving;
    const listed = launcher.listServers();
    return Promise.all(
      names.map(async (name) => {
        const objection = permission.objectionTo({ name }, listed);
        if (objection !== null) return this.unavailable(name, objection);
        const [server] = await launcher.checkAvailability(listed.filter((entry) => entry.name === name).slice(0, 1));
        const { available, why, remedy, problem } = server;
        return { available, why: why && `on agent ${this.name}: ${why}`, remedy, problem };
      }),
    );
  }

  /** @param {string} server @param {RemoteError} objection @returns {Availability} */
  unavailable(server, { code, data, text }) {
    return {
      available: false,
      why: `agent ${this.name}: ${text}`,
      remedy: `start the agent with --servers ${server}, and the same version of Broadside`,
      problem: { code, data },
    };
  }
}
