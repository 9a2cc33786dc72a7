#!/usr/bin/env node
// epoll against io_uring in the engine: client CPU per transfer, throughput, response times. ../README.md explains the
// method.

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { backends } from '../../../client/engine/index.js';
import { EnvironmentError } from '../../../client/errors.js';
import { payload } from '../../../client/words/format.js';
import { BUILD } from '../build.js';
import { conduct, main } from '../conduct.js';
import { engineCommand } from '../engine-command.js';
import { connectionsOf, namesOf, parseOptions, payloadsOf } from '../options.js';
import { cost, perSecond } from '../round-trips.js';
import { measureTurns, secondsOf } from '../turns.js';
import { BACKENDS, HEARTBEAT_SECONDS, WORKLOADS, cellsOf } from './cells.js';
import { markdownOf } from './markdown.js';
import { resultsOf } from './result.js';

const NAME = 'io';
const SAYS = 'Measures the client CPU per transfer of the engine over epoll and over io_uring.';
const LOG_FILES = Object.fromEntries(BACKENDS.map((io) => [io, join(BUILD, `transfers-${io}.arrows`)]));
const more = {
  connections: /** @type {const} */ ({
    type: 'string',
    default: '100,1000,10000',
    describe: 'list of numbers of connections',
  }),
  payloads: /** @type {const} */ ({ type: 'string', default: '1B,1KiB,64KiB', describe: 'list of payload sizes' }),
  workloads: /** @type {const} */ ({ type: 'string', default: WORKLOADS.join(','), describe: 'list of workloads' }),
};

/**
 * Heartbeats leave the cores idle, so both backends have theirs at once.
 * @param {import('./cells.js').Cell} cell @param {{rounds: number, seed: number}} how
 * @returns {import('../turns.js').Request}
 */
function requestOf(cell, { rounds, seed }) {
  const { workload, connections, payloadBytes } = cell;
  const atOnce = workload === 'hold';
  const heart = atOnce ? { heartbeatSeconds: HEARTBEAT_SECONDS } : {};
  const clients = BACKENDS.map((io) => ({
    name: io,
    command: engineCommand({ ...cell, io, turns: true, logFile: LOG_FILES[io], ...heart }),
  }));
  return { clients, connections, payloadBytes, blocks: rounds, seed, atOnce };
}

/** @param {import('../turns.js').Request} request @param {AbortSignal} signal @returns {Promise<import('../engine-client.js').Figures[][]>} */
async function measure(request, signal) {
  try {
    return await measureTurns(request, signal);
  } finally {
    for (const file of Object.values(LOG_FILES)) rmSync(file, { force: true });
  }
}

await main(NAME, (words, signal) => {
  const options = parseOptions(words, { bench: NAME, says: SAYS, rounds: 20, more });
  for (const { name, available, why } of backends()) {
    if (available || options.from !== undefined) continue;
    throw new EnvironmentError(`${name} cannot be measured here: ${why}`, { code: 'EIO' });
  }
  const cells = cellsOf({
    workloads: namesOf(options.workloads, WORKLOADS, '--workloads'),
    connections: connectionsOf(options.connections),
    payloads: payloadsOf(options.payloads),
  });
  return conduct(
    {
      name: NAME,
      cells,
      clients: BACKENDS,
      how: 'the backends in turns',
      secondsOf: (cell) => secondsOf(requestOf(cell, options)),
      measureTurns: (cell, how, stop) => measure(requestOf(cell, how), stop),
      lineOf: ({ cell, client, figures }) => {
        const where = `${cell.workload} ${cell.connections} x ${payload(cell.payloadBytes)}`.padEnd(24);
        return `${where} ${client.padEnd(8)} ${cost(figures).toFixed(2)} us  ${perSecond(figures).toFixed(0)}/s`;
      },
      resultsOf,
      markdownOf,
      keeps: () => true,
    },
    options,
    signal,
  );
});
