// The four contests of the bench servers, each of servers that do the same work with the same number of threads. Pure.
// A contest compares our servers with others, never with each other.

/**
 * @typedef {object} Contest
 * @property {string} title
 * @property {'echo' | 'http'} protocol
 * @property {'one' | 'all'} threads that serve: one, or as many as there are CPUs
 * @property {string[]} ours
 * @property {string[]} theirs to compare with, in an echo contest, whatever the environment names
 *
 * @typedef {keyof typeof CONTESTS} ContestName
 * @typedef {{contest: ContestName, connections: number, payloadBytes?: number}} Cell http has no payload: the page is
 *   always the same
 */

const ONE_LOOP = ['epoll', 'io_uring', 'libuv'];
const A_LOOP_A_CPU = ['multi-reactor'];

/** @satisfies {Record<string, Contest>} */
export const CONTESTS = {
  echo: {
    title: 'Echo, one thread each',
    protocol: 'echo',
    threads: 'one',
    ours: ONE_LOOP,
    theirs: ['sockperf', 'rust-tokio', 'go'],
  },
  'echo-all': {
    title: 'Echo, a thread for each CPU',
    protocol: 'echo',
    threads: 'all',
    ours: A_LOOP_A_CPU,
    theirs: ['rust-tokio', 'go'],
  },
  http: {
    title: 'HTTP, one thread each',
    protocol: 'http',
    threads: 'one',
    ours: ONE_LOOP,
    theirs: ['nginx', 'haproxy'],
  },
  'http-all': {
    title: 'HTTP, a thread for each CPU',
    protocol: 'http',
    threads: 'all',
    ours: A_LOOP_A_CPU,
    theirs: ['nginx', 'haproxy'],
  },
};

export const CONTEST_NAMES = /** @type {ContestName[]} */ (Object.keys(CONTESTS));

/** @param {ContestName} name @returns {Contest} */
export const contestOf = (name) => CONTESTS[name];

/** Every server that a contest names. */
export const SERVERS = [...new Set(Object.values(CONTESTS).flatMap(({ ours, theirs }) => [...ours, ...theirs]))];

/**
 * @param {{contests: readonly ContestName[], connections: number[], payloads: number[]}} axes
 * @returns {Cell[]}
 */
export function cellsOf({ contests, connections, payloads }) {
  return contests.flatMap((contest) => {
    const sizes = contestOf(contest).protocol === 'http' ? [{}] : payloads.map((payloadBytes) => ({ payloadBytes }));
    return sizes.flatMap((size) => connections.map((count) => ({ contest, connections: count, ...size })));
  });
}
