#!/usr/bin/env node
// `npm run bench -- NAME [options]`: runs one of these benches; without a name it lists them. A bench is a folder with
// an index.js that exports `options` (yargs) and run(options, signal), which resolves to whether every limit is kept.

import yargs from 'yargs';
import { BroadsideError, UsageError } from '../../client/errors.js';
import { didYouMean } from '../../client/scenario/nearest.js';
import { say } from './conduct.js';

/** @type {Record<string, { takes: string, says: string }>} takes: with the default options */
const BENCHES = {
  'client-cost': {
    takes: '6 min',
    says: 'CPU per transfer of the engine, compared with a bare epoll client and Node net',
  },
  claims: { takes: '80 min', says: 'a server against itself, and with more work: false claims, and differences found' },
};
const EXIT = { failed: 1, missed: 99, interrupted: 130 };
const SHARED = /** @type {const} */ ({
  json: { type: 'boolean', default: false, describe: 'print conditions and every measurement as JSON' },
  write: { type: 'boolean', default: false, describe: 'write the tables to test/bench/README.md' },
});

function listing() {
  return [
    'npm run bench -- NAME [options]        run one bench; NAME --help lists its options',
    '',
    ...Object.entries(BENCHES).map(([name, { takes, says }]) => `  ${name.padEnd(11)}  ${takes.padStart(6)}  ${says}`),
    '',
    'The times apply to the default options. Each bench needs the machine to itself.',
    'Methods and results: test/bench/README.md',
  ].join('\n');
}

/** @param {string} name @param {string[]} words @param {AbortSignal} signal @returns {Promise<number>} exit code */
async function runBench(name, words, signal) {
  const known = Object.keys(BENCHES);
  if (!known.includes(name))
    throw new UsageError(`"${name}" is not a bench.${didYouMean(name, known)} The benches are ${known.join(', ')}`);
  const { options, run } = await import(`./${name}/index.js`);
  const given = await yargs(words)
    .scriptName(name)
    .usage(`npm run bench -- ${name} [options]\n\nMeasures: ${BENCHES[name].says}.`)
    .options({ ...options, ...SHARED })
    .strict()
    .version(false)
    .locale('en')
    .fail((message, error) => {
      throw error instanceof UsageError ? error : new UsageError(message ?? error.message);
    })
    .parseAsync();
  return (await run(given, signal)) ? 0 : EXIT.missed;
}

const [, , name, ...words] = process.argv;
const abort = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => abort.abort());
try {
  if (name === undefined || name === '--help' || name === 'help') console.log(listing());
  else process.exitCode = await runBench(name, words, abort.signal);
} catch (error) {
  say(abort.signal.aborted ? 'interrupted' : `bench: ${error instanceof Error ? error.message : error}`);
  process.exitCode = error instanceof BroadsideError ? error.exitCode : EXIT.failed;
  if (abort.signal.aborted) process.exitCode = EXIT.interrupted;
}
