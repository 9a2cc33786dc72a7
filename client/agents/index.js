// The commands that other hosts add. The options of `stress`, and with them a place for its run, are in
// commands/options.js, since the list of commands needs none of them.

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
