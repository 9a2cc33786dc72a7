#!/usr/bin/env node
// CPU of the primary with and without a live page that one reader follows. ../README.md explains the method.

import { setTimeout as after } from 'node:timers/promises';
import { conduct, main } from '../conduct.js';
import { connectionsOf, parseOptions, windowOf, windowOption } from '../options.js';
import { cpuSecondsOf } from '../process-use.js';
import { assertAlive, startStress } from '../stress-run.js';
import { cost, markdownOf, resultsOf, WAYS } from './result.js';

const NAME = 'live';
const SAYS = 'Measures the CPU of the primary with and without --live and one reader.';
/** Start, ramp and end of a run. */
const OWN_SECONDS = 6;
const RATE = '10000/s';
const more = {
  connections: /** @type {const} */ ({ type: 'string', default: '1000', describe: 'list of numbers of connections' }),
  seconds: { ...windowOption.seconds, default: 10 },
};

/** Counts the events of the live page until it is aborted. @param {string} url @param {AbortSignal} signal */
async function follow(url, signal) {
  const seen = { events: 0 };
  const { body } = await fetch(`${url}events`, { signal });
  const count = async () => {
    for await (const chunk of body ?? []) seen.events += Buffer.from(chunk).toString().split('\nevent: ').length - 1;
  };
  count().catch(() => {}); // it is aborted at the end
  return seen;
}

/**
 * @param {import('../rounds.js').Step<import('./result.js').Cell, import('./result.js').Way>} step
 * @param {number} windowSeconds @param {AbortSignal} signal
 * @returns {Promise<import('./result.js').Figures>}
 */
async function measure({ cell: { connections }, client }, windowSeconds, signal) {
  const isLive = client === 'live';
  const scenario = {
    ...{ servers: ['epoll'], connections, payload: '1KiB', rate: RATE, warmup: '0s' },
    ...{ ramp: { add: connections, every: '1s' }, duration: `${windowSeconds + 60}s` },
  };
  const { run, close } = startStress(scenario, signal, isLive ? ['--live'] : []);
  const reading = new AbortController();
  try {
    const urlNow = () => /^live +(http:\S+\/)$/m.exec(run.stdout)?.[1];
    const reader = isLive ? await follow(await run.until('the URL is printed', urlNow), reading.signal) : { events: 0 };
    await run.until('the steady state has begun', () => run.samples().some(({ phase }) => phase === 'steady'));
    const [cpu, begun, events] = [cpuSecondsOf(run.pid), performance.now(), reader.events];
    await after(windowSeconds * 1000, undefined, { signal });
    assertAlive(run);
    const cpuSeconds = cpuSecondsOf(run.pid) - cpu;
    const figures = { cpuSeconds, seconds: (performance.now() - begun) / 1000, events: reader.events - events };
    if (isLive && figures.events === 0) throw new Error(`the reader got no event${run.story()}`);
    return figures;
  } finally {
    reading.abort();
    await close();
  }
}

await main(NAME, (words, signal) => {
  const options = parseOptions(words, { bench: NAME, says: SAYS, rounds: 6, more });
  const seconds = windowOf(options.seconds);
  return conduct(
    {
      name: NAME,
      cells: connectionsOf(options.connections).map((connections) => ({ connections })),
      clients: WAYS,
      how: `windows of ${seconds} s in the steady state, ${RATE}`,
      secondsOf: () => seconds + OWN_SECONDS,
      measure: (step, stop) => measure(step, seconds, stop),
      lineOf: ({ cell, client, figures }) =>
        `${cell.connections} ${client.padEnd(8)} ${cost(figures).toFixed(1)} ms/s, ${figures.events} events`,
      resultsOf,
      markdownOf,
      keeps: () => true,
    },
    options,
    signal,
  );
});
