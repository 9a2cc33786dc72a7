// The lint of the servers in other languages: that each language has one, and that a finding is one.

import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { table } from '../../servers/lint-table.js';
import { lint } from '../../servers/lint.js';

const SERVERS = fileURLToPath(new URL('../../servers/', import.meta.url));
/** Linted with the rest of the repository; of programs there are manifests, and a script that their tests run. */
const ELSEWHERE = ['c', 'node', 'programs'];

describe('the lint of the servers', () => {
  /** @type {string} */
  let servers;
  /** @type {string[]} */
  let said;
  beforeEach(() => {
    servers = mkdtempSync(join(tmpdir(), 'broadside-lint-'));
    mkdirSync(join(servers, 'x'));
    said = [];
  });
  afterEach(() => rmSync(servers, { recursive: true, force: true }));

  /** @param {Partial<import('../../servers/lint-table.js').Row>} row @param {boolean} [complete] */
  const run = (row, complete = false) =>
    lint({
      servers,
      complete,
      say: (text) => said.push(text),
      rows: [{ folder: 'x', requires: [], checks: [], ...row }],
    });
  /** @param {string} script @param {true} [mute] */
  const check = (script, mute) => ({ what: /** @type {const} */ ('lint'), command: ['sh', '-c', script], mute });

  it('has a row for every language, with a check of its format and a lint', () => {
    const languages = readdirSync(SERVERS).filter((name) => existsSync(join(SERVERS, name, 'manifests')));
    const rows = new Map(table.map(({ folder, checks }) => [folder, checks]));
    for (const language of languages.filter((name) => !ELSEWHERE.includes(name))) {
      const kinds = rows.get(language)?.map(({ what }) => what);
      assert.ok(kinds?.includes('format') && kinds.includes('lint'), `servers/lint-table.js: ${language}`);
    }
  });

  it('runs the commands in the folder, and is clean when all end with 0', async () => {
    assert.equal(await run({ checks: [check('test "$(basename "$PWD")" = x'), check('true')] }), true);
    assert.equal(said.length, 2);
    assert.match(said[0], /^x: lint: sh -c .*: ok$/);
  });

  it('shows what a command says that fails, and goes on', async () => {
    assert.equal(await run({ checks: [check('echo one; echo two >&2; exit 1'), check('true')] }), false);
    assert.match(said[0], /: FAILED$/);
    assert.deepEqual(said[1].split('\n').sort(), ['one', 'two']);
    assert.match(said[2], /: ok$/);
    assert.equal(await run({ checks: [{ what: 'lint', command: ['no-such-program'] }] }), false);
  });

  it('takes words for findings where a command ends with 0 all the same', async () => {
    assert.equal(await run({ checks: [check('echo file.go', true)] }), false);
    assert.equal(await run({ checks: [check('echo "a remark" >&2', true)] }), true);
  });

  it('leaves out a language whose tools are not there, unless all must be', async () => {
    const row = { requires: [{ command: 'no-such-program', remedy: 'install it' }], checks: [check('false')] };
    assert.equal(await run(row), true);
    assert.deepEqual(said, ['x: left out: no-such-program is not there; install it']);
    assert.equal(await run(row, true), false);
    assert.equal(await run({ folder: 'gone' }), false);
  });

  it('makes the tools first, once', async () => {
    const build = {
      command: ['sh', '-c', 'echo made >>log; mkdir -p build; touch build/tool'],
      output: 'build/tool',
      sources: ['pins'],
    };
    writeFileSync(join(servers, 'x', 'pins'), '');
    for (const _ of [1, 2]) assert.equal(await run({ build, checks: [check('test "$(cat log)" = made')] }), true);
  });
});
