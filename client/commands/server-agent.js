// `--server-agent NAME`: the agent that starts the servers of a run, as far as the plan needs it: which servers it can
// start, and the limits of its machine. The connection to it is made at the first question.

import { checkServerAgent } from '../scenario/place-rules.js';

/**
 * @import { NatsServer } from '../run/agents/connection.js'
 * @import { Scenario } from '../scenario/scenario.js'
 */

export class ServerAgentPlace {
  /** @param {NatsServer} nats @param {string} name */
  constructor(nats, name) {
    this.nats = nats;
    this.name = name;
    /** @type {ReturnType<ServerAgentPlace['connect']> | null} */
    this.opened = null;
  }

  /** @returns {ReturnType<ServerAgentPlace['connect']>} the same each time */
  open() {
    this.opened ??= this.connect();
    return this.opened;
  }

  async connect() {
    const [{ openNats }, { findServerAgent }] = await Promise.all([
      import('../run/agents/connection.js'),
      import('../run/agents/server-agent.js'),
    ]);
    const broker = await openNats(this.nats, 'broadside controller');
    try {
      return { broker, hello: await findServerAgent(broker, this.name) };
    } catch (error) {
      await broker.close();
      throw error;
    }
  }

  /**
   * @template {{ name: string }} Server
   * @param {Server[]} servers
   */
  checkAvailability = async (servers) => {
    const { availabilityOn } = await import('../run/agents/server-agent.js');
    const { broker } = await this.open();
    return availabilityOn(broker, this.name, servers);
  };

  /** @param {Scenario} scenario */
  async machine(scenario) {
    const { hello } = await this.open();
    const { name, host } = hello;
    const { address, commands } = hello.serves;
    checkServerAgent(scenario, { name, address, commands });
    return { name, address, host };
  }

  /** For a plan that has failed. */
  async close() {
    const opened = await this.opened?.catch(() => null);
    if (opened && !opened.broker.isClosed) await opened.broker.close();
  }
}
