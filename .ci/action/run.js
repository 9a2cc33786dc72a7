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

/** What fails a comparison without conditions. */
const WORSE = 'cost worse by 3%';
/** Where a server serves only some connections, its other figures are undecided: that is no reason to pass. */
const SERVES_FEWER = 'served worse by 1%';
/** Of a condition between servers; memory is also compared where nothing is requested, and so nothing served. */
const COMPARES = /^(?!.*memory).*\b(worse|better)\s+by\b/i;
/** Says whether servers are profiled. */
const EXPLAINED = /^--explain\b/;
/** Says what becomes of a condition that is undecided. */
const UNDECIDED = /^--(no-)?(allow-undecided|allowUndecided)\b/;

/** @param {string} text of several lines @returns {string[]} its words */
const argumentsOf = (text) =>
  linesOf(text).flatMap((line) => {
    const found = wordsOf(line);
    if (found === null) throw new Error(`arguments: a quote does not end in ${line}`);
    return found;
  });

/**
 * @param {NodeJS.ProcessEnv} env the inputs of the action
 * @returns {string[]} the words of the command
 */
export function wordsFor({ BROADSIDE_CONFIG: config = '', BROADSIDE_PROTOCOL: protocol = '', ...env }) {
  const { BROADSIDE_COMMAND: command = '', BROADSIDE_BUILD: build = '', BROADSIDE_BASE: revision = '' } = env;
  const base = command === '' ? '' : revision;
  const [thresholds, given] = [env.BROADSIDE_THRESHOLDS, env.BROADSIDE_FAIL_IF].map((text = '') => linesOf(text));
  const ofBase = base !== '' && thresholds.length + given.length === 0 ? [WORSE] : [];
  const failIf = [...ofBase, ...given];
  const further = argumentsOf(env.BROADSIDE_ARGUMENTS ?? '');
  const compares = base !== '' && [...thresholds, ...failIf].some((text) => COMPARES.test(text));
  const mayBeUndecided = env.BROADSIDE_STRICT !== 'true' && !further.some((word) => UNDECIDED.test(word));
  return [
    'stress',
    ...(command === '' ? [] : ['--command', command]),
    ...(base === '' ? [] : [`--base=${base}`, ...(build === '' ? [] : ['--build', build])]),
    ...(protocol === '' ? [] : ['--protocol', protocol]),
    ...(config === '' ? [] : ['--config', config]),
    ...further,
    ...thresholds.flatMap((text) => ['--thresholds', text]),
    ...failIf.flatMap((text) => ['--fail-if', text]),
    ...(compares && !failIf.includes(SERVES_FEWER) ? ['--fail-if', SERVES_FEWER] : []),
    ...(base === '' || further.some((word) => EXPLAINED.test(word)) ? [] : ['--explain', 'worse']),
    ...(mayBeUndecided ? ['--allow-undecided'] : []),
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
