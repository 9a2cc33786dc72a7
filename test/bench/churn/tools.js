// Command lines and output parsers of the other clients of the bench churn. Pure.

/**
 * @typedef {object} Said
 * @property {number} connections connect, transfer, close: done
 * @property {number} seconds
 * @property {number} failures
 */

/** ab allocates 40 bytes a request before it starts: more than it can do, and no more than that. */
const MOST_PER_SECOND = 200_000;

/**
 * @param {{port: number, connections: number, seconds: number}} how
 * @returns {string[]} -n after -t, which sets it; -r: an error is counted, not the end
 */
export function abCommand({ port, connections, seconds }) {
  const numbers = ['-t', seconds, '-n', seconds * MOST_PER_SECOND, '-c', connections].map(String);
  return ['ab', '-q', '-r', ...numbers, `http://127.0.0.1:${port}/`];
}

/** @param {{port: number, connections: number, seconds: number}} how @returns {string[]} */
export function wrkCommand({ port, connections, seconds }) {
  return ['wrk', '-t1', `-c${connections}`, `-d${seconds}s`, '-H', 'Connection: close', `http://127.0.0.1:${port}/`];
}

/**
 * @param {string} program path of neper's tcp_crr
 * @param {{port: number, controlPort: number, bytes: number, seconds: number}} how
 * @returns {string[]} its own server
 */
export function crrServerCommand(program, { port, controlPort, bytes, seconds }) {
  const end = ['--suicide-length', String(seconds + 20)];
  return [program, '--listen-backlog', '4096', ...end, ...crrWords({ port, controlPort, bytes })];
}

/**
 * @param {string} program
 * @param {{port: number, controlPort: number, bytes: number, connections: number, seconds: number}} how
 * @returns {string[]}
 */
export function crrCommand(program, { connections, seconds, ...how }) {
  return [program, '-c', '-H', '127.0.0.1', '-F', String(connections), '-l', String(seconds), ...crrWords(how)];
}

/** @param {{port: number, controlPort: number, bytes: number}} how */
function crrWords({ port, controlPort, bytes }) {
  return ['--nolog', '-T', '1', '-C', controlPort, '-P', port, '-Q', bytes, '-R', bytes].map(String);
}

/** @param {string} text @returns {Said} */
export function readAb(text) {
  return {
    connections: numberIn(text, /^Complete requests:\s+(\d+)/m),
    seconds: numberIn(text, /^Time taken for tests:\s+([\d.]+) seconds/m),
    failures: numberIn(text, /^Failed requests:\s+(\d+)/m) + numberIn(text, /^Non-2xx responses:\s+(\d+)/m, 0),
  };
}

/** @param {string} text @returns {Said} */
export function readWrk(text) {
  const errors = /Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)/.exec(text)?.slice(1) ?? [];
  return {
    connections: numberIn(text, /(\d+) requests in /),
    seconds: secondsOf(/ requests in ([\d.]+)(us|ms|s|m|h),/.exec(text)),
    failures:
      errors.reduce((sum, count) => sum + Number(count), 0) + numberIn(text, /Non-2xx or 3xx responses: (\d+)/, 0),
  };
}

/** @param {string} text @returns {Said} */
export function readCrr(text) {
  const [from, to] = [/^time_start=([\d.]+)/m, /^time_end=([\d.]+)/m].map((pattern) => numberIn(text, pattern));
  return { connections: numberIn(text, /^num_transactions=(\d+)/m), seconds: to - from, failures: 0 };
}

/** What bash's `time` says with TIMEFORMAT='%3U %3S', in the last line. @param {string} text @returns {number} */
export function readCpuSeconds(text) {
  const [, user, system] = /(\d+\.\d{3}) (\d+\.\d{3})\s*$/.exec(text) ?? [];
  if (user === undefined) throw new Error(`no CPU time at the end of: ${text}`);
  return Number(user) + Number(system);
}

/** @param {RegExpExecArray | null} found */
function secondsOf(found) {
  const [, value, unit = ''] = found ?? [];
  /** @type {Record<string, number>} */
  const units = { us: 1e-6, ms: 1e-3, s: 1, m: 60, h: 3600 };
  return Number(value) * (units[unit] ?? NaN);
}

/** @param {string} text @param {RegExp} pattern @param {number} [otherwise] without it the number must be there */
function numberIn(text, pattern, otherwise) {
  const found = pattern.exec(text)?.[1] ?? otherwise;
  if (found === undefined) throw new Error(`no ${pattern} in: ${text}`);
  return Number(found);
}
