// The tests of the engine within Node again, with an engine built with ASan and UBSan. Leaks are detected in a process
// that ends by itself: one that ends by process.exit leaves those of Node.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildEngine, sanitizerRuntimes } from '../fixtures/hostile/build-engine.js';
import { startHostile } from '../fixtures/hostile/server.js';
import { requireTool, skip } from '../skip.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const FLAGS = '-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer -g';

describe('engine: under ASan and UBSan', function () {
  this.timeout(600_000);

  /** @type {string} */
  let folder;
  /** @type {NodeJS.ProcessEnv} */
  let env;

  before(async function () {
    requireTool(this, 'cc', 'gcc');
    const runtimes = await sanitizerRuntimes();
    if (!runtimes) skip(this, 'cc has no sanitizer runtimes (apt-get install gcc)');
    folder = mkdtempSync(join(tmpdir(), 'broadside-sanitized-'));
    const engine = await buildEngine(folder, FLAGS);
    env = { ...process.env, LD_PRELOAD: runtimes, BROADSIDE_TEST_ENGINE: engine, BROADSIDE_SANITIZE: '' };
  });
  after(() => void (folder && rmSync(folder, { recursive: true, force: true })));

  /** @param {string[]} command @param {boolean} leaks */
  async function run(command, leaks) {
    const options = {
      ASAN_OPTIONS: `detect_leaks=${Number(leaks)}`,
      LSAN_OPTIONS: `suppressions=${join(ROOT, 'test/fixtures/hostile/lsan.supp')}:print_suppressions=0`,
    };
    const child = spawn(process.execPath, command, {
      ...{ cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'], env: { ...env, ...options } },
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => (output += text));
    }
    const [code] = await once(child, 'close');
    return { code, output };
  }

  it('all of them pass', async () => {
    const names = [
      'integration/engine',
      'integration/engine-settings',
      'integration/exchange',
      'release/engine-tls',
      'release/engine-udp',
    ];
    const mocha = join(ROOT, 'node_modules/mocha/bin/mocha.js');
    const { code, output } = await run([mocha, ...names.map((name) => `test/${name}.test.js`)], false);
    assert.equal(code, 0, output);
    assert.doesNotMatch(output, /runtime error|AddressSanitizer/);
    assert.match(output, /[1-9]\d* passed, 0 failed, \d+ skipped/);
  });

  it('nothing leaks', async () => {
    const server = await startHostile('end-in-reply', { after: 3 });
    const wish = { port: server.port, slots: 50, workload: 'continuous', pauseMs: 1, steadyToMs: 1000 };
    const { code, output } = await run(['test/fixtures/hostile/leg-child.js', JSON.stringify(wish)], true);
    await server.close();
    assert.equal(code, 0, output);
    assert.doesNotMatch(output, /LeakSanitizer|runtime error/);
    assert.ok(server.did.bad > 50);
  });
});
