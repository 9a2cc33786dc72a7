// The first step of action.yml: runs `stress` as its inputs say, with its output in the job's log, and hands on what
// came of it: the summary in Markdown for the job's page, and outputs. It ends with 0 whatever the run ended with, so
// that the comment can be written; the last step ends with the run's exit code.

import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { wordsOf } from '../../client/scenario/keys/wrap.js';

const CLI = fileURLToPath(new URL('../../client/cli.js', import.meta.url));

/** @param {string} text @returns {string[]} its lines that are not blank */
const linesOf = (text) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

/** The load of a command without further words. */
const LOAD = ['--connections', '100', '--duration', '60s'];
/** What fails a comparison without conditions. */
const WORSE = 'cost worse by 3%';

/**
 * @param {NodeJS.ProcessEnv} env the inputs of the action
 * @returns {string[]} the words of the command
 */
export function wordsFor({ BROADSIDE_CONFIG: config = '', BROADSIDE_ARGUMENTS: words = '', ...env }) {
  const { BROADSIDE_COMMAND: command = '', BROADSIDE_BUILD: build = '', BROADSIDE_BASE: given = '' } = env;
  const base = command === '' ? '' : given;
  const conditions = (/** @type {string} */ flag, text = '') => linesOf(text).flatMap((line) => [flag, line]);
  const hasNone = linesOf(`${env.BROADSIDE_THRESHOLDS ?? ''}\n${env.BROADSIDE_FAIL_IF ?? ''}`).length === 0;
  return [
    'stress',
    ...(command === '' ? [] : ['--command', command]),
    ...(base === '' ? [] : [`--base=${base}`, ...(build === '' ? [] : ['--build', build])]),
    ...(command !== '' && config === '' && words.trim() === '' ? LOAD : []),
    ...(base !== '' && hasNone ? ['--fail-if', WORSE] : []),
    ...(config === '' ? [] : ['--config', config]),
    ...linesOf(words).flatMap((line) => {
      const found = wordsOf(line);
      if (found === null) throw new Error(`arguments: a quote does not end in ${line}`);
      return found;
    }),
    ...conditions('--thresholds', env.BROADSIDE_THRESHOLDS),
    ...conditions('--fail-if', env.BROADSIDE_FAIL_IF),
  ];
}

/**
 * @param {string} folder of runs
 * @returns {string[]}
 */
const runsIn = (folder) => (existsSync(folder) ? readdirSync(folder).sort() : []);

/**
 * @param {string} base
 * @returns {string[] | null} the words of git that fetch it; null: git would take it for a refspec, which could change
 *   branches
 */
export const fetchWords = (base) =>
  /^[+^]|:/.test(base) ? null : ['fetch', '--quiet', '--no-tags', '--depth=1', '--end-of-options', 'origin', base];

/**
 * A checkout of a runner has the newest commit alone.
 * @param {NodeJS.ProcessEnv} env
 */
function fetchBase({ BROADSIDE_BASE: base = '', BROADSIDE_COMMAND: command = '' }) {
  const words = fetchWords(base);
  if (base === '' || command === '' || words === null) return;
  const git = (/** @type {string[]} */ ...args) =>
    spawnSync('git', args, { stdio: ['ignore', 'ignore', 'inherit'] }).status;
  if (git('rev-parse', '--verify', '--quiet', '--end-of-options', `${base}^{commit}`) !== 0) git(...words);
}

/** @param {NodeJS.ProcessEnv} env */
function main(env) {
  const folder = resolve(env.BROADSIDE_FOLDER || 'broadside');
  const [logs, report] = ['logs', 'report'].map((name) => join(folder, name));
  mkdirSync(folder, { recursive: true });
  const earlier = runsIn(logs);
  fetchBase(env);
  const places = ['--logs', logs];
  const { status } = spawnSync(process.execPath, [CLI, ...wordsFor(env), ...places, '--report', report], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const code = status ?? 1;
  const run = runsIn(logs).find((id) => !earlier.includes(id)) ?? '';
  const markdown = run === '' ? '' : join(logs, run, 'summary.md');
  if (run !== '') {
    spawnSync(process.execPath, [CLI, 'logs', 'export', run, '--format', 'markdown', ...places], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  }
  const hasMarkdown = markdown !== '' && existsSync(markdown);
  // The export has added the summary to the page of the job: it knows GITHUB_STEP_SUMMARY itself.
  if (!hasMarkdown) {
    const text = `The command ended with exit code ${code} before anything was measured; the log of the job says why.`;
    write(env.GITHUB_STEP_SUMMARY, `## ${env.BROADSIDE_NAME || 'Broadside'}\n\n${text}\n`);
  }
  const outputs = {
    run,
    'exit-code': String(code),
    summary: run === '' ? '' : join(logs, run, 'summary.json'),
    markdown: hasMarkdown ? markdown : '',
    report: run === '' ? '' : join(report, `${run}.html`),
  };
  for (const [name, value] of Object.entries(outputs)) write(env.GITHUB_OUTPUT, `${name}=${value}\n`);
}

/** @param {string | undefined} file of the runner @param {string} text */
function write(file, text) {
  if (file) appendFileSync(file, text);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main(process.env);
