// Doctor's checks beside the limits: what is there, what is missing, and what would help.

import assert from 'node:assert/strict';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { backendCheck, folderCheck, serverChecks } from '../../client/commands/checks.js';
import { resolveScenario } from '../../client/scenario/scenario.js';
import { known } from '../fixtures/hosts.js';

/** @param {Record<string, unknown>} [content] */
const scenarioOf = (content = {}) => resolveScenario({ content: { servers: ['epoll'], connections: 1, ...content } });
const backends = [{ name: 'epoll', available: true, why: null },
  { name: 'io_uring', available: false, why: 'this kernel answers ENOSYS' }];

describe('doctor\'s checks', () => {
  it('say which backend it will be, and why another is not there', () => {
    const [row] = backendCheck(scenarioOf(), { backends });
    assert.deepEqual([row.value, row.needed, row.verdict], ['epoll', 'auto', 'ok']);
    assert.match(row.what, /by epoll; io_uring is not there: this kernel answers ENOSYS\.$/);
    assert.deepEqual(backendCheck(scenarioOf({ io: 'io_uring' }), { backends }), [], 'the plan says that');
  });

  it('say which server lacks its tools, and what installs them', () => {
    const listed = known.map((server) => (server.name !== 'libuv' ? server : { ...server, available: false,
      why: 'the header uv.h is missing', remedy: 'apt-get install libuv1-dev' }));
    const scenario = scenarioOf({ servers: ['epoll', 'libuv', { name: 'epoll', as: 'again' }] });
    const rows = serverChecks(scenario, listed);
    assert.deepEqual(rows.map(({ name, value, verdict, remedy }) => [name, value, verdict, remedy]), [
      ['server epoll', 'there', 'ok', null],
      ['server libuv', 'missing', 'missing', 'apt-get install libuv1-dev.'],
    ]);
    assert.match(rows[1].what, /cannot be built or started here: the header uv\.h is missing\./);
    assert.deepEqual(serverChecks(scenarioOf({ servers: undefined, target: '127.0.0.1:80' }), []), []);
  });

  it('say whether a folder can be written into, or made', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'broadside-doctor-'));
    try {
      const file = join(folder, 'file');
      await writeFile(file, '');
      const rows = await Promise.all([folder, join(folder, 'not', 'yet'), file, join(file, 'below')].map((each) =>
        folderCheck('logs', each)));
      assert.deepEqual(rows.map(({ verdict }) => verdict), ['ok', 'ok', 'client', 'client']);
      for (const { what, remedy } of rows.slice(2)) {
        assert.match(what, /nothing can be written into .*file is not a folder\.$/);
        assert.equal(remedy, 'Give another place: --logs DIR.');
      }
      await chmod(folder, 0o500);
      // root may write anywhere
      const verdict = process.geteuid?.() === 0 ? 'ok' : 'client';
      assert.equal((await folderCheck('report', join(folder, 'pages'))).verdict, verdict);
    } finally {
      await chmod(folder, 0o700);
      await rm(folder, { recursive: true });
    }
  });
});
