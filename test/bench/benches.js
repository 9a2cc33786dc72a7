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
    says: 'CPU per transfer of the engine beside a bare epoll client and Node net, and what its log costs.',
    takes: '30 min',
  },
  io: {
    script: 'io/index.js',
    says: 'epoll against io_uring in the engine; --write makes the table that `io: auto` follows.',
    takes: '16 min',
  },
  open: {
    script: 'open/index.js',
    says: 'Time to open 80,000 idle connections and the memory they take, beside a bare C opener.',
    takes: '8 min',
  },
  churn: {
    script: 'churn/index.js',
    says: 'Connections a second of connect, transfer, close, beside ab, wrk and tcp_crr.',
    takes: '6 min',
  },
  servers: {
    script: 'servers/index.js',
    says: 'Our servers beside sockperf, nginx, haproxy, tokio and Go, under the same client.',
    takes: '8 min',
  },
  tools: {
    script: 'tools/index.js',
    says: 'Client CPU a request beside wrk (http), redis-benchmark (P 1, 16, 128) and memcaslap.',
    takes: '6 min',
  },
  accuracy: {
    script: 'accuracy/index.js',
    says: 'Response times beside the delays that a server writes down of itself, both loops.',
    takes: '12 min',
  },
  storm: {
    script: 'storm/index.js',
    says: 'Kills the server under 60,000 connections, starts it again, and looks how they come back.',
    takes: '2 min',
  },
  soak: {
    script: 'soak/index.js',
    says: 'Memory and descriptors of every process of a run, over minutes of connect, transfer, close.',
    takes: '11 min',
  },
};
