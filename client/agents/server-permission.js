// The servers that an agent may start for a run, by its command line. An environment variable can make a program load
// other code (LD_PRELOAD, NODE_OPTIONS), so only an agent that permits commands accepts variables. An option's value is
// a single number or word, because a server's script may write it into a configuration file.
import { typed } from '../invocation.js';
import { matching } from '../scenario/keys/server-patterns.js';

/** @import { RemoteError, ServerOrder } from './server-messages.js' */

/** @typedef {{ name: string, language?: string }} Listed  a server of the agent's checkout */

/** @param {unknown} value of an option @returns {boolean} whether every program reads it as a single value */
const isPlain = (value) =>
  ['number', 'boolean'].includes(typeof value) || (typeof value === 'string' && /^\w[\w.-]*$/.test(value));

export class ServerPermission {
  /**
   * @param {string[]} patterns of names, such as `epoll` or `c/*`
   * @param {boolean} commands whether it may run commands
   */
  constructor(patterns, commands) {
    this.patterns = [...patterns];
    this.commands = commands;
  }

  /** Whether it may start anything. */
  get isAny() {
    return this.commands || this.patterns.length > 0;
  }

  /** @param {Listed} server @returns {boolean} */
  permits(server) {
    return this.patterns.some((pattern) => matching(pattern, [server]).length > 0);
  }

  /**
   * @param {Pick<ServerOrder, 'name' | 'command' | 'options' | 'env'>} order
   * @param {Listed[]} listed
   * @returns {RemoteError | null} why the agent refuses it; null: it does not
   */
  objectionTo({ name, command, options = {}, env = {} }, listed) {
    if (command !== undefined && !this.commands) {
      return {
        code: 'ECOMMANDREFUSED',
        data: { command },
        text: `it runs no commands; permit them there: ${typed('agent', '--commands')}`,
      };
    }
    const variables = Object.keys(env);
    if (variables.length > 0 && !this.commands) {
      return {
        code: 'EENVREFUSED',
        data: { variables },
        text: `it takes no environment variables (${variables.join(', ')}), as they can make a program run other code; permit them there: ${typed('agent', '--commands')}`,
      };
    }
    const unclear = Object.keys(options).filter((key) => !isPlain(options[key]));
    if (unclear.length > 0 && !this.commands) {
      return {
        code: 'EOPTIONREFUSED',
        data: { options: unclear },
        text: `it takes no option whose value is not a number or a plain word (${unclear.join(', ')}); permit others there: ${typed('agent', '--commands')}`,
      };
    }
    if (name === undefined) return null;
    const server = listed.find((entry) => entry.name === name);
    if (server === undefined) {
      return { code: 'ESERVERUNKNOWN', data: { server: name }, text: `it has no server "${name}"` };
    }
    if (this.permits(server)) return null;
    const permitted = this.patterns.length === 0 ? 'none' : this.patterns.join(', ');
    return {
      code: 'ESERVERREFUSED',
      data: { server: name, permitted: this.patterns },
      text: `it may not start the server ${name}; it may start: ${permitted} (${typed('agent', '--servers NAME')})`,
    };
  }
}
