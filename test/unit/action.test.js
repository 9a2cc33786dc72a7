// The parts of the GitHub Action that need no process: the command made from its inputs, its comment on a simulated
// GitHub, and that action.yml passes on each input and output that it declares.

import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { comment, commentOf } from '../../.ci/action/comment.js';
import { fetchWords, wordsFor } from '../../.ci/action/run.js';

const ROOT = join(import.meta.dirname, '../..');

describe('the GitHub Action', () => {
  it('makes a command of its inputs', () => {
    const allowed = '--allow-undecided';
    assert.deepEqual(wordsFor({}), ['stress', allowed]);
    const words = wordsFor({
      BROADSIDE_CONFIG: 'smoke',
      BROADSIDE_ARGUMENTS: "--command 'node web.js {port}'\n\n  --connections 5\n",
      BROADSIDE_THRESHOLDS: 'p99 < 5ms\nerrors == 0\n',
      BROADSIDE_FAIL_IF: 'rejects > 0',
    });
    assert.deepEqual(words, [
      ...['stress', '--config', 'smoke', '--command', 'node web.js {port}', '--connections', '5'],
      ...['--thresholds', 'p99 < 5ms', '--thresholds', 'errors == 0', '--fail-if', 'rejects > 0', allowed],
    ]);
    const pull = { BROADSIDE_COMMAND: './a {port}', BROADSIDE_BUILD: 'make', BROADSIDE_BASE: 'abc' };
    const compared = ['stress', '--command', './a {port}', '--base=abc', '--build', 'make'];
    const fewer = ['--fail-if', 'served worse by 1%'];
    const explained = ['--explain', 'worse', allowed];
    assert.deepEqual(wordsFor(pull), [...compared, '--fail-if', 'cost worse by 3%', ...fewer, ...explained]);
    assert.deepEqual(wordsFor({ ...pull, BROADSIDE_FAIL_IF: 'p99 worse by 9%\nserved worse by 1%' }), [
      ...[...compared, '--fail-if', 'p99 worse by 9%', ...fewer, ...explained],
    ]);
    assert.deepEqual(wordsFor({ ...pull, BROADSIDE_FAIL_IF: 'errors > 0' }), [
      ...[...compared, '--fail-if', 'errors > 0', ...explained],
    ]);
    assert.deepEqual(wordsFor({ ...pull, BROADSIDE_FAIL_IF: 'memory worse by 9%' }).slice(-5), [
      ...['--fail-if', 'memory worse by 9%', ...explained],
    ]);
    const never = wordsFor({ ...pull, BROADSIDE_ARGUMENTS: '--explain never' });
    assert.equal(never.filter((word) => word === '--explain').length, 1);
    const alone = ['stress', '--command', './a {port}', allowed];
    assert.deepEqual(wordsFor({ ...pull, BROADSIDE_BASE: '' }), alone);
    assert.deepEqual(wordsFor({ ...pull, BROADSIDE_BASE: '', BROADSIDE_PROTOCOL: 'http' }), [
      ...['stress', '--command', './a {port}', '--protocol', 'http', allowed],
    ]);
    assert.throws(() => wordsFor({ BROADSIDE_ARGUMENTS: "--command 'node web.js" }), /a quote does not end/);
  });

  it('passes where a condition is undecided, unless it is strict or the arguments say what becomes of it', () => {
    const last = (/** @type {NodeJS.ProcessEnv} */ env) => wordsFor(env).filter((word) => /allow/.test(word));
    for (const strict of ['', 'false']) assert.deepEqual(last({ BROADSIDE_STRICT: strict }), ['--allow-undecided']);
    assert.deepEqual(last({ BROADSIDE_STRICT: 'true' }), []);
    for (const given of ['--no-allow-undecided', '--allowUndecided', '--allow-undecided=false'])
      assert.deepEqual(last({ BROADSIDE_ARGUMENTS: given }), [given]);
  });

  it('imports nothing that is installed, since it runs before anything is', () => {
    const seen = new Set();
    const visit = (/** @type {URL} */ file) => {
      if (seen.has(file.href)) return;
      seen.add(file.href);
      for (const [, name] of readFileSync(file, 'utf8').matchAll(/^(?:import|export)\b[^;]*?\bfrom '([^']+)';/gm)) {
        if (name.startsWith('node:')) continue;
        assert.match(name, /^\./, `${name} in ${file.pathname}`);
        visit(new URL(name, file));
      }
    };
    for (const name of ['run.js', 'comment.js']) visit(new URL(`../../.ci/action/${name}`, import.meta.url));
    assert.ok(seen.size > 2);
  });

  it('hands no text of its inputs to git or to the command as an option', () => {
    const base = '--upload-pack=touch x';
    assert.deepEqual(fetchWords(base)?.slice(-3), ['--end-of-options', 'origin', base]);
    for (const refspec of ['a:b', '+a', '^a', ':/text']) assert.equal(fetchWords(refspec), null);
    assert.ok(wordsFor({ BROADSIDE_COMMAND: './a {port}', BROADSIDE_BASE: '--help' }).includes('--base=--help'));
  });

  it('updates the comment of its own user, whoever else has written the mark first', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'broadside-action-'));
    const [event, markdown] = ['event.json', 'summary.md'].map((name) => join(folder, name));
    writeFileSync(event, '{ "pull_request": { "number": 7 } }');
    writeFileSync(markdown, 'new');
    const env = {
      ...{ GITHUB_API_URL: 'http://api', GITHUB_REPOSITORY: 'a/b', GITHUB_TOKEN: 't', BROADSIDE_NAME: 'x' },
      ...{ GITHUB_EVENT_PATH: event, BROADSIDE_MARKDOWN: markdown },
    };
    const { mark } = commentOf('x', '');
    /** @param {number[]} authors of comments with the mark @param {object | null} viewer */
    const outcomeOf = async (authors, viewer) => {
      /** @type {string[]} */
      const changes = [];
      const send = async (/** @type {string} */ url, /** @type {RequestInit} */ { method }) => {
        if (url === 'http://api/graphql') return { ok: true, json: async () => ({ data: { viewer } }) };
        if (method !== 'GET') changes.push(`${method} ${url.slice('http://api/repos/a/b/issues/'.length)}`);
        const comments = authors.map((id, i) => ({ id: i, user: { id }, body: `${mark}\nold` }));
        return { ok: true, json: async () => comments };
      };
      return [await comment(env, /** @type {any} */ (send)), ...changes];
    };
    try {
      assert.deepEqual(await outcomeOf([8, 9], { databaseId: 9 }), ['updated', 'PATCH comments/1']);
      assert.deepEqual(await outcomeOf([8], { databaseId: 9 }), ['created', 'POST 7/comments']);
      assert.deepEqual(await outcomeOf([8, 9], null), ['not allowed']);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('has a comment that is found again and is not too long', () => {
    const { mark, body } = commentOf('a --> b', 'text');
    assert.equal(body, `${mark}\ntext`);
    assert.equal(mark.indexOf('-->'), mark.length - 3, 'the name cannot end the mark');
    const long = commentOf('x', 'line\n'.repeat(50_000)).body;
    assert.ok(long.length <= 65_536);
    assert.match(long, /line\n\nThe rest is on the page of the job\.\n$/);
  });

  it('declares what its steps use, and uses what it declares', () => {
    const text = readFileSync(join(ROOT, 'action.yml'), 'utf8');
    const action = /** @type {any} */ (load(text));
    const used = [...text.matchAll(/\binputs\.([\w-]+)/g)].map(([, name]) => name);
    assert.deepEqual([...new Set(used)].sort(), Object.keys(action.inputs).sort());
    for (const [name, { value }] of Object.entries(action.outputs)) {
      assert.equal(value, `\${{ steps.run.outputs.${name} }}`);
    }
    assert.equal(action.runs.using, 'composite');
    for (const { shell, run } of action.runs.steps) {
      assert.equal(shell, 'bash');
      const [, script] = /GITHUB_ACTION_PATH\/(\S+)"/.exec(run) ?? [];
      assert.ok(script === undefined || existsSync(join(ROOT, script)), run);
    }
  });
});
