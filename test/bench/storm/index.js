#!/usr/bin/env node
// Storm: very many open connections whose server is killed, stays dead for a while, and is started again on the same
// port; twice. Exits with 99 if a requirement is missed. ../README.md explains the method.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { UsageError } from '../../../client/errors.js';
import { count } from '../../../client/words/format.js';
import { parseDuration } from '../../../client/words/units.js';
import { until } from '../../fixtures/e2e-processes.js';
import { startTarget } from '../../fixtures/e2e-server.js';
import { connectedToThemselves } from '../../fixtures/e2e-sockets.js';
import { main, say, writeSection } from '../conduct.js';
import { facts } from '../machine.js';
import { parseWords, wholeOf } from '../options.js';
import { legOf } from '../planned.js';
import { membersOf, useOf } from '../process-use.js';
import { assertAlive, startStress } from '../stress-run.js';
import { markdownOf } from './markdown.js';
import { missedOf, stormOf } from './result.js';

const NAME = 'storm';
const SAYS = 'Kills the server under many connections, restarts it, and watches them come back.';
const MISSED = 99;
const MOST_CONNECTIONS = 1_000_000;
const STORMS = 2;
/** After an outage of this many back-off caps every slot waits for the cap. */
const CAPS = 4;
/** Of the ramp, each two seconds. */
const STEP = 10_000;
const PATIENCE_MS = 120_000;
const options = /** @type {const} */ ({
  connections: { type: 'number', default: 60_000, describe: 'connections open when the server dies' },
  cap: {
    type: 'string',
    default: '5s',
    describe: 'longest wait of the back-off; the server stays dead four times as long',
  },
  connectTimeout: { type: 'string', default: '10s', describe: 'time limit of an attempt' },
  io: { choices: ['auto', 'epoll', 'io_uring'], default: 'auto', describe: 'transport of the engine' },
  write: { type: 'boolean', default: false, describe: 'write the tables to test/bench/README.md' },
  json: { type: 'boolean', default: false, describe: 'print the figures as JSON' },
});

/** @param {string} text @param {string} option @returns {number} ns */
function durationOf(text, option) {
  const ns = parseDuration(text);
  if (ns === null || !(ns > 0)) throw new UsageError(`${option} ${text}: expected a duration such as 5s`);
  return ns;
}

/** @param {import('../../fixtures/e2e-run.js').Run} run @returns {number} ns since the leg's start, now */
function sinceStart(run) {
  const { t0 } = JSON.parse(readFileSync(join(String(run.folder), 'environment.json'), 'utf8'));
  const { startNs } = run.events().find(({ msg }) => msg === 'leg starts');
  return Number(process.hrtime.bigint() - BigInt(t0.monotonicNs)) - startNs;
}

/** @param {import('../../fixtures/e2e-run.js').Run} run @returns {import('./result.js').Uses} */
function usesOf(run) {
  return Object.fromEntries(
    membersOf(run).flatMap(({ pid, name }) => {
      const use = useOf(pid);
      return use ? [[name, use]] : [];
    }),
  );
}

await main(NAME, async (words, signal) => {
  const given = parseWords(words, { bench: NAME, says: SAYS, options });
  const connections = wholeOf(given.connections, '--connections', MOST_CONNECTIONS);
  const [capNs, timeoutNs] = [durationOf(given.cap, '--cap'), durationOf(given.connectTimeout, '--connectTimeout')];
  const latestMs = (capNs + timeoutNs) / 1e6;
  const load = {
    ...{ connections, io: given.io, payload: '64B', pause: '5s', transferLog: 'none', duration: '30m' },
    ...{ ramp: { add: Math.min(connections, STEP), every: '2s', spread: true }, connectTimeout: given.connectTimeout },
    ...{ transferTimeout: '60s', backoff: { cap: given.cap } },
  };
  const { server, workers } = await legOf({ ...load, servers: ['epoll'] });
  const processes = String(server.kind === 'named' ? (server.options.processes ?? 1) : 1);
  const how = { options: ['--processes', processes] };
  let target = await startTarget(undefined, how);
  const { run, close } = startStress({ ...load, target: `127.0.0.1:${target.port}` }, signal);
  const open = (/** @type {number} */ sinceNs) =>
    run.until(
      'all are open and served',
      () => {
        assertAlive(run);
        return run
          .samples()
          .some(({ toNs, gauges }) => toNs > sinceNs && gauges.open === connections && gauges.unanswered === 0);
      },
      PATIENCE_MS,
    );
  try {
    say(`${count(connections)} connections, ${workers} workers, a server of ${processes} processes`);
    await open(0);
    const uses = [usesOf(run)];
    const storms = [];
    for (let storm = 0; storm < STORMS; storm++) {
      say(`storm ${storm + 1}`);
      await target.stop();
      const diedNs = sinceStart(run);
      await after((CAPS * capNs) / 1e6, undefined, { signal });
      let metThemselves = connectedToThemselves(target.port, run.pid).length;
      // a process of the dead server may still be ending
      target = await until('the port is free again', () => startTarget(target.port, how).catch(() => null));
      const readyNs = sinceStart(run);
      await open(readyNs);
      metThemselves += connectedToThemselves(target.port, run.pid).length;
      storms.push(stormOf(run.samples(), { diedNs, readyNs }, { connections, metThemselves }));
      uses.push(usesOf(run));
    }
    run.kill('SIGINT');
    await run.ended();
    const missed = missedOf(storms, uses, { latestMs });
    const section = sectionOf(storms, uses, { latestMs, missed, leg: run.summary().legs[0] });
    if (given.write) writeSection(NAME, section);
    console.log(given.json ? JSON.stringify({ storms, uses, missed }, null, 2) : section);
    return missed.length === 0 ? 0 : MISSED;
  } finally {
    await target.stop();
    await close();
  }
});

/**
 * @param {import('./result.js').Storm[]} storms
 * @param {import('./result.js').Uses[]} uses
 * @param {{latestMs: number, missed: string[], leg: any}} rest
 */
function sectionOf(storms, uses, { latestMs, missed, leg }) {
  const date = new Date().toISOString().slice(0, 10);
  const { kernel, cpu, cores, node, commit } = facts();
  return [
    '### Results',
    '',
    `Measured ${date}, Linux ${kernel}, ${cores} x ${cpu}, Node ${node}, commit ${commit}.`,
    `${count(leg.connections.requested)} connections over ${leg.io}.`,
    '',
    markdownOf(storms, uses, { latestMs }),
    '',
    missed.length === 0 ? 'Every must is kept.' : `Missed: ${missed.join('; ')}.`,
  ].join('\n');
}
