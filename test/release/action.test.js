// The GitHub Action: the scripts of its steps are executed as a runner would, with a GitHub of our own.

import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { load } from 'js-yaml';

/** @import { AddressInfo } from 'node:net' */

const ROOT = join(import.meta.dirname, '../..');
const action = /** @type {any} */ (load(readFileSync(join(ROOT, 'action.yml'), 'utf8')));

describe('the GitHub Action, executed', function () {
  this.timeout(300_000);
  /** @type {string} */
  let workspace;
  beforeEach(() => void (workspace = mkdtempSync(join(tmpdir(), 'broadside-action-'))));
  afterEach(() => rmSync(workspace, { recursive: true, force: true }));

  /**
   * @param {string} name of a step
   * @param {Record<string, string>} given inputs
   * @param {Record<string, string>} [outputs] of the step `run`
   * @param {Record<string, string>} [env]
   * @param {string} [cwd]
   */
  async function step(name, given, outputs = {}, env = {}, cwd = workspace) {
    const { run, env: declared } = action.runs.steps.find((/** @type {any} */ each) => each.name === name);
    const inputs = Object.entries(action.inputs).map(([key, { default: value = '' }]) => [key, given[key] ?? value]);
    const values = new Map([
      ...inputs.map(([key, value]) => /** @type {const} */ ([`inputs.${key}`, value])),
      ...Object.entries(outputs).map(([key, value]) => /** @type {const} */ ([`steps.run.outputs.${key}`, value])),
    ]);
    const filled = Object.entries(declared).map(([key, value]) => [
      key,
      String(value).replace(/\$\{\{ (.*?) \}\}/g, (_, what) => values.get(what) ?? assert.fail(what)),
    ]);
    const files = { GITHUB_OUTPUT: join(workspace, 'output'), GITHUB_STEP_SUMMARY: join(workspace, 'step-summary') };
    const child = spawn('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', run], {
      cwd,
      env: { ...process.env, GITHUB_ACTION_PATH: ROOT, ...files, ...env, ...Object.fromEntries(filled) },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let text = '';
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (part) => (text += part));
    const [status] = await once(child, 'close');
    return { status, text };
  }

  /** @returns {Record<string, string>} what the step `run` has handed on */
  const outputs = () =>
    Object.fromEntries(
      readFileSync(join(workspace, 'output'), 'utf8')
        .trim()
        .split('\n')
        .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
    );

  const inputs = {
    arguments: '--servers epoll --connections 20\n--transfers 200 --duration 20s --workers 1',
    'fail-if': 'rejects > 0',
  };

  it('runs a scenario, shows the summary, and keeps one comment', async () => {
    const ran = await step('Run', inputs);
    assert.equal(ran.status, 0, ran.text);
    const { run, ...paths } = outputs();
    assert.equal(paths['exit-code'], '0', ran.text);
    assert.equal(JSON.parse(readFileSync(paths.summary, 'utf8')).run, run);
    assert.ok(existsSync(paths.report) && paths.report.startsWith(workspace));
    const markdown = readFileSync(paths.markdown, 'utf8');
    assert.ok(markdown.includes(run));
    assert.equal(readFileSync(join(workspace, 'step-summary'), 'utf8').trim(), markdown.trim());
    assert.equal((await step('Result', inputs, outputs())).status, 0);

    const user = { id: 41 };
    /** @type {{id: number, body: string, user: {id: number}}[]} */
    const comments = Array.from({ length: 100 }, (_, id) => ({ id, body: 'of somebody else', user: { id } }));
    /** @type {string[]} */
    const changes = [];
    const github = createServer(async (request, response) => {
      const { method = '', url = '', headers } = request;
      let text = '';
      for await (const part of request) text += part;
      assert.equal(headers.authorization, 'Bearer secret');
      if (method === 'GET') {
        assert.match(url, /^\/repos\/a\/b\/issues\/7\/comments\?/);
        const page = Number(new URL(url, 'http://x').searchParams.get('page'));
        response.end(JSON.stringify(comments.slice((page - 1) * 100, page * 100)));
        return;
      }
      if (url === '/graphql') {
        response.end(JSON.stringify({ data: { viewer: { databaseId: user.id } } }));
        return;
      }
      changes.push(`${method} ${url}`);
      const { body } = JSON.parse(text);
      if (method === 'POST') comments.push({ id: comments.length, body, user });
      else comments[Number(url.split('/').at(-1))].body = body;
      response.end('{}');
    }).listen(0, '127.0.0.1');
    await once(github, 'listening');
    const { port } = /** @type {AddressInfo} */ (github.address());
    writeFileSync(join(workspace, 'event.json'), '{ "pull_request": { "number": 7 } }');
    const env = {
      GITHUB_API_URL: `http://127.0.0.1:${port}`,
      GITHUB_GRAPHQL_URL: `http://127.0.0.1:${port}/graphql`,
      GITHUB_REPOSITORY: 'a/b',
      GITHUB_EVENT_PATH: join(workspace, 'event.json'),
    };
    const given = { ...inputs, comment: 'true', 'github-token': 'secret' };
    for (const _ of [1, 2]) {
      const said = await step('Comment', given, outputs(), env);
      assert.equal(said.status, 0, said.text);
    }
    github.close();
    assert.deepEqual(changes, ['POST /repos/a/b/issues/7/comments', 'PATCH /repos/a/b/issues/comments/100']);
    assert.equal(comments.length, 101);
    assert.ok(comments[100].body.endsWith(markdown));
  });

  it('compares the command of a pull request with its base, which it fetches, and fails where it got worse', async () => {
    /** @param {string} folder @param {string[]} args */
    const git = (folder, ...args) => execFileSync('git', args, { cwd: folder, encoding: 'utf8' }).trim();
    const origin = join(workspace, 'origin');
    mkdirSync(origin);
    git(origin, 'init', '--quiet');
    const commit = (/** @type {number} */ turns) => {
      const work = `for (let i = 0; i < ${turns}; i++);`;
      const server = `require('net').createServer((s) => s.on('data', (d) => { ${work} s.write(d); }).on('error', () => {}))`;
      writeFileSync(join(origin, 'server.js'), `${server}.listen(+process.argv[2], '127.0.0.1');`);
      git(origin, 'add', '.');
      git(
        origin,
        '-c',
        'user.name=A',
        '-c',
        'user.email=a@example.org',
        'commit',
        '--quiet',
        '--message',
        `${turns} turns`,
      );
      return git(origin, 'rev-parse', 'HEAD');
    };
    const base = commit(1000);
    commit(500_000);
    git(workspace, 'clone', '--quiet', '--depth', '1', `file://${origin}`, 'checkout');
    const given = {
      command: 'node server.js {port}',
      build: 'touch built',
      base,
      folder: '../out',
      arguments: '-c 10 -d 4s',
    };
    const cwd = join(workspace, 'checkout');
    const ran = await step('Run', given, {}, { XDG_CACHE_HOME: join(workspace, 'cache') }, cwd);
    assert.equal(ran.status, 0, ran.text);
    const { 'exit-code': code, markdown } = outputs();
    assert.equal(code, '99', ran.text);
    for (const label of ['base', 'head']) assert.ok(readFileSync(markdown, 'utf8').includes(label));
    assert.equal(git(cwd, 'status', '--porcelain', '--untracked-files=no'), '');
  });

  it('passes where a condition is undecided, and says so; not if it is strict', async () => {
    const server = join(workspace, 'server.js');
    const text = "require('net').createServer((s) => s.pipe(s).on('error', () => {}))";
    writeFileSync(server, `${text}.listen(+process.argv[2], '127.0.0.1');`);
    const commands = ['a', 'b'].map((name) => `--command ${name}='node ${server} {port}'`).join(' ');
    const given = {
      ...{ protocol: 'echo', 'fail-if': 'cost worse by 3%' },
      arguments: `${commands} -c 5 -d 500ms --starts 1`, // too short for an interval
    };
    for (const [strict, expected] of [
      ['false', '0'],
      ['true', '99'],
    ]) {
      const ran = await step('Run', { ...given, strict });
      const { 'exit-code': code, markdown, summary } = outputs();
      assert.equal(code, expected, ran.text);
      assert.equal(JSON.parse(readFileSync(summary, 'utf8')).verdict.undecided, true);
      for (const file of [markdown, join(workspace, 'step-summary')])
        assert.match(readFileSync(file, 'utf8'), /could not tell: b: fail if cost worse by 3%/);
    }
  });

  it('ends with the code of the run if a threshold is not met, or the inputs are wrong', async () => {
    const missed = { ...inputs, thresholds: 'transfers > 1000000' };
    assert.equal((await step('Run', missed)).status, 0);
    const { 'exit-code': code, markdown } = outputs();
    assert.equal(code, '99');
    assert.ok(existsSync(markdown));
    assert.equal((await step('Result', missed, outputs())).status, 99);

    rmSync(join(workspace, 'output'));
    rmSync(join(workspace, 'step-summary'));
    const wrong = await step('Run', { arguments: '--conections 5' });
    assert.deepEqual([wrong.status, outputs()['exit-code'], outputs().run], [0, '2', '']);
    assert.match(readFileSync(join(workspace, 'step-summary'), 'utf8'), /exit code 2/);
    assert.equal((await step('Result', {}, outputs())).status, 2);
  });
});
