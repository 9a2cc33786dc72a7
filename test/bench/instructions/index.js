#!/usr/bin/env node
// What a transfer takes of the client, in figures that do not depend on what else the machine does: user instructions
// and system calls; and wake-ups, which do. ../README.md explains the method.

import { payload } from '../../../client/words/format.js';
import { conduct, main } from '../conduct.js';
import { connectionsOf, namesOf, parseOptions, payloadsOf } from '../options.js';
import { CLIENTS, WORKLOADS, cellsOf, isMeasured } from './cells.js';
import { markdownOf } from './markdown.js';
import { measureTransfers, prepare } from './measure.js';
import { resultsOf } from './result.js';

const NAME = 'instructions';
const SAYS = 'Counts the user instructions, system calls and wake-ups of the client for each transfer.';
const SECONDS = 12;
const more = {
  connections: /** @type {const} */ ({
    type: 'string',
    default: '10,100,1000',
    describe: 'list of numbers of connections',
  }),
  payloads: /** @type {const} */ ({ type: 'string', default: '1B,1KiB', describe: 'list of payload sizes' }),
  workloads: /** @type {const} */ ({ type: 'string', default: WORKLOADS.join(','), describe: 'list of workloads' }),
  clients: /** @type {const} */ ({ type: 'string', default: CLIENTS.join(','), describe: 'list of clients' }),
};

await main(NAME, (words, signal) => {
  const options = parseOptions(words, { bench: NAME, says: SAYS, rounds: 1, more });
  return conduct(
    {
      name: NAME,
      cells: cellsOf({
        workloads: namesOf(options.workloads, WORKLOADS, '--workloads'),
        connections: connectionsOf(options.connections),
        payloads: payloadsOf(options.payloads),
      }),
      clients: namesOf(options.clients, CLIENTS, '--clients'),
      measures: isMeasured,
      how: 'the difference of two runs',
      secondsOf: () => SECONDS,
      prepare,
      measure: measureTransfers,
      lineOf: ({ cell, client, figures: { instructions, calls, wakeUps } }) => {
        const where = `${cell.workload} ${cell.connections} x ${payload(cell.payloadBytes)}`.padEnd(24);
        const said = `${instructions.toFixed(0)} instructions  ${calls.toFixed(2)} calls  ${wakeUps.toFixed(3)} wake-ups`;
        return `${where} ${client.padEnd(8)} ${said}`;
      },
      resultsOf,
      markdownOf,
      keeps: () => true,
    },
    options,
    signal,
  );
});
