// The test harness: the counts on the last line, the exit code, the reason of a skip.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { endOf } from '../fixtures/ended-child.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const HOOKS = new URL('../skip.js', import.meta.url).href;
const BODY = `import { skip } from '${HOOKS}';
  it('a', () => {}); it.sanitized('b', () => {}); it('c', () => { throw new Error('no'); });
  describe('s', () => { before(function () { skip(this, 'no moon'); }); it('d', () => {}); it('e', () => {}); });`;

describe('test harness', () => {
  it('counts passed, failed and skipped tests of all files on the last line, with the reason of each skip', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'broadside-harness-'));
    const files = ['one', 'two'].map((name) => join(folder, `${name}.test.mjs`));
    for (const file of files) writeFileSync(file, BODY);
    const mocha = [join(ROOT, 'node_modules/mocha/bin/mocha.js'), '--config', join(ROOT, '.mocharc.json')];
    const env = { ...process.env, BROADSIDE_SANITIZE: '' };
    const { status, stdout } = await endOf(process.execPath, [...mocha, '--parallel', ...files], { cwd: ROOT, env });
    rmSync(folder, { recursive: true });
    assert.equal(stdout.trimEnd().split('\n').at(-1), '2 passed, 2 failed, 4 skipped', stdout);
    assert.match(stdout, /d \(skipped: no moon\)/);
    assert.notEqual(status, 0);
  });
});
