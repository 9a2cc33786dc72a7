// The conformance suite against the C servers under AddressSanitizer and UndefinedBehaviorSanitizer, and the thread
// model under ThreadSanitizer as well. The one thing to know: a finding ends the server, and the suite sees that.

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { discover } from '../../servers/launcher/index.js';
import { requireSetting, requireTool, skip } from '../hooks.js';
import { describeConformance } from './conformance.js';
import { describeProcesses } from './processes.js';

const VARIANTS = [
  { sanitizers: 'address,undefined', folder: 'build/address', names: ['multi-threaded', 'select', 'epoll', 'libuv'] },
  { sanitizers: 'thread', folder: 'build/thread', names: ['multi-threaded'] },
];
const env = {
  ASAN_OPTIONS: 'abort_on_error=0:exitcode=99',
  UBSAN_OPTIONS: 'print_stacktrace=1:halt_on_error=1',
  TSAN_OPTIONS: 'halt_on_error=1:exitcode=99',
};

const found = await discover();

for (const { sanitizers, folder, names } of VARIANTS) {
  describe(`under ${sanitizers}`, () => {
    for (const name of names) {
      describe(name, () => {
        const server = found.find((each) => each.name === name);
        if (!server) throw new Error(`there is no server ${name}`);
        before(function () {
          requireSetting(this, 'BROADSIDE_SANITIZE');
          requireTool(this, 'setarch', 'util-linux');
          this.timeout(180_000);
          if (!server.available) skip(this, `${server.why} (${server.remedy})`);
          const words = ['-C', server.folder, name, `SANITIZE=${sanitizers}`, `OUT=${folder}`, 'STRICT=1'];
          const { status, stderr } = spawnSync('make', words, { encoding: 'utf8' });
          if (status !== 0) throw new Error(stderr);
        });
        // ThreadSanitizer of gcc 12 cannot place its shadow memory among today's random addresses: -R turns those off.
        const command = () => ['setarch', '-R', join(server.folder, folder, name)];
        const { options, surplus } = server.manifest;
        describeConformance({ command, surplus, env, connections: 500, measured: false });
        const words = options?.processes;
        if (words) {
          describe('of two processes', () => {
            describeProcesses({ command, words, surplus, processes: 2, env, measured: false });
          });
        }
      });
    }
  });
}
