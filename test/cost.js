/*
 * Counts what an addition costs: for an example of each kind of addition, the files and places that name it.
 *
 *   npm run cost [-- WORD]      with a word, also the files of the examples that contain it
 *
 * Leaves out tests, recordings and files made from others. Counts documents separately.
 */

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.resolve(import.meta.dirname, '..');

/** @type {[addition: string, example: string, names: RegExp][]} names: match the example's names */
const EXAMPLES = [
  ['figure', 'most per connection', /most per connection/],
  ['counter of the engine', 'strays', /strays|STRAYS/],
  ['gauge of the engine', 'renewing', /\brenewing\b|RENEWING/],
  ['histogram of the engine', 'idle time', /idleTime\b|IDLE_TIME/],
  [
    'cause of rejects',
    'greeting',
    /REJECT_GREETING|rejects\.greeting|'greeting'|"greeting"|\bgreeting:|(--|cause-)greeting/,
  ],
  ['key that the engine needs', 'pipeline', /\bpipeline\b/],
  ['key of the primary alone', 'legGap', /legGap/],
  ['protocol', 'websocket', /websocket/i],
  ['finding', 'idle-closed', /idle-closed|idleClosed/],
  ['chart', 'time-parts', /time-parts|timeParts/],
  ['export format', 'hlog', /hlog/],
  ['server in C', 'iterative', /\biterative\b/],
];

/** Files that are not sources, or are made from sources. */
const LEFT_OUT =
  /^test\/|^\.ci\/|package-lock|\.png$|CHANGELOG|REFERENCE\.md$|schema\/(fields|scenario|resolved)\.json$|required-fields\.json$|protocol-version\.js$|PREDECESSORS\.md$|^client\/predecessors\//;
/** Parts of documents that are made from other files. */
const MADE = /<!-- (\w+): made by [^]*<!-- end of \1 -->/;
/** Scenarios: each may use any key. */
const SCENARIO = /^config\/[a-z0-9-]+\.json$/;

const [, , wanted] = process.argv;
const sources = execFileSync('git', ['ls-files'], { cwd: ROOT, encoding: 'utf8' })
  .trim()
  .split('\n')
  .filter((file) => !LEFT_OUT.test(file) && !SCENARIO.test(file))
  .map((file) => ({ file, text: readFileSync(path.join(ROOT, file), 'utf8').replace(MADE, '') }));

const costs = EXAMPLES.map(([addition, example, names]) => {
  const files = sources.flatMap(({ file, text }) => {
    const places = text.match(new RegExp(names, `g${names.flags}`))?.length ?? 0;
    return places === 0 ? [] : [{ file, places, isDocument: file.endsWith('.md') }];
  });
  const [code, documents] = [false, true].map((wanted) => files.filter(({ isDocument }) => isDocument === wanted));
  return { addition, example, code, documents };
});

const sum = (/** @type {number[]} */ numbers) => numbers.reduce((total, n) => total + n, 0);
const rows = costs.map(({ addition, example, code, documents }) => [
  addition,
  example,
  ...[code.length, sum(code.map(({ places }) => places)), documents.length].map(String),
]);
const totals = [2, 3, 4].map((column) => String(sum(rows.map((row) => Number(row[column])))));
for (const line of [['to add a', 'example', 'files', 'places', 'documents'], ...rows, ['all', '', ...totals]])
  console.log(
    line[0].padEnd(28) +
      line[1].padEnd(22) +
      line
        .slice(2)
        .map((text) => text.padStart(10))
        .join(''),
  );
for (const { example, code } of costs.filter(
  (cost) => wanted !== undefined && `${cost.addition} ${cost.example}`.includes(wanted),
)) {
  console.log(`\n${example}:`);
  for (const { file, places } of code) console.log(`  ${file} ${places}`);
}
