#!/usr/bin/env node
// `npm run bench -- NAME [options]`: runs one of the benches listed in benches.js; without a name it lists them.

import { fileURLToPath } from 'node:url';
import { didYouMean } from '../../client/scenario/nearest.js';
import { BENCHES } from './benches.js';

const USAGE_EXIT = 2;

/** @returns {string} */
function listing() {
  const names = Object.keys(BENCHES);
  const [nameWidth, timeWidth] = [names, Object.values(BENCHES).map(({ takes }) => takes)].map((words) =>
    Math.max(...words.map(({ length }) => length)),
  );
  return [
    'npm run bench -- NAME [options]        run one bench; NAME --help lists its options',
    '',
    ...Object.entries(BENCHES).map(
      ([name, { says, takes }]) => `  ${name.padEnd(nameWidth)}  ${takes.padStart(timeWidth)}  ${says}`,
    ),
    '',
    'The times apply to the default options. Each bench needs the machine to itself.',
    'Methods and results: test/bench/README.md',
  ].join('\n');
}

const [, , name, ...words] = process.argv;
const bench = name === undefined ? undefined : BENCHES[name];
if (bench) {
  process.argv = [process.argv[0] ?? '', fileURLToPath(new URL(bench.script, import.meta.url)), ...words];
  await import(`./${bench.script}`);
} else if (name === undefined || name === '--help' || name === 'help') {
  console.log(listing());
} else {
  const known = Object.keys(BENCHES);
  console.error(`"${name}" is not a bench.${didYouMean(name, known)} The benches are ${known.join(', ')}`);
  process.exitCode = USAGE_EXIT;
}
