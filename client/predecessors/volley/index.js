// What volley (2015) adds: its ping-pong test as a command, the rows of its experiments, and servers as folders for its
// Makefile and bench.sh.

/** @type {import('../index.js').Predecessor} */
export const volley = {
  commands: [
    {
      name: 'volley',
      positionals: '',
      describe: "Run volley's ping-pong test against a server",
      load: () => import('./command.js'),
    },
  ],
  formats: () => import('./rows.js'),
  serversCommands: [
    {
      name: 'export',
      describe: 'Write servers as folders for the Makefile and bench.sh of volley',
      options: {
        volley: {
          type: 'string',
          requiresArg: true,
          description: "Volley's folder of servers, which gets a folder broadside-NAME for each (required)",
        },
      },
      perform: async (argv) => (await import('./export-servers.js')).exportServers(argv),
    },
  ],
};
