#!/usr/bin/env node
// What it costs to control many agents: messages, bytes, CPU and time, by their number. ../README.md explains the method.

import { conduct, main } from '../conduct.js';
import { parseOptions, windowOf, windowOption, wholeOf } from '../options.js';
import { cellsOf, LOADS } from './cells.js';
import { measureAgents } from './measure.js';
import { markdownOf } from './markdown.js';
import { resultsOf, timesOf } from './result.js';

const NAME = 'agents';
const SAYS = 'Measures what the control plane of a run over many simulated agents costs, and extrapolates it.';
/** Starting, the run outside of the window, and ending. */
const REST_SECONDS = 10;
const MOST_WORKERS = 16;
const more = {
  agents: /** @type {const} */ ({ type: 'string', default: '20,50,100,200', describe: 'list of numbers of agents' }),
  workers: /** @type {const} */ ({ type: 'number', default: 1, describe: 'workers of each agent' }),
  transfers: /** @type {const} */ ({
    type: 'number',
    default: 10_000,
    describe: 'transfers per second of each busy worker',
  }),
  seconds: { ...windowOption.seconds, default: 10 },
};

await main(NAME, (words, signal) => {
  const options = parseOptions(words, { bench: NAME, says: SAYS, rounds: 3, more });
  const seconds = windowOf(options.seconds);
  const workers = wholeOf(options.workers, '--workers', MOST_WORKERS);
  const transfers = wholeOf(options.transfers, '--transfers');
  return conduct(
    {
      name: NAME,
      cells: cellsOf(options.agents, workers),
      clients: LOADS,
      how: `windows of ${seconds} s, ${workers} worker${workers === 1 ? '' : 's'} on each agent, ${transfers} transfers per second of each busy one`,
      secondsOf: () => REST_SECONDS + seconds,
      measure: ({ cell, client }, stop) =>
        measureAgents({ ...cell, transfers: client === 'busy' ? transfers : 0, seconds }, stop),
      lineOf: ({ cell, client, figures }) =>
        `${String(cell.agents).padEnd(5)} ${client}  ${figures.messages.toFixed(0)} messages/s, ` +
        `${(figures.bytes / 1000).toFixed(0)} KB/s, CPU of controller ${figures.controllerCpu.toFixed(0)} and nats-server ` +
        `${figures.natsCpu.toFixed(0)} ms/s, merge ${timesOf(figures.mergeMs).median.toFixed(1)} ms, ` +
        `line ${timesOf(figures.sampleMs).median.toFixed(1)} ms, delay ${timesOf(figures.delayMs).median.toFixed(0)} ms`,
      resultsOf,
      markdownOf,
      keeps: () => true,
    },
    options,
    signal,
  );
});
