#!/usr/bin/env node
// Connections per second of connect, transfer, close: the engine (workload reconnect) compared with ab, wrk and neper's
// tcp_crr. Tools that are not installed are left out. ../README.md explains the method and what is the same for all.

import { conduct, main } from '../conduct.js';
import { connectionsOf, ioOption, namesOf, parseOptions, windowOf, windowOption } from '../options.js';
import { CLIENTS, clientsHere } from './clients.js';
import { markdownOf } from './markdown.js';
import { measureChurn, prepare, secondsOf } from './measure.js';
import { cost, perSecond, resultsOf } from './result.js';

const NAME = 'churn';
const SAYS = 'Measures connections per second (connect, transfer, close), compared with ab, wrk and tcp_crr.';
const more = {
  connections: /** @type {const} */ ({
    type: 'string',
    default: '100,1000',
    describe: 'numbers of connections open at a time',
  }),
  clients: /** @type {const} */ ({ type: 'string', default: CLIENTS.join(','), describe: 'list of clients' }),
  seconds: { ...windowOption.seconds, default: 4 },
  ...ioOption,
};

await main(NAME, (words, signal) => {
  const options = parseOptions(words, { bench: NAME, says: SAYS, rounds: 6, more });
  const seconds = windowOf(options.seconds);
  const { io } = options;
  const { clients, notes } = clientsHere(namesOf(options.clients, CLIENTS, '--clients'));
  return conduct(
    {
      name: NAME,
      cells: connectionsOf(options.connections).map((connections) => ({ connections })),
      clients,
      notes,
      how: `windows of ${seconds} s, engine over io ${io}`,
      secondsOf: (_, client) => secondsOf(client, seconds),
      prepare,
      measure: ({ cell, client }, stop) => measureChurn({ ...cell, client, seconds, io }, stop),
      lineOf: ({ cell, client, figures }) => {
        const [us, speed] = [cost(figures).toFixed(1), perSecond(figures).toFixed(0)];
        const failed = figures.failures > 0 ? `  ${figures.failures} failed` : '';
        return `${String(cell.connections).padEnd(6)} ${client.padEnd(12)} ${us} ms per 1,000  ${speed}/s${failed}`;
      },
      resultsOf,
      markdownOf,
      keeps: () => true,
    },
    options,
    signal,
  );
});
