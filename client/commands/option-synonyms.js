// The names of options in other tools (wrk, oha, hey, ab, autocannon, vegeta, k6, bombardier, h2load, curl), and their
// names here.

import { typed } from '../invocation.js';

const METHOD = '-m METHOD';
const BODY = '-b TEXT';
const BODY_FILE = '-b @FILE';
const AUTHORIZATION = "-H 'Authorization: ...'";
const CONTENT_TYPE = "-H 'Content-Type: ...'";
/** A flag with a value, as typed -> its option. @type {Record<string, string>} */
const OPTION_OF = { '-b': 'http.body', '-H': 'http.headers', '-m': 'http.method' };

/**
 * Word of another tool, normalised (lower case, no dashes; single letters keep their case) -> options here, or flags as
 * typed, the nearest first. Options that a command does not have are left out.
 * @type {Record<string, string[]>}
 */
const SYNONYMS = {
  // what comes out
  output: ['json', 'logs', 'report'],
  out: ['json', 'logs', 'report'],
  o: ['json', 'logs', 'report'],
  file: ['config', 'logs', 'report'],
  format: ['json'],
  outputformat: ['json'],
  summaryexport: ['json'],
  j: ['json'],
  silent: ['quiet'],
  tui: ['progress'],
  tag: ['name'],
  label: ['name'],
  title: ['name'],
  verbose: ['debug'],
  v: ['debug'],
  httpdebug: ['debug'],
  // what must hold
  threshold: ['thresholds', 'fail-if'],
  assert: ['thresholds', 'fail-if'],
  fail: ['fail-if', 'thresholds'],
  baseline: ['baseline'],
  compare: ['baseline'],
  bailout: ['stopOn'],
  // the load
  concurrency: ['connections'],
  clients: ['connections'],
  users: ['connections'],
  vus: ['connections'],
  u: ['connections'],
  maxconnections: ['connections'],
  threads: ['workers'],
  w: ['workers'],
  cpus: ['workers'],
  maxworkers: ['workers'],
  amount: ['transfers'],
  iterations: ['transfers'],
  i: ['transfers', BODY_FILE],
  maxoverallrequests: ['transfers'],
  O: ['transfers'],
  maxconnectionrequests: ['lifetime.transfers'],
  M: ['lifetime.transfers'],
  qps: ['rate'],
  rps: ['rate'],
  q: ['rate'],
  r: ['rate', 'connectRate'],
  overallrate: ['rate'],
  throughput: ['rate'],
  connectionrate: ['connectRate'],
  time: ['duration'],
  z: ['duration'],
  timelimit: ['duration'],
  warmuptime: ['warmup'],
  timeout: ['transferTimeout', 'connectTimeout'],
  repeat: ['rounds'],
  repetitions: ['rounds'],
  runs: ['rounds'],
  size: ['payload'],
  rampup: ['ramp.every', 'ramp.add'],
  stage: ['ramp.add', 'ramp.every'],
  pipelining: ['pipeline'],
  p: ['pipeline', BODY_FILE],
  // the request
  data: [BODY, 'payload'],
  D: [BODY_FILE, 'duration'],
  postfile: [BODY_FILE],
  putfile: [BODY_FILE],
  bodyfile: [BODY_FILE],
  bodypath: [BODY_FILE],
  form: [BODY],
  F: [BODY],
  headers: ["-H 'Name: value'"],
  contenttype: [CONTENT_TYPE],
  T: [CONTENT_TYPE],
  accept: ["-H 'Accept: ...'"],
  A: ["-H 'Accept: ...'", AUTHORIZATION],
  useragent: ["-H 'User-Agent: ...'"],
  U: ["-H 'User-Agent: ...'"],
  cookie: ["-H 'Cookie: ...'"],
  C: ["-H 'Cookie: ...'"],
  auth: [AUTHORIZATION],
  basicauth: [AUTHORIZATION],
  authentication: [AUTHORIZATION],
  targets: ['http.requestsFrom'],
  a: ['transfers', AUTHORIZATION, 'no-http.keepAlive'],
  X: [METHOD],
  disablekeepalive: ['no-http.keepAlive'],
  disablekeepalives: ['no-http.keepAlive'],
  connectionreuse: ['no-http.keepAlive'],
  // whom, and how
  url: ['target'],
  host: ['target', "-H 'Host: ...'"],
  address: ['target'],
  port: ['target'],
  unixsocket: ['target'],
  socketpath: ['target'],
  S: ['target'],
  connectto: ['target', "-H 'Host: ...'"],
  server: ['servers', 'command'],
  cmd: ['command'],
  bind: ['sources'],
  laddr: ['sources'],
  B: ['sources', 'stopOn'],
  insecureskiptlsverify: ['no-tls.verify'],
  ssl: ['tls'],
  cacert: ['tls.ca'],
  rootcerts: ['tls.ca'],
  cert: ['tls.certificate'],
  // what must come
  expect: ['http.expect.status', 'http.expect.body'],
  status: ['http.expect.status'],
  while: ['goals', 'find.while'],
};

/**
 * Words whose value shows which option of another tool is meant. @type {Record<string, { value: RegExp, ways: string[]
 * }>}
 */
const BY_VALUE = { T: { value: /^[0-9.]+(us|ms|s|m)?$/, ways: ['transferTimeout'] } };

/** Words for features that need no option here. @type {Record<string, string>} */
const NEEDLESS = {
  ...Object.fromEntries(
    ['latency', 'latencies', 'l', 'L'].map((word) => [
      word,
      'percentiles are always in the table, all with --table all',
    ]),
  ),
  ...Object.fromEntries(
    ['redirects', 'redirect', 'maxredirects', 'disableredirects'].map((word) => [word, 'redirects are not followed']),
  ),
  ...Object.fromEntries(
    ['histogram', 'distribution', 'slowest'].map((word) => [
      word,
      'the page has the distribution, --table all the percentiles, and transfers.parquet every transfer',
    ]),
  ),
  disablecompression: 'requests ask for no compression',
};

export const SCRIPTS = 'scripts are not run; a list of requests is given with --requests-from FILE';
const HTTP_1 = 'requests are HTTP/1.1; use oha or h2load for HTTP/2';
const NO_PROXY = 'there is no proxy: connections go to the server itself';

/**
 * Features of other tools that Broadside lacks. @type {Record<string, { text: string, suggestions?: string[] }>}
 */
const ABSENT = {
  ...Object.fromEntries(['http2', 'h2', 'h2c', 'http3', 'httpversion'].map((word) => [word, { text: HTTP_1 }])),
  ...Object.fromEntries(['proxy', 'x', 'httpproxy'].map((word) => [word, { text: NO_PROXY }])),
  script: { text: SCRIPTS, suggestions: ['--requests-from'] },
};

/**
 * @param {string} word an unknown option, normalised
 * @returns {{ text: string, suggestions?: string[] } | null} why Broadside has no such option, and what to use; null:
 *   it may have another name
 */
export const absentFeature = (word) => (Object.hasOwn(ABSENT, word) ? ABSENT[word] : null);

/** Commands that do what an option was expected to do: name and arguments. @type {Record<string, [string, string]>} */
const COMMANDS = { compare: ['compare', 'RUN BASELINE'], baseline: ['compare', 'RUN BASELINE'] };

/** @param {string} way an option, perhaps negated, or a flag as typed @returns {[option: string, typed: string]} */
function wayOf(way) {
  const [start] = way.split(' ');
  return way.startsWith('-') ? [OPTION_OF[start], way] : [way.replace(/^no-/, ''), `--${way}`];
}

/**
 * @param {string} word an unknown option, normalised
 * @returns {string[]} options that it may mean, of any command
 */
export const otherNames = (word) => (Object.hasOwn(SYNONYMS, word) ? SYNONYMS[word] : []);

/**
 * @param {string} word an unknown option, normalised @param {string} value of it; '': none
 * @param {string[]} options of the command @param {string[]} commands of the program
 * @returns {{ ways: string[], command: string | null, needless: string | null } | null} ways: what to type instead;
 *   needless: why to type nothing; null: the word is unknown
 */
export function synonymsOf(word, value, options, commands) {
  const byValue = Object.hasOwn(BY_VALUE, word) ? BY_VALUE[word] : undefined;
  const named = byValue?.value.test(value) ? byValue.ways : otherNames(word);
  const within = options.filter(
    (option) =>
      option.includes('.') && !option.startsWith('sweep.') && option.split('.').at(-1)?.toLowerCase() === word,
  );
  const known = [...new Set([...named, ...within])].map(wayOf).filter(([option]) => options.includes(option));
  const ways = known.map(([, text]) => text);
  const [name, args] = Object.hasOwn(COMMANDS, word) ? COMMANDS[word] : [];
  const command = name !== undefined && commands.includes(name) ? typed(name, args) : null;
  const needless = options.includes('connections') && Object.hasOwn(NEEDLESS, word) ? NEEDLESS[word] : null;
  return ways.length === 0 && command === null && needless === null ? null : { ways, command, needless };
}
