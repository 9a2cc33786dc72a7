// Makes corpus/: the inputs of each fuzzer of the C servers' protocols that reach what the golden vectors do not. To be
// run by hand when a protocol has changed: node test/native/corpus.js SECONDS

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { compileFuzzer, corpusOf, fuzzServer, inputsOfVectors, leastInputs, PARSERS } from './servers.js';

/** @import { Parser } from './servers.js' */

const seconds = Number(process.argv[2]);
if (!(seconds > 0))
  throw new Error(`corpus.js: SECONDS for each fuzzer: expected a number above 0, not ${process.argv[2]}`);
const folder = mkdtempSync(path.join(tmpdir(), 'broadside-corpus-'));
try {
  const binary = await compileFuzzer(folder);
  for (const parser of /** @type {Parser[]} */ (Object.keys(PARSERS))) {
    const { runs, inputs } = await fuzzServer(binary, parser, folder, seconds);
    const ofVectors = new Set(inputsOfVectors(parser));
    const kept = (await leastInputs(binary, parser, inputs)).filter((hex) => !ofVectors.has(hex));
    writeFileSync(corpusOf(parser), `${JSON.stringify(kept, null, 1)}\n`);
    console.log(`${parser}: ${kept.length} inputs after ${runs} runs`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
