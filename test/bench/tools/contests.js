// The contests of the bench tools: for each protocol the usual tool, and the server that both load. Pure. A contest is
// a line here and a command line in commands.js.

/** The engine as shipped logs every transfer. */
export const OURS = /** @type {const} */ (['engine', 'engine-no-log']);

/**
 * @typedef {'http' | 'redis' | 'memcached'} ContestName
 * @typedef {object} Contest
 * @property {string} title
 * @property {'wrk' | 'redis-benchmark' | 'memcaslap'} tool
 * @property {string} tools package of Debian
 * @property {string | null} program of the server, where it is none of ours
 * @property {number[]} pipelines
 * @property {string} protocol of the client
 * @property {object} options of that protocol
 */

/** Keys that both sides draw from, all of them filled before. */
export const KEYS = 10_000;

/** @type {Readonly<Record<ContestName, Contest>>} */
export const CONTESTS = Object.freeze({
  http: {
    title: 'HTTP: GET of 42 bytes, kept alive, from our epoll server; wrk -t1',
    tool: 'wrk',
    tools: 'wrk',
    program: null,
    pipelines: [1],
    protocol: 'http',
    options: { method: 'GET', path: '/', headers: {}, keepAlive: true },
  },
  redis: {
    title: `Redis: GET of one of ${KEYS.toLocaleString('en')} keys, from redis-server; redis-benchmark, one thread`,
    tool: 'redis-benchmark',
    tools: 'redis-tools',
    program: 'redis-server',
    pipelines: [1, 16, 128],
    protocol: 'redis',
    options: { command: 'GET', keys: KEYS, prefill: true },
  },
  memcached: {
    title: 'memcached: nine gets to a set, from memcached with one thread; memcaslap -T 1',
    tool: 'memcaslap',
    tools: 'libmemcached-tools',
    program: 'memcached',
    pipelines: [1],
    protocol: 'memcached',
    options: { ratio: '9:1', keys: KEYS, keysPerGet: 1, prefill: true },
  },
});

/** @type {readonly ContestName[]} */
export const CONTEST_NAMES = Object.freeze(/** @type {ContestName[]} */ (Object.keys(CONTESTS)));

/** @typedef {{contest: ContestName, connections: number, pipeline: number, payloadBytes: number}} Cell */

/**
 * @param {{contests: readonly ContestName[], pipelines: number[], connections: number[], payloadBytes: number}} axes
 *   of the pipelines those that a contest has
 * @returns {Cell[]}
 */
export function cellsOf({ contests, pipelines, connections, payloadBytes }) {
  return contests.flatMap((contest) =>
    CONTESTS[contest].pipelines
      .filter((pipeline) => pipelines.includes(pipeline))
      .flatMap((pipeline) => connections.map((count) => ({ contest, connections: count, pipeline, payloadBytes }))),
  );
}

/** @param {Cell} cell @param {string} client @returns {boolean} whether it is one of the cell's two sides */
export const takesPart = ({ contest }, client) =>
  client === CONTESTS[contest].tool || OURS.some((name) => name === client);
