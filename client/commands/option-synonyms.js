// What options are called in other tools, and what they are called here. Pure.

import { typed } from '../invocation.js';

/** Word of another tool, plain (small letters, no dashes) -> options here, the nearest first. @type {Record<string, string[]>} */
const SYNONYMS = {
  // what comes out
  output: ['json', 'logs', 'report'],
  out: ['json', 'logs', 'report'],
  o: ['json', 'logs', 'report'],
  file: ['config', 'logs', 'report'],
  format: ['json'],
  summaryexport: ['json'],
  silent: ['quiet'],
  tag: ['name'],
  label: ['name'],
  title: ['name'],
  // what must hold
  threshold: ['thresholds', 'fail-if'],
  assert: ['thresholds', 'fail-if'],
  fail: ['fail-if', 'thresholds'],
  baseline: ['baseline'],
  compare: ['baseline'],
  // the load
  concurrency: ['connections'],
  clients: ['connections'],
  users: ['connections'],
  vus: ['connections'],
  requests: ['transfers'],
  n: ['transfers'],
  amount: ['transfers'],
  qps: ['rate'],
  rps: ['rate'],
  q: ['rate'],
  throughput: ['rate'],
  time: ['duration'],
  z: ['duration'],
  timeout: ['transferTimeout', 'connectTimeout'],
  repeat: ['rounds'],
  repetitions: ['rounds'],
  runs: ['rounds'],
  size: ['payload'],
  data: ['payload'],
  body: ['payload'],
  rampup: ['ramp.every', 'ramp.add'],
  // whom, and how
  url: ['target'],
  host: ['target'],
  address: ['target'],
  port: ['target'],
  server: ['servers', 'command'],
  cmd: ['command'],
  insecure: ['no-tls.verify'],
  k: ['no-tls.verify'],
  ssl: ['tls'],
  cacert: ['tls.ca'],
  cert: ['tls.certificate'],
  useragent: ['http.headers'],
  h: ['http.headers'],
  header: ['http.headers'],
  headers: ['http.headers'],
};

/** Options that only a scenario file has. */
const IN_FILE = { 'http.headers': { protocol: 'http', http: { headers: { Accept: 'text/html' } } } };

/** Commands that do what an option was expected to do: name and arguments. @type {Record<string, [string, string]>} */
const COMMANDS = { compare: ['compare', 'RUN BASELINE'], baseline: ['compare', 'RUN BASELINE'] };

/**
 * @param {string} word an unknown option, plain
 * @param {string[]} options that there are @param {string[]} commands that there are
 * @returns {{ flags: string[], file: object | null, command: string | null } | null} flags: that exist, with dashes; file:
 *   what a scenario says instead; null: nothing is known of the word
 */
export function synonymsOf(word, options, commands) {
  const named = Object.hasOwn(SYNONYMS, word) ? SYNONYMS[word] : [];
  const within = options.filter(
    (one) => one.includes('.') && !one.startsWith('sweep.') && one.split('.').at(-1)?.toLowerCase() === word,
  );
  const flags = [...new Set([...named, ...within])]
    .filter((one) => options.includes(one) || options.includes(one.replace(/^no-/, '')))
    .map((one) => `--${one}`);
  const file = options.includes('config')
    ? (named.flatMap((one) => Object.entries(IN_FILE).find(([key]) => key === one)?.[1] ?? [])[0] ?? null)
    : null;
  const [name, args] = Object.hasOwn(COMMANDS, word) ? COMMANDS[word] : [];
  const command = name !== undefined && commands.includes(name) ? typed(name, args) : null;
  return flags.length === 0 && file === null && command === null ? null : { flags, file, command };
}
