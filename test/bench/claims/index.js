// Claims: a server against itself, and against itself with more work, in slices. Counts the runs that claim a
// difference where there is none, and those that find one. ../README.md explains the method.

import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { conditionsOf, publish, say } from '../conduct.js';
import { list, number } from '../options.js';
import { medianIn, table } from '../tables.js';

const NAME = 'claims';
const CLI = fileURLToPath(new URL('../../../client/cli.js', import.meta.url));
const SERVER = fileURLToPath(new URL('working-server.js', import.meta.url));
/** For everything but the steady state. */
const PATIENCE_MS = 90_000;
/** About 150 us of work for each request: several times what its reply costs. */
const ITERATIONS = 100_000;
/** The figures that a claim may be about, as summary.json names them. */
const FIGURES = { perSecond: 'throughput', serverCpuPerTransferNs: 'server CPU per transfer' };
/**
 * How many runs of a server against itself may claim a difference, and how many runs with MUST_FIND % more work must.
 */
const [MOST_FALSE, LEAST_FOUND, MUST_FIND] = [2 / 40, 16 / 20, 2];

export const options = {
  itself: number(40, 'runs of the server against itself'),
  runs: number(20, 'runs for each share of more work'),
  more: list('2,5,10,20', 'shares of more work, in percent', Number),
  seconds: number(30, 'seconds of a run'),
  connections: number(25, 'connections to each server'),
};

/**
 * @typedef {{ claims: Record<string, string>, ratios: Record<string, [median: number, low: number, high: number]> }}
 *   Outcome  of a run. claims: by figure, the mark of the heavier server against the other
 */

/** @param {any} given @param {AbortSignal} signal @returns {Promise<boolean>} */
export async function run({ itself, runs, more, seconds, connections, ...given }, signal) {
  const shares = [...new Set([0, ...more])];
  const how = `runs of ${seconds} s in slices, ${connections} connections to each server`;
  const conditions = await conditionsOf({ rounds: 1, how });
  const measured = [];
  for (const percent of shares) {
    /** @type {Outcome[]} */
    const outcomes = [];
    while (outcomes.length < (percent === 0 ? itself : runs)) {
      outcomes.push(await measure(percent, { seconds, connections }, signal));
      say(`${percent} % more, run ${outcomes.length}: ${JSON.stringify(outcomes.at(-1))}`);
    }
    measured.push({ percent, outcomes });
  }
  const results = measured.map(({ percent, outcomes }) => ({ percent, outcomes, ...countsOf(percent, outcomes) }));
  publish(NAME, { conditions, measured, tables: [tableOf(results)] }, given);
  return results.every(({ isMet }) => isMet);
}

/**
 * @param {number} percent
 * @param {{ seconds: number, connections: number }} size
 * @param {AbortSignal} signal
 * @returns {Promise<Outcome>}
 */
async function measure(percent, { seconds, connections }, signal) {
  const folder = mkdtempSync(join(tmpdir(), 'broadside-bench-'));
  const [config, logs, report] = ['claims.json', 'logs', 'report'].map((name) => join(folder, name));
  const scenario = {
    ...{ connections, payload: '64B', transferLog: 'none', timestamps: 'off', interleave: 'auto', margin: '1%' },
    ...{ ramp: { add: 1000, every: '1s' }, warmup: '2s', duration: `${seconds / 2}s` },
  };
  writeFileSync(config, JSON.stringify(scenario));
  const serverOf = (/** @type {number} */ iterations) =>
    `${process.execPath} ${SERVER} {port} ${Math.round(iterations)}`;
  const words = [
    ...[CLI, 'stress', '--config', config, '--logs', logs, '--report', report, '--quiet'],
    ...['--command', `plain=${serverOf(ITERATIONS)}`],
    ...['--command', `heavier=${serverOf(ITERATIONS * (1 + percent / 100))}`],
  ];
  try {
    await promisify(execFile)(process.execPath, words, { signal, timeout: PATIENCE_MS + seconds * 1000 });
    const [run] = readdirSync(logs);
    const summary = JSON.parse(readFileSync(join(logs, run, 'summary.json'), 'utf8'));
    if (!summary.complete) throw new Error('a run was not complete');
    return claimsOf(summary);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @param {any} summary of a run with the servers `plain` and `heavier` @returns {Outcome} */
function claimsOf({ cases, comparisons = [] }) {
  const nameOf = (/** @type {string} */ id) => cases.find((/** @type {any} */ one) => one.id === id)?.label;
  const opposite = /** @type {Record<string, string>} */ ({ better: 'worse', worse: 'better' });
  /** @type {Outcome} */
  const { claims, ratios } = { claims: {}, ratios: {} };
  for (const { figure, case: id, baseline, mark } of comparisons) {
    if (!(figure in FIGURES) || baseline === undefined) continue;
    const isHeavier = nameOf(id) === 'heavier';
    claims[figure] = isHeavier ? mark.code : (opposite[mark.code] ?? mark.code);
    if (typeof mark.ratio?.low !== 'number') continue;
    const { median, low, high } = mark.ratio;
    ratios[figure] = isHeavier ? [median, low, high] : [1 / median, 1 / high, 1 / low];
  }
  return { claims, ratios };
}

/** @param {number} percent more work @param {Outcome[]} outcomes */
function countsOf(percent, outcomes) {
  const runsWith = (/** @type {string[]} */ ...codes) =>
    outcomes.filter(({ claims }) => Object.values(claims).some((code) => codes.includes(code))).length;
  const isMet =
    percent === 0
      ? runsWith('better', 'worse') <= Math.max(1, Math.floor(MOST_FALSE * outcomes.length))
      : percent < MUST_FIND || runsWith('worse') >= LEAST_FOUND * outcomes.length;
  return { worse: runsWith('worse'), better: runsWith('better'), isMet };
}

/** @param {({ percent: number, outcomes: Outcome[] } & ReturnType<typeof countsOf>)[]} results */
function tableOf(results) {
  return table(
    ['more work', 'runs', 'say worse', 'say better', ...Object.values(FIGURES), 'limit'],
    results.map(({ percent, outcomes, worse, better, isMet }) => [
      percent === 0 ? 'none' : `${percent} %`,
      ...[outcomes.length, worse, better].map(String),
      ...Object.keys(FIGURES).map((figure) => {
        const own = outcomes.flatMap(({ ratios }) => (ratios[figure] ? [ratios[figure]] : []));
        if (own.length === 0) return 'not known';
        const half = medianIn(own, ([, low, high]) => 50 * (high - low));
        return `${medianIn(own, ([median]) => median).toFixed(3)} ± ${half.toFixed(1)} %`;
      }),
      isMet ? 'kept' : '**missed**',
    ]),
    1,
  );
}
