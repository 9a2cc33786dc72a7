// The benches there are. A new one is a script and one line here; `npm run bench -- NAME [options]` runs it as
// `node test/bench/SCRIPT [options]` would.

/**
 * @typedef {object} Listed
 * @property {string} script in this folder
 * @property {string} says one sentence
 * @property {string} takes about how long, with its default options
 */

/** @type {Record<string, Listed>} */
export const BENCHES = {
  'client-cost': {
    script: 'client-cost/index.js',
    says: 'CPU per transfer of the engine, compared with a bare epoll client and Node net; cost of the transfer log.',
    takes: '8 min',
  },
  io: {
    script: 'io/index.js',
    says: 'CPU per transfer of the engine over epoll and over io_uring.',
    takes: '7 min',
  },
  'client-share': {
    script: 'client-share/index.js',
    says: "The client's own part of the response time, over epoll and io_uring and with client and server on CPUs of their own.",
    takes: '2 min',
  },
  instructions: {
    script: 'instructions/index.js',
    says: 'User instructions, system calls and wake-ups of the client for each transfer; needs no quiet machine.',
    takes: '4 min',
  },
  open: {
    script: 'open/index.js',
    says: 'Time to open 80,000 idle connections and the memory they take, compared with a bare C opener.',
    takes: '8 min',
  },
  churn: {
    script: 'churn/index.js',
    says: 'Connections per second (connect, transfer, close), compared with ab, wrk and tcp_crr.',
    takes: '6 min',
  },
  servers: {
    script: 'servers/index.js',
    says: 'Throughput of our servers, compared with sockperf, nginx, haproxy, tokio and Go.',
    takes: '8 min',
  },
  tools: {
    script: 'tools/index.js',
    says: 'Client CPU per request, compared with wrk, redis-benchmark and memcaslap.',
    takes: '6 min',
  },
  accuracy: {
    script: 'accuracy/index.js',
    says: 'Response times, compared with the delays that a server records itself.',
    takes: '12 min',
  },
  storm: {
    script: 'storm/index.js',
    says: 'Kills the server under 60,000 connections, restarts it, and watches them come back.',
    takes: '2 min',
  },
  knee: {
    script: 'knee/index.js',
    says: 'Whether the knees of identical ramps agree, and how many are found in a server that does not degrade.',
    takes: '26 min',
  },
  claims: {
    script: 'claims/index.js',
    says: 'A server against itself, and with 2 to 20 % more work, in slices: false claims, and differences found.',
    takes: '80 min',
  },
  soak: {
    script: 'soak/index.js',
    says: 'Memory and descriptors of every process of a run, over minutes of reconnects.',
    takes: '11 min',
  },
  live: {
    script: 'live/index.js',
    says: 'CPU of the primary with and without a live page that one reader follows.',
    takes: '4 min',
  },
  agents: {
    script: 'agents/index.js',
    says: 'What it costs to control up to 200 agents, and by a line through the figures 1,000: messages, bytes, CPU, delay.',
    takes: '9 min',
  },
  page: {
    script: 'page/index.js',
    says: 'Size of the pages of large runs, and the time to build and to open them.',
    takes: '3 min',
  },
  log: {
    script: 'log/index.js',
    says: 'Time to convert the transfer log after a run, compared with reading it.',
    takes: '2 min',
  },
};
