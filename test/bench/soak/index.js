#!/usr/bin/env node
// Soak: many connections that live for one transfer each, or that are held, for minutes, while memory and descriptors of
// every process of the run are read. Exits with 99 if a process grows. ../README.md explains the method.

import { setTimeout as after } from 'node:timers/promises';
import { UsageError } from '../../../client/errors.js';
import { count } from '../../../client/words/format.js';
import { main, say, writeSection } from '../conduct.js';
import { facts } from '../machine.js';
import { parseWords, wholeOf } from '../options.js';
import { membersOf, useOf } from '../process-use.js';
import { assertAlive, startStress } from '../stress-run.js';
import { table } from '../tables.js';
import { HEAD, MOST_KB_PER_MINUTE, resultOf, rowsOf, WARM_UP } from './result.js';

const NAME = 'soak';
const SAYS = 'Runs workload reconnect or hold for minutes and checks that no process of the run grows.';
const MISSED = 99;
const MOST_CONNECTIONS = 1_000_000;
/** The steady state lasts longer than the readings by this: they begin late on a busy machine, and SIGINT ends it. */
const SPARE_SECONDS = 120;
/** Connections that workload hold opens in a second, and how often each has a transfer. */
const HOLD = { add: 5000, heartbeat: '10s' };
/** Of a process, in addition to those of the load: to the primary, to Node's own. */
const OWN_SOCKETS = 20;
const options = /** @type {const} */ ({
  minutes: { type: 'number', default: 10, describe: 'duration; 0.2 is enough to try it' },
  connections: { type: 'number', default: 10_000, describe: 'number of slots' },
  workload: { choices: ['reconnect', 'hold'], default: 'reconnect', describe: 'what the connections do' },
  rate: { type: 'string', default: '2000/s', describe: 'connects per second; "none": unlimited' },
  every: { type: 'number', default: 5, describe: 'seconds between readings' },
  io: { choices: ['auto', 'epoll', 'io_uring'], default: 'auto', describe: 'transport of the engine' },
  write: { type: 'boolean', default: false, describe: 'write the tables to test/bench/README.md' },
  json: { type: 'boolean', default: false, describe: 'print every reading' },
});

/** @typedef {import('./result.js').Reading} Reading */

await main(NAME, async (words, signal) => {
  const given = parseWords(words, { bench: NAME, says: SAYS, options });
  const { minutes, io, rate, every, workload } = given;
  const isHold = workload === 'hold';
  const connections = wholeOf(given.connections, '--connections', MOST_CONNECTIONS);
  if (!(minutes > 0 && every > 0)) throw new UsageError('--minutes and --every: expected numbers above 0');
  if (isHold && words.some((word) => word.startsWith('--rate'))) {
    throw new UsageError('--rate: connections that are held are not opened again; leave it out with --workload hold');
  }
  const { run, close } = startStress(
    {
      ...{ servers: ['epoll'], connections, workload, payload: '1KiB', io },
      ...(isHold ? { heartbeat: HOLD.heartbeat } : rate === 'none' ? {} : { connectRate: rate }),
      ramp: {
        add: isHold ? Math.min(connections, HOLD.add) : connections,
        every: '1s',
        ...(isHold && { spread: true }),
      },
      duration: `${Math.ceil(minutes * 60) + SPARE_SECONDS}s`,
    },
    signal,
  );
  try {
    await run.until('the steady state has begun', () => run.samples().some(({ phase }) => phase === 'steady'));
    say(`${count(connections)} connections, ${isHold ? 'held' : rate}, for ${minutes} min; a reading each ${every} s`);
    const members = membersOf(run);
    /** @type {Map<number, Reading[]>} */
    const readings = new Map(members.map(({ pid }) => [pid, []]));
    const begun = performance.now();
    for (let minute = 0; minute < minutes;) {
      assertAlive(run);
      minute = (performance.now() - begun) / 60_000;
      for (const { pid, name } of members) {
        const use = useOf(pid);
        if (!use) throw new Error(`${name} (${pid}) has ended${run.story()}`);
        readings.get(pid)?.push({ ...use, minute });
      }
      await after(every * 1000, undefined, { signal });
    }
    run.kill('SIGINT');
    await run.ended();
    const [leg] = run.summary().legs;
    const soak = { minutes, mostSockets: connections + OWN_SOCKETS };
    const results = members.map((member) => resultOf(member, readings.get(member.pid) ?? [], soak));
    const failures = leg.rejects.total + leg.errors.total;
    const section = sectionOf(results, leg, { minutes, every, workload });
    if (given.write) writeSection(NAME, section);
    const all = { results, readings: Object.fromEntries(readings), leg };
    console.log(given.json ? JSON.stringify(all, null, 2) : section);
    if (leg.transfers.count === 0) throw new Error(`nothing was transferred${run.story()}`);
    return failures === 0 && results.every(({ missed }) => missed.length === 0) ? 0 : MISSED;
  } finally {
    await close();
  }
});

/**
 * @param {import('./result.js').Result[]} results
 * @param {any} leg its summary
 * @param {{minutes: number, every: number, workload: string}} how
 */
function sectionOf(results, leg, { minutes, every, workload }) {
  const date = new Date().toISOString().slice(0, 10);
  const { kernel, cpu, cores, node, commit } = facts();
  return [
    '### Results',
    '',
    `Measured ${date}, Linux ${kernel}, ${cores} x ${cpu}, Node ${node}, commit ${commit}.`,
    `Over ${leg.io}, workload ${workload}, ${minutes} min, a reading each ${every} s.`,
    `${count(leg.connections.opened)} connections opened, ${count(leg.transfers.count)} transfers, ` +
      `${count(leg.rejects.total)} rejects, ${count(leg.errors.total)} errors (must: none).`,
    `Growth after the first ${WARM_UP * 100} % of the time; must: less than ${MOST_KB_PER_MINUTE} KB a minute.`,
    '',
    table('', HEAD, rowsOf(results), 1),
  ].join('\n');
}
