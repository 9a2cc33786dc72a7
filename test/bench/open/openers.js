// The two clients of the bench open: all of Broadside, and the bare opener. Both open their connections immediately and
// hold them. Each reports on CLOCK_MONOTONIC when it began; the observer sees when all are open.

import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readHost } from '../../../client/machine/host.js';
import { plan } from '../../../client/plan/plan.js';
import { resolveScenario } from '../../../client/scenario/scenario.js';
import { listServers, startServer } from '../../../servers/launcher/index.js';
import { BUILD, programOf } from '../build.js';
import { usageOf } from '../../fixtures/known-usage.js';

/**
 * @import { ChildProcess } from 'node:child_process'
 * @import { Leg } from '../../../client/plan/plan.js'
 */

/**
 * @typedef {object} Opener
 * @property {number} root the process under which all of it is
 * @property {boolean} nodeIsClient the server is under that root, too
 * @property {() => Promise<{startNs: bigint, failures: number}>} finish lets the connections go
 * @property {() => number} serverBytes resident, of a server that is not under the root
 * @property {Promise<never>} failed rejects when it ends before it should
 * @property {() => Promise<void>} stop in any case, and at once
 *
 * @typedef {{connections: number, workers: number | 'auto'}} Wish
 * @typedef {{code: number | null, signal: string | null}} Ending
 */

const CLI = fileURLToPath(new URL('../../../client/cli.js', import.meta.url));
export const OPENER_SOURCE = new URL('bare-opener.c', import.meta.url);
/** Longer than any measurement; it is ended when it has been looked at. */
const HOLD = '10m';
const INTERRUPTED = 130;

/** @param {Wish} wish what Broadside is asked to do; the plan of the bare opener is made of the same */
const scenarioOf = ({ connections, workers }) => ({
  ...{ servers: ['epoll'], connections, workers },
  ...{ ramp: { add: connections, every: '1s' }, workload: 'hold', duration: HOLD },
});

/** @param {Wish} wish @returns {Promise<Leg>} rejects where this machine cannot do it */
export async function legOf(wish) {
  const scenario = resolveScenario({ name: 'bench', content: scenarioOf(wish) });
  return plan(scenario, await readHost({ logs: BUILD }), listServers()).legs[0];
}

/** @param {ChildProcess} child @param {string} name */
function follow(child, name) {
  let [out, errors] = ['', ''];
  child.stdout?.setEncoding('utf8').on('data', (text) => (out += text));
  child.stderr?.setEncoding('utf8').on('data', (text) => (errors += text));
  /** @type {Promise<Ending>} */
  const ended = new Promise((resolve, reject) => {
    child.on('error', reject).on('close', (code, signal) => resolve({ code, signal }));
  });
  const wrong = (/** @type {Ending} */ { code, signal }) =>
    new Error(`${name} ended by ${signal ?? `exit ${code}`}\n${errors.trim()}`);
  const failed = ended.then((ending) => Promise.reject(wrong(ending)));
  failed.catch(() => {}); // whoever waits for it hears of it
  return { ended, failed, wrong, said: () => out };
}

/** The command line as a user gives it, with one server of its own. @param {Wish} wish @returns {Promise<Opener>} */
export async function startBroadside(wish) {
  const folder = mkdtempSync(join(tmpdir(), 'broadside-open-'));
  const [config, logs, report] = ['open.json', 'logs', 'report'].map((name) => join(folder, name));
  writeFileSync(config, JSON.stringify(scenarioOf(wish)));
  const words = [CLI, 'stress', '--config', config, '--logs', logs, '--report', report, '--quiet'];
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'ignore', 'pipe'] });
  const { ended, failed, wrong } = follow(child, 'broadside');
  return {
    root: child.pid ?? 0,
    nodeIsClient: true,
    serverBytes: () => 0,
    failed,
    async finish() {
      child.kill('SIGINT');
      const ending = await ended;
      if (ending.code !== INTERRUPTED) throw wrong(ending);
      const [run] = readdirSync(logs);
      const [environment, summary] = ['environment.json', 'summary.json'].map((name) =>
        JSON.parse(readFileSync(join(logs, run, name), 'utf8')),
      );
      const [{ startNs, rejects, errors }] = summary.legs;
      const failures = rejects.total + errors.total;
      return { startNs: BigInt(environment.t0.monotonicNs) + BigInt(Math.round(startNs)), failures };
    },
    async stop() {
      child.kill('SIGKILL'); // nothing to do when it has ended; its workers and its server end with it
      await ended.catch(() => {});
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/**
 * A process for each engine of Broadside.
 * @param {{connections: number, workers: number}} wish
 * @returns {Promise<Opener>}
 */
export async function startBare({ connections, workers }) {
  const { sources, server: planned, engines = 1 } = await legOf({ connections, workers });
  const server = await startServer({
    name: 'epoll',
    protocol: 'echo',
    options: planned.kind === 'named' ? planned.options : {},
  });
  const numbers = [server.port, connections, workers * engines, sources.length].map(String);
  const child = spawn(programOf(OPENER_SOURCE), numbers, { stdio: 'pipe' });
  const { ended, failed, wrong, said } = follow(child, 'bare-opener');
  return {
    root: child.pid ?? 0,
    nodeIsClient: false,
    serverBytes: () => usageOf(server).rssBytes,
    failed,
    async finish() {
      child.stdin.end();
      const ending = await ended;
      if (ending.code !== 0) throw wrong(ending);
      return { startNs: BigInt(JSON.parse(said()).startNs), failures: 0 };
    },
    async stop() {
      child.kill('SIGKILL');
      await ended.catch(() => {});
      await server.stop();
    },
  };
}
