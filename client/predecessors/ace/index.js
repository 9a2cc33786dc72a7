// What ACE (2003) adds: its round-trip test as a command.

/** @type {import('../index.js').Predecessor} */
export const ace = {
  commands: [
    {
      name: 'ace',
      positionals: '',
      describe: "Run ACE's round-trip test against a server",
      load: () => import('./command.js'),
    },
  ],
};
