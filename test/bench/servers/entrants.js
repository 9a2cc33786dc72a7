// The four contests of the bench servers, each of servers that do the same work with the same number of threads, and
// how each of them is started. A contest compares our servers with others, never with each other.

import { EnvironmentError } from '../../../client/errors.js';
import { checkAvailability, listServers } from '../../../servers/launcher/index.js';
import { findProgram } from '../../../servers/launcher/process/find-program.js';
import { MOST_CONNECTIONS } from '../options.js';

/**
 * @typedef {object} Contest
 * @property {'echo' | 'http'} protocol
 * @property {'one' | 'all'} threads that serve: one, or as many as there are CPUs
 * @property {string[]} ours
 * @property {string[]} theirs to compare with
 *
 * @typedef {'echo' | 'echo-all' | 'http' | 'http-all'} ContestName
 * @typedef {{name: string, options: Record<string, number>} | {command: string}} Start for the launcher
 * @typedef {{name: string, most: number, start: Start}} Entrant  most: connections that it can serve
 */

const ONE_LOOP = ['epoll', 'io_uring', 'libuv'];
const A_LOOP_A_CPU = ['multi-reactor'];
/** Our servers that have a thread per CPU by default. */
const TAKE_THREADS = ['rust-tokio', 'go', ...A_LOOP_A_CPU];

/** @type {Record<ContestName, Contest>} */
export const CONTESTS = {
  echo: { protocol: 'echo', threads: 'one', ours: ONE_LOOP, theirs: ['sockperf', 'rust-tokio', 'go'] },
  'echo-all': { protocol: 'echo', threads: 'all', ours: A_LOOP_A_CPU, theirs: ['rust-tokio', 'go'] },
  http: { protocol: 'http', threads: 'one', ours: ONE_LOOP, theirs: ['nginx', 'haproxy'] },
  'http-all': { protocol: 'http', threads: 'all', ours: A_LOOP_A_CPU, theirs: ['nginx', 'haproxy'] },
};
export const CONTEST_NAMES = /** @type {ContestName[]} */ (Object.keys(CONTESTS));
/** Every server that a contest names. */
export const SERVERS = [...new Set(Object.values(CONTESTS).flatMap(({ ours, theirs }) => [...ours, ...theirs]))];

/** What our servers answer over HTTP: 42 bytes. */
const PAGE = '<html><title>Broadside</title>Aye.</html>\\n';
const CONNECTIONS = MOST_CONNECTIONS + 1000;

/**
 * Servers of Debian: a shell command in which {folder} is a folder for its configuration; the launcher replaces {host}
 * and {port}.
 * @type {Record<string, { from: string, most?: number, command: (program: string, threads: number) => string }>} from:
 *   its package
 */
const FOREIGN = {
  /* Only a list of addresses makes it wait for more than one connection. It says nothing when it listens. */
  sockperf: {
    from: 'sockperf',
    most: 1000,
    command: (program) => `
echo T:{host}:{port} >'{folder}/addresses'
'${program}' server -f '{folder}/addresses' -F epoll >&2 &
until grep -q "$(printf ':%04X 00000000:0000 0A' {port})" /proc/net/tcp; do kill -0 $! && sleep 0.02 || exit 1; done
echo '{"ready":true,"protocol":"echo","host":"{host}","port":{port}}'
wait`,
  },
  nginx: {
    from: 'nginx-light',
    command: (program, threads) => `
cat >'{folder}/nginx.conf' <<'END'
daemon off;
worker_processes ${threads};
worker_rlimit_nofile ${CONNECTIONS};
pid {folder}/pid;
error_log stderr crit;
events { worker_connections ${CONNECTIONS}; }
http {
  access_log off;
  keepalive_requests 1000000000;
${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `  ${name}_temp_path {folder}/${name};`).join('\n')}
  server {
    listen {host}:{port} backlog=4096${threads > 1 ? ' reuseport' : ''};
    location / { default_type text/html; return 200 "${PAGE}"; }
  }
}
END
exec '${program}' -e stderr -c '{folder}/nginx.conf'`,
  },
  haproxy: {
    from: 'haproxy',
    command: (program, threads) => `
cat >'{folder}/haproxy.cfg' <<'END'
global
  nbthread ${threads}
  maxconn ${CONNECTIONS}
  no strict-limits
defaults
  mode http
  timeout client 60s
frontend page
  bind {host}:{port} backlog 4096
  http-request return status 200 content-type "text/html" string "${PAGE}"
END
exec '${program}' -db -f '{folder}/haproxy.cfg'`,
  },
};

/**
 * @param {{contests: readonly ContestName[], servers: readonly string[]}} wanted
 * @param {number} cpus how many
 * @returns {Promise<{entrants: Map<ContestName, Entrant[]>, notes: string[]}>} contests with a server on each side;
 *   notes: a sentence for each server that this machine does not have
 * @throws {EnvironmentError} when no contest is left
 */
export async function entrantsHere({ contests, servers }, cpus) {
  const known = await checkAvailability(listServers().filter(({ name }) => servers.includes(name)));
  /** Debian has nginx and haproxy where only root looks. */
  const find = (/** @type {string} */ program) => findProgram(program, `${process.env.PATH ?? ''}:/usr/sbin`);

  /** @param {string} name @param {number} threads @returns {Entrant | string} or why there is none */
  const entrantOf = (name, threads) => {
    if (FOREIGN[name]) {
      const { from, most = Infinity, command } = FOREIGN[name];
      const program = find(name);
      return program === null
        ? `not installed (apt-get install ${from})`
        : { name, most, start: { command: command(program, threads) } };
    }
    const server = known.find((one) => one.name === name);
    if (!server?.available) return [server?.why ?? 'unknown', server?.remedy].filter(Boolean).join('; ');
    return { name, most: Infinity, start: { name, options: TAKE_THREADS.includes(name) ? { threads } : {} } };
  };

  /** @type {Map<ContestName, Entrant[]>} */
  const entrants = new Map();
  /** @type {Set<string>} */
  const notes = new Set();
  for (const contest of contests) {
    const { protocol, threads, ours, theirs } = CONTESTS[contest];
    if (protocol === 'http' && !find('wrk')) {
      notes.add('Nothing over HTTP: wrk is not installed (apt-get install wrk).');
      continue;
    }
    const sides = [ours, theirs].map((names) =>
      names
        .filter((name) => servers.includes(name))
        .flatMap((name) => {
          const entrant = entrantOf(name, threads === 'one' ? 1 : cpus);
          if (typeof entrant !== 'string') return [entrant];
          notes.add(`${name} is left out: ${entrant}.`);
          return [];
        }),
    );
    if (sides.every(({ length }) => length > 0)) entrants.set(contest, sides.flat());
  }
  if (entrants.size > 0) return { entrants, notes: [...notes] };
  throw new EnvironmentError(['no contest has one of ours and a counterpart here', ...notes].join('\n'), {
    code: 'ENOSERVER',
  });
}
