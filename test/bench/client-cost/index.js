#!/usr/bin/env node
// The cost of the client: the engine's CPU time per round trip compared with a bare epoll client and Node's `net`, and
// the cost of the transfer log. Needs an otherwise idle machine. ../README.md explains the method.

import { payload } from '../../../client/words/format.js';
import { conduct, main } from '../conduct.js';
import { keeps } from '../must.js';
import { connectionsOf, ioOption, namesOf, parseOptions, payloadsOf } from '../options.js';
import { cost, perSecond } from '../round-trips.js';
import { secondsOf } from '../turns.js';
import { CLIENTS, OTHER, PLACEMENTS, cellsOf } from './cells.js';
import { markdownOf } from './markdown.js';
import { measure, prepare, requestOf } from './measure.js';
import { MUSTS, resultsOf } from './result.js';

const NAME = 'client-cost';
const SAYS = 'Measures the client CPU per round trip of the engine, a bare epoll client and Node net.';
const more = {
  connections: /** @type {const} */ ({
    type: 'string',
    default: '1,100,1000,10000',
    describe: 'list of numbers of connections',
  }),
  payloads: /** @type {const} */ ({ type: 'string', default: '1B,1KiB', describe: 'list of payload sizes' }),
  placement: /** @type {const} */ ({ type: 'string', default: PLACEMENTS.join(','), describe: 'list of placements' }),
  ...ioOption,
  other: /** @type {const} */ ({
    type: 'string',
    describe: 'another checkout, set up, whose engine takes turns with this one',
  }),
};

await main(NAME, (words, signal) => {
  const options = parseOptions(words, { bench: NAME, says: SAYS, rounds: 20, more });
  const { io, rounds, seed, other } = options;
  /** @type {readonly import('./cells.js').Client[]} */
  const clients = other === undefined ? CLIENTS : [...CLIENTS, OTHER];
  const how = { clients, io, rounds, seed, other };
  const cells = cellsOf({
    placements: namesOf(options.placement, PLACEMENTS, '--placement'),
    connections: connectionsOf(options.connections),
    payloads: payloadsOf(options.payloads),
  });
  return conduct(
    {
      name: NAME,
      cells,
      clients,
      how: `the clients in turns, engine over io ${io}`,
      secondsOf: (cell) => secondsOf(requestOf(cell, how)),
      prepare,
      measureTurns: (cell, _, stop) => measure(requestOf(cell, how), stop),
      lineOf: ({ cell, client, figures }) => {
        const where = `${cell.placement} ${cell.connections} x ${payload(cell.payloadBytes)}`.padEnd(24);
        return `${where} ${client.padEnd(14)} ${cost(figures).toFixed(2)} us  ${perSecond(figures).toFixed(0)}/s`;
      },
      resultsOf,
      markdownOf,
      keeps: (results) => results.every((result) => Object.values(MUSTS).every((must) => keeps(must, result))),
    },
    options,
    signal,
  );
});
