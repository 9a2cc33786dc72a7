// A fresh checkout: `npm run stress` works as the first command, also twice at once. The tracked files are copied to a
// new folder, and npm runs there as for a user.

import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { endOf } from '../fixtures/ended-child.js';
import { projectFiles, requireProjectFiles } from '../fixtures/project-files.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

// the only test that needs npm's registry, or a warm cache
describe('a fresh checkout', function () {
  this.timeout(300_000);

  /** @type {string} */
  let folder;

  before(function () {
    requireProjectFiles(this);
    folder = mkdtempSync(join(tmpdir(), 'broadside-bare-'));
    for (const path of projectFiles()) cpSync(join(ROOT, path), join(folder, path));
  });
  after(() => {
    if (folder) rmSync(folder, { recursive: true, force: true });
  });

  /** @param {string[]} words of npm */
  function npm(...words) {
    // The outer npm's variables must not reach the inner one.
    const clean = Object.entries(process.env).filter(([name]) => !/^npm_|^NODE_OPTIONS$|^INIT_CWD$/i.test(name));
    return endOf('npm', words, { cwd: folder, env: Object.fromEntries(clean) });
  }
  const dryRun = ['stress', '--', '--config', 'smoke', '--dry-run'];

  it('sets itself up, even if two commands begin at once', async () => {
    const both = await Promise.all([npm('run', '--silent', ...dryRun), npm('run', '--silent', ...dryRun)]);
    for (const { status, stdout, stderr } of both) {
      assert.equal(status, 0, stderr);
      assert.match(stdout, /^scenario +smoke/);
    }
    const set = both.filter(({ stderr }) => stderr.includes('building the engine took'));
    assert.equal(set.length, 1, both.map(({ stderr }) => stderr).join('\n'));
  });

  it('prints nothing the next time, and needs no network', async () => {
    const { status, stdout, stderr } = await npm('run', '--silent', '--offline', ...dryRun);
    assert.equal(status, 0, stderr);
    assert.match(stdout, /^scenario +smoke/);
    assert.doesNotMatch(stderr, /set-up/);
  });

  it('sets itself up under --ignore-scripts too', async () => {
    rmSync(join(folder, 'client/engine/build'), { recursive: true });
    const { status, stderr } = await npm('run', '--silent', '--ignore-scripts', ...dryRun);
    assert.equal(status, 0, stderr);
    assert.match(stderr, /set-up: building the engine took/);
    assert.doesNotMatch(stderr, /servers/);
  });
});
