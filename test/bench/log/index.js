#!/usr/bin/env node
// How long the conversion of the transfer log takes after a run. ../README.md explains the method.

import { execFile } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { conduct, main } from '../conduct.js';
import { parseOptions, wholeOf } from '../options.js';
import { withScratch } from '../scratch.js';
import { writeMadeUpLog } from './made-up-log.js';
import { keepsAll, KINDS, markdownOf, resultsOf } from './result.js';

const NAME = 'log';
const SAYS = 'Measures the conversion of the transfer log to Parquet after a run.';
const CONVERTER = fileURLToPath(new URL('convert-log.js', import.meta.url));
const FILES = ['transfers-0.arrows', 'transfers-1.arrows'];
const MOST_MILLIONS = 20;
const SECONDS = 8;
const more = {
  millions: /** @type {const} */ ({ type: 'number', default: 10, describe: 'rows, in millions' }),
};

await main(NAME, (words, signal) => {
  const options = parseOptions(words, { bench: NAME, says: SAYS, rounds: 5, more });
  const rows = wholeOf(options.millions, '--millions', MOST_MILLIONS) * 1_000_000;
  return withScratch(NAME, (scratch) =>
    conduct(
      {
        name: NAME,
        cells: [{ rows }],
        clients: KINDS,
        how: 'two workers, no kernel timestamps',
        secondsOf: () => SECONDS,
        async prepare() {
          FILES.forEach((name, i) => writeMadeUpLog(join(scratch(), name), rows / FILES.length, i + 1));
        },
        measure: ({ client }, stop) => measure({ kind: client, rows, scratch: scratch() }, stop),
        lineOf: ({ client, figures }) =>
          `${client.padEnd(8)} ${figures.seconds.toFixed(2)} s, ${figures.cpuSeconds.toFixed(2)} s of CPU, ${(figures.bytes / rows).toFixed(1)} bytes per row`,
        resultsOf,
        markdownOf,
        keeps: keepsAll,
      },
      options,
      signal,
    ),
  );
});

/**
 * @param {{ kind: string, rows: number, scratch: string }} step
 * @param {AbortSignal} signal
 */
async function measure({ kind, rows, scratch }, signal) {
  const folder = mkdtempSync(join(scratch, 'leg-'));
  try {
    for (const name of FILES) copyFileSync(join(scratch, name), join(folder, name));
    const words = [CONVERTER, kind, folder, String(rows / FILES.length), ...FILES];
    const { stdout } = await promisify(execFile)(process.execPath, words, { signal });
    const { rows: converted, ...figures } = JSON.parse(stdout);
    if (converted !== rows) throw new Error(`${converted} of ${rows} rows were converted`);
    return figures;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
