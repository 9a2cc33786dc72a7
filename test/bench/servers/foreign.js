// The servers that ours are compared with: sockperf, nginx and haproxy of Debian, and echo servers that the environment
// names. Pure. Each is a shell command, in which {folder} is a folder for its configuration; the launcher replaces
// {host} and {port}.

import { EnvironmentError } from '../../../client/errors.js';
import { MOST_CONNECTIONS } from '../options.js';

/** BROADSIDE_BENCH_ECHO_MINE='/path/mine --port {port}' is the server `mine`. */
export const ECHO_VARIABLE = 'BROADSIDE_BENCH_ECHO_';

/** What our servers answer over HTTP: 42 bytes. */
const PAGE = '<html><title>Broadside</title>Aye.</html>\\n';
const CONNECTIONS = MOST_CONNECTIONS + 1000;

/**
 * @typedef {object} Foreign
 * @property {string} from the package that brings it
 * @property {number} [most] connections that it can serve
 * @property {(program: string, threads: number) => string} command
 */

/** @type {Record<string, Foreign>} */
export const FOREIGN = {
  /* Only a list of addresses makes it wait for more than one connection. It says nothing when it listens. */
  sockperf: {
    from: 'sockperf',
    most: 1000,
    command: (program) => `
echo T:{host}:{port} >'{folder}/addresses'
${quoted(program)} server -f '{folder}/addresses' -F epoll >&2 &
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
exec ${quoted(program)} -e stderr -c '{folder}/nginx.conf'`,
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
exec ${quoted(program)} -db -f '{folder}/haproxy.cfg'`,
  },
};

/**
 * @param {NodeJS.ProcessEnv} env
 * @param {readonly string[]} taken names that it cannot have
 * @returns {Map<string, string>} by name in small letters: the command of each echo server that the environment names
 * @throws {EnvironmentError} for a command that takes no port, and for a name that is taken
 */
export function echoCommandsIn(env, taken) {
  const found = Object.entries(env).flatMap(([variable, command]) => {
    if (!variable.startsWith(ECHO_VARIABLE) || !command) return [];
    const name = variable.slice(ECHO_VARIABLE.length).toLowerCase();
    const fault = (/** @type {string} */ why) =>
      new EnvironmentError(`${variable}=${command}: ${why}`, { code: 'ECOMMAND' });
    if (!/^[a-z0-9][a-z0-9_]*$/.test(name)) throw fault(`no name after ${ECHO_VARIABLE}`);
    if (taken.includes(name)) throw fault(`${name} is a server of this bench; take another name`);
    if (!command.includes('{port}')) throw fault('there is no {port} in the command');
    return [/** @type {const} */ ([name, command])];
  });
  return new Map(found);
}

/** @param {string} word @returns {string} for a shell */
function quoted(word) {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
