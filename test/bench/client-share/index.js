#!/usr/bin/env node
// The client's own part of the response time, over both transports and with client and server on CPUs of their own.
// ../README.md explains the method.

import { availableParallelism } from 'node:os';
import { backends } from '../../../client/engine/index.js';
import { EnvironmentError } from '../../../client/errors.js';
import { duration, payload, percent } from '../../../client/words/format.js';
import { conduct, main } from '../conduct.js';
import { engineCommand } from '../engine-command.js';
import { connectionsOf, parseOptions, payloadsOf } from '../options.js';
import { measureTurns, secondsOf } from '../turns.js';
import { WAYS, WAY_NAMES, cellsOf } from './cells.js';
import { markdownOf } from './markdown.js';
import { resultsOf } from './result.js';

const NAME = 'client-share';
const SAYS = "Measures the client's own part of the response time, by transport and placement.";
const more = {
  connections: /** @type {const} */ ({
    type: 'string',
    default: '10,100,1000,10000',
    describe: 'list of numbers of connections',
  }),
  payloads: /** @type {const} */ ({ type: 'string', default: '1KiB', describe: 'list of payload sizes' }),
};

/**
 * @param {import('./cells.js').Cell} cell @param {{rounds: number, seed: number}} how
 * @returns {import('../turns.js').Request}
 */
function requestOf(cell, { rounds, seed }) {
  const clients = WAY_NAMES.map((name) => {
    const { io, cpus } = WAYS[name];
    return { name, cpus, command: engineCommand({ ...cell, io, turns: true }) };
  });
  return { clients, ...cell, blocks: rounds, seed };
}

/** @param {{from?: string}} options */
function requireMachine({ from }) {
  if (from !== undefined) return;
  for (const { name, available, why } of backends()) {
    if (!available) throw new EnvironmentError(`${name} cannot be measured here: ${why}`, { code: 'EIO' });
  }
  if (availableParallelism() < 2) throw new EnvironmentError('needs two CPUs', { code: 'EAGAIN' });
}

await main(NAME, (words, signal) => {
  const options = parseOptions(words, { bench: NAME, says: SAYS, rounds: 20, more });
  requireMachine(options);
  return conduct(
    {
      name: NAME,
      cells: cellsOf({ connections: connectionsOf(options.connections), payloads: payloadsOf(options.payloads) }),
      clients: WAY_NAMES,
      how: 'the ways in turns',
      secondsOf: (cell) => secondsOf(requestOf(cell, options)),
      measureTurns: (cell, how, stop) => measureTurns(requestOf(cell, how), stop),
      lineOf: ({ cell, client, figures }) => {
        const where = `${cell.connections} x ${payload(cell.payloadBytes)}`.padEnd(14);
        const part = figures.clientPart?.p50;
        const said = part ? `${percent(part.share, 2)} of p50 = ${duration(part.responseNs)}` : 'too few transfers';
        return `${where} ${client.padEnd(24)} ${said}`;
      },
      resultsOf,
      markdownOf,
      keeps: () => true,
    },
    options,
    signal,
  );
});
