// Set-up as npm runs it, as a child process, in a small artificial checkout: what it builds, and when.

import assert from 'node:assert/strict';
import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ADDON, smallCheckouts } from '../fixtures/small-checkouts.js';

describe('set-up', function () {
  this.timeout(120_000);
  const box = smallCheckouts();

  it('builds once, offline with node_modules present, then prints nothing', async () => {
    const first = await box.setUp({}, ['--development']);
    assert.equal(first.status, 0, first.stderr);
    assert.equal(first.stdout, '');
    const lines = first.stderr.trimEnd().split('\n');
    const took = [
      'compiling the validators',
      'making the types of the schemas',
      'building the engine',
      'building the servers in C',
    ];
    assert.deepEqual(
      lines.map((line) => /^set-up: (.*) took \d+\.\d s$/.exec(line)?.[1]),
      took,
      first.stderr,
    );
    assert.ok(existsSync(box.addon()));
    for (const flags of [[], ['--development'], []]) {
      assert.deepEqual(await box.setUp({}, flags), { status: 0, stdout: '', stderr: '' });
    }
    assert.equal(box.timesServersWereBuilt(), 1);
  });

  it('rebuilds what has changed or is missing, and nothing else', async () => {
    assert.equal((await box.setUp()).status, 0);
    appendFileSync(join(box.root, 'client/engine/addon.c'), '/* changed */\n');
    const changed = await box.setUp();
    assert.match(changed.stderr, /building the engine took/);
    assert.doesNotMatch(changed.stderr, /servers/);
    rmSync(box.addon());
    assert.match((await box.setUp()).stderr, /building the engine took/);
    assert.ok(existsSync(box.addon()));
    assert.equal(box.timesServersWereBuilt(), 1);
  });

  it("shows the compiler's error when a build fails, with the file that has the rest, and recovers", async () => {
    writeFileSync(join(box.root, 'client/engine/addon.c'), '#error not like this\n');
    const failed = await box.setUp({}, ['--json']);
    assert.equal(failed.status, 3);
    assert.equal(failed.stdout, '');
    const { code, data } = JSON.parse(failed.stderr.trimEnd().split('\n').at(-1) ?? '').error;
    assert.deepEqual([code, data.problem, data.step], ['ESETUP', 'command-failed', 'addon']);
    assert.match(data.lines[0], /not like this/);
    assert.ok(
      data.lines.length <= 10 && !data.lines.some((/** @type {string} */ line) => /gyp|^cc /.test(line)),
      data.lines,
    );
    assert.match(readFileSync(data.log, 'utf8'), /gyp info(.|\n)*not like this/);
    writeFileSync(join(box.root, 'client/engine/addon.c'), ADDON);
    assert.equal((await box.setUp()).status, 0);
  });
});
