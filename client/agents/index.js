// The commands about agents. Their options of `stress` are in commands/options.js, which the list of commands does not
// need.

/** @import { Entry } from '../commands/index.js' */

/** @type {Entry[]} */
export const commands = [
  {
    name: 'agent',
    positionals: '',
    describe: 'Make this host an agent: it sends load, or starts servers, for runs of other hosts',
    load: () => import('./commands/agent.js'),
  },
  {
    name: 'collect',
    positionals: '<run>',
    describe: "Finish a run whose controller ended, or convert its agents' transfer logs",
    load: () => import('./commands/collect.js'),
  },
];
