// The servers and the engine over SCTP, in a guest whose kernel has it: both socket styles, several
// addresses, a path that is lost, and hostile peers. The servers' checks are sctp_checks.c; the engine runs its tests
// of the transport (test/native/test_sctp.c).

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, listServers } from '../../servers/launcher/index.js';
import { requireTool, skip } from '../skip.js';
import { CC, compile } from '../native/core.js';
import { findKernel, runGuest } from './guest/guest.js';

const SOURCE = fileURLToPath(new URL('guest/sctp_checks.c', import.meta.url));
const BUILD = fileURLToPath(new URL('guest/build', import.meta.url));
const CHECKS = join(BUILD, 'sctp_checks');
const HOSTS = ['10.9.1.1', '10.9.2.1'];
const PORT = 7000;
/** Ten times what it takes on an idle core. */
const TIMEOUT_MS = 300_000;
/** Short enough for a lost path to be noticed within a second. */
const SETTINGS = { rto_initial: 200, rto_min: 100, rto_max: 400, path_max_retrans: 1, hb_interval: 500 };

const ALL = [
  'one-to-one',
  'one-to-many-client',
  'many',
  'large-at-once',
  'addresses',
  'lost-path',
  'half-message',
  'abort',
  'never-reads',
];

/** @type {{server: string, transport: string, protocol: string, checks: string[]}[]} */
const RUNS = [
  { server: 'epoll', transport: 'sctp', protocol: 'echo', checks: [...ALL, 'released'] },
  { server: 'epoll', transport: 'sctp-seqpacket', protocol: 'echo', checks: [...ALL, 'released'] },
  { server: 'multi-threaded', transport: 'sctp', protocol: 'echo', checks: ['one-to-one', 'abort', 'released'] },
  { server: 'epoll', transport: 'sctp', protocol: 'ace', checks: ['ace', 'released'] },
  { server: 'epoll', transport: 'sctp-seqpacket', protocol: 'ace', checks: ['ace', 'released'] },
  { server: 'multi-threaded', transport: 'sctp', protocol: 'ace', checks: ['ace', 'released'] },
];

/** @param {typeof RUNS[number]} run @param {number} i @returns {string} one server, its checks, and its exit status */
const scriptOf = ({ server, transport, protocol, checks }, i) => `
mkfifo /tmp/ready-${i}
${server} --transport ${transport} --protocol ${protocol} --host ${HOSTS.join(',')} --port ${PORT} > /tmp/ready-${i} &
server=$!
read -r line < /tmp/ready-${i}
echo "run ${i} ready $line"
sctp_checks ${PORT} ${checks.join(' ')} | while read -r line; do echo "run ${i} check $line"; done
kill $server; wait $server; echo "run ${i} status $?"
`;

/** @param {string} engine its test program @returns {string} */
const scriptFor = (engine) =>
  [
    ...HOSTS.map((host, i) => `ip addr add ${host}/24 dev dummy${i} && ip link set dummy${i} up`),
    ...Object.entries(SETTINGS).map(([key, value]) => `echo ${value} > /proc/sys/net/sctp/${key}`),
    ...RUNS.map(scriptOf),
    `${engine} | while read -r line; do echo "engine $line"; done`,
  ].join('\n');

describe('SCTP, in a guest', () => {
  /** @type {string[]} */
  let lines;

  before(async function () {
    this.timeout(TIMEOUT_MS + 60_000);
    const qemu = requireTool(this, 'qemu-system-x86_64', 'qemu-system-x86');
    const busybox = requireTool(this, 'busybox', 'busybox-static');
    requireTool(this, CC, 'build-essential');
    const kernel = findKernel() ?? skip(this, 'no kernel for the guest (node .ci/system-packages.js --release)');
    mkdirSync(BUILD, { recursive: true });
    const flags = ['-std=c11', '-D_GNU_SOURCE', '-O1', '-Wall', '-Wextra', '-Wshadow', '-Wconversion', '-Werror'];
    execFileSync(CC, [...flags, '-o', CHECKS, SOURCE]);
    const names = [...new Set(RUNS.map(({ server }) => server))];
    await build({ names });
    const programs = listServers()
      .filter(({ name }) => names.includes(name))
      .map(({ folder, manifest }) => join(folder, manifest.run[0]));
    const engine = await compile('sctp', []);
    const script = scriptFor(basename(engine));
    lines = await runGuest(kernel, {
      ...{ qemu, busybox, script, timeoutMs: TIMEOUT_MS },
      programs: [...programs, CHECKS, engine],
    });
  });

  /** @param {string} prefix @returns {string[]} the rest of the lines that begin with it */
  const after = (prefix) => lines.filter((line) => line.startsWith(prefix)).map((line) => line.slice(prefix.length));

  RUNS.forEach(({ server, transport, protocol, checks }, i) => {
    describe(`${server}, ${protocol} over ${transport}`, () => {
      it('listens on both addresses', () => {
        const [text] = after(`run ${i} ready `);
        const ready = JSON.parse(text);
        assert.deepEqual([ready.transport, ready.port], [transport, PORT]);
        assert.ok(HOSTS.includes(ready.host), ready.host);
      });

      for (const name of checks) {
        it(name, () => {
          const results = after(`run ${i} check `);
          assert.ok(
            results.some((line) => line.startsWith(`ok ${name} `)),
            results.join('\n') || lines.join('\n'),
          );
        });
      }

      it('ends with 0 on SIGTERM afterwards', () => {
        assert.deepEqual(after(`run ${i} status `), ['0']);
      });
    });
  });

  it('carries the connections of the engine, one-to-one and one-to-many', () => {
    const results = after('engine ');
    const plans = results.flatMap((line) => /^1\.\.(\d+)$/.exec(line)?.[1] ?? []).map(Number);
    assert.equal(plans.length, 2, 'a table for each style');
    const passed = results.filter((line) => line.startsWith('ok ')).length;
    assert.equal(passed, plans[0] + plans[1], results.join('\n'));
  });
});
