// `broadside servers`: list, build, start and verify, as a user types them, with their exit codes.

import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CLI, sandbox } from '../fixtures/e2e-run.js';
import { refused } from '../fixtures/refused.js';

/** @import { How } from '../fixtures/e2e-run.js' */

const ECHO = `${process.execPath} test/fixtures/echo-command.js {port}`;

describe('the command servers', function () {
  this.timeout(180_000);
  const box = sandbox();
  /** @param {string[]} words @param {How} [how] */
  const servers = (words, how) => box.start([process.execPath, CLI, 'servers', ...words], how);

  /** A PATH whose node is too old for the servers that want one. */
  function oldNode() {
    const bin = join(box.folder, 'bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'node'), '#!/bin/sh\necho v18.1.0\n', { mode: 0o755 });
    return { env: { PATH: `${bin}:${process.env.PATH}` } };
  }

  it('lists all servers, or those of names and patterns, for people and programs', async () => {
    const [all, some, json] = [
      servers([]),
      servers(['list', 'c/epol*', 'select'], { env: { COLUMNS: '80' } }),
      servers(['list', '--json', 'epoll']),
    ];
    await Promise.all([all.endsWith(0), some.endsWith(0), json.endsWith(0)]);
    assert.match(all.stdout, /^ server +language +model +protocols +at once +available\n epoll +c +epoll/);
    assert.match(some.stdout, /^ server +model .*\nc\n epoll [^]*\n select [^]*\n\n\d servers, \d available here\n$/);
    const [epoll] = JSON.parse(json.stdout);
    assert.deepEqual(
      [epoll.name, epoll.language, epoll.concurrent, epoll.available, epoll.why, epoll.remedy],
      ['epoll', 'c', 'unbounded', true, null, null],
    );
    assert.ok(epoll.options.includes('backlog') && epoll.protocols.includes('echo'));
    assert.deepEqual(epoll.transports, ['tcp', 'sctp', 'sctp-seqpacket']);
    const none = await refused(['servers', 'list', 'klingon/*']);
    const [{ code, data }] = none.data.mistakes;
    assert.deepEqual([none.exitCode, code, data.pattern], [2, 'pattern-matches-nothing', 'klingon/*']);
  });

  it('reports one that is too old, which cannot be built or started (3), and handles the others', async () => {
    const how = oldNode();
    const [list, build, pattern, vain, start, verify] = [
      ['list', 'node', 'epoll'],
      ['build', 'node', 'epoll'],
      ['build', '{node,c}/{node,epoll}'],
      ['build', 'node/*', 'epoll'],
      ['start', 'node'],
      ['verify', 'node'],
    ].map((words) => servers([...words, '--json'], how));
    await Promise.all([list, pattern].map((run) => run.endsWith(0)));
    await Promise.all([build, vain, start, verify].map((run) => run.endsWith(3)));
    const [epoll, node] = JSON.parse(list.stdout);
    assert.deepEqual([epoll.available, epoll.problem, node.available], [true, null, false]);
    assert.deepEqual([node.problem.code, node.problem.data.found], ['old-version', '18.1.0']);
    assert.deepEqual(
      JSON.parse(build.stdout).map((/** @type {any} */ { name, built, problem }) => [name, built, problem]),
      [
        ['epoll', false, undefined],
        ['node', false, node.problem],
      ],
    );
    const { code, data } = vain.failure();
    assert.deepEqual([code, data.of, data.failed.length, data.failed[0].problem.code], ['EBUILD', 3, 2, 'old-version']);
    for (const run of [start, verify]) {
      const { code, data } = run.failure();
      assert.deepEqual([code, data.server, data.problem], ['EUNAVAILABLE', 'node', node.problem]);
    }
  });

  it('listens on the given port, prints it, and reports if it is taken', async () => {
    const first = servers(['start', 'epoll', '--host', '127.0.0.2']);
    await first.until('it listens', () => first.stdout.includes('\n'));
    const says = /^epoll listens on 127\.0\.0\.2:(\d+) \(echo\), process \d+; Ctrl\+C ends it\n$/;
    const [, port] = says.exec(first.stdout) ?? [];
    assert.ok(port, first.stdout);
    const second = servers(['start', 'epoll', '--host', '127.0.0.2', '--port', port, '--json']);
    await second.endsWith(1);
    const { code, data } = second.failure();
    assert.deepEqual([code, data], ['EPORT', { server: 'epoll', endpoint: `127.0.0.2:${port}` }]);
    first.kill('SIGTERM');
    await first.endsWith(0);
    const again = servers(['start', 'epoll', '--host', '127.0.0.2', '--port', port]);
    await again.until('it listens there again', () => again.stdout.includes(`127.0.0.2:${port} `));
    again.kill('SIGINT');
    await again.endsWith(0);
  });

  it('ends with the status of the server that it has started', async () => {
    const run = servers(['start', 'epoll', '--json']);
    const { pids } = await run.until('it listens', () => run.stdout.includes('}') && JSON.parse(run.stdout));
    process.kill(pids[0], 'SIGKILL');
    await run.endsWith(137);
    const { code, data } = run.failure();
    assert.deepEqual([code, data], ['EENDED', { server: 'epoll', exitCode: null, signal: 'SIGKILL' }]);
  });

  it('verifies a command, reports failed and skipped checks, and ends with 99', async () => {
    const only = ['--only', '^(vectors|sigterm-idle|invalid-arguments)$'];
    const stubborn = `${ECHO} stubborn`; // it ignores SIGTERM
    const [run, json] = [servers(['verify', stubborn, ...only]), servers(['verify', stubborn, ...only, '--json'])];
    await Promise.all([run.endsWith(99), json.endsWith(99)]);
    assert.match(run.stdout, /\n3 checks in .* s: 1 ok, 1 failed, 1 skipped\n$/);
    const { checks } = JSON.parse(json.stdout);
    assert.deepEqual(
      checks.map((/** @type {any} */ each) => [each.id, each.skipped?.code ?? each.failure?.code ?? 'ok']),
      [
        ['invalid-arguments', 'no-manifest'],
        ['vectors', 'ok'],
        ['sigterm-idle', 'timeout'],
      ],
    );
  });
});
