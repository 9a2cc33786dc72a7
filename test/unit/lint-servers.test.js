// The lint of the servers in other languages: each language has one, and failures are reported.

import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { table } from '../../servers/lint-table.js';
import { lint } from '../../servers/lint.js';

const SERVERS = fileURLToPath(new URL('../../servers/', import.meta.url));
/** Checked with the rest of the repository; programs/ has only manifests and scripts that the tests run. */
const ELSEWHERE = ['c', 'node', 'programs'];

describe('the lint of the servers', () => {
  /** @type {string} */
  let servers;
  beforeEach(() => {
    servers = mkdtempSync(join(tmpdir(), 'broadside-lint-'));
    mkdirSync(join(servers, 'x'));
  });
  afterEach(() => rmSync(servers, { recursive: true, force: true }));

  /** @param {Partial<import('../../servers/lint-table.js').Row>} row */
  const run = (row) => lint({ servers, rows: [{ folder: 'x', requires: [], checks: [], ...row }] });
  /** @param {Partial<import('../../servers/lint-table.js').Row>} row */
  const statuses = async (row) => (await run(row)).map(({ status }) => status);
  /** @param {string} script @param {true} [failsOnOutput] */
  const check = (script, failsOnOutput) => ({
    what: /** @type {const} */ ('lint'),
    command: ['sh', '-c', script],
    failsOnOutput,
  });

  it('has a row for every language, with a check of its format and a lint', () => {
    const languages = readdirSync(SERVERS).filter((name) => existsSync(join(SERVERS, name, 'manifests')));
    const rows = new Map(table.map(({ folder, checks }) => [folder, checks]));
    for (const language of languages.filter((name) => !ELSEWHERE.includes(name))) {
      const kinds = rows.get(language)?.map(({ what }) => what);
      assert.ok(kinds?.includes('format') && kinds.includes('lint'), `servers/lint-table.js: ${language}`);
    }
  });

  it('runs the commands in the folder, and passes when all end with 0', async () => {
    const results = await run({ checks: [check('test "$(basename "$PWD")" = x'), check('true')] });
    assert.deepEqual(
      results.map(({ folder, status, code }) => [folder, status, code]),
      [
        ['x', 'ok', 'lint'],
        ['x', 'ok', 'lint'],
      ],
    );
  });

  it('keeps the output of a failed command and continues', async () => {
    const [failed, next] = await run({ checks: [check('echo one; echo two >&2; exit 1'), check('true')] });
    assert.equal(failed.status, 'failed');
    assert.deepEqual(failed.output?.trim().split('\n').sort(), ['one', 'two']);
    assert.equal(next.status, 'ok');
    assert.deepEqual(await statuses({ checks: [{ what: 'lint', command: ['no-such-program'] }] }), ['failed']);
  });

  it('fails on output to stdout, but not to stderr, if the row says so', async () => {
    assert.deepEqual(await statuses({ checks: [check('echo file.go', true)] }), ['failed']);
    assert.deepEqual(await statuses({ checks: [check('echo "a remark" >&2', true)] }), ['ok']);
  });

  it('skips a language whose tools are not installed', async () => {
    const row = { requires: [{ command: 'no-such-program', remedy: 'install it' }], checks: [check('false')] };
    assert.deepEqual(
      (await run(row)).map(({ status, code }) => [status, code]),
      [['skipped', 'missing-command']],
    );
    assert.deepEqual(
      (await run({ folder: 'gone' })).map(({ status, code }) => [status, code]),
      [['failed', 'missing-folder']],
    );
  });

  it('builds the tools first, once', async () => {
    const build = {
      command: ['sh', '-c', 'echo made >>log; mkdir -p build; touch build/tool'],
      output: 'build/tool',
      sources: ['pins'],
    };
    writeFileSync(join(servers, 'x', 'pins'), '');
    for (const _ of [1, 2]) {
      assert.deepEqual(await statuses({ build, checks: [check('test "$(cat log)" = made')] }), ['ok']);
    }
  });
});
