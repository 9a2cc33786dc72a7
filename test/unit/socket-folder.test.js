// The check of the temporary folder, where servers have their unix sockets.
import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { readSocketFolder } from '../../client/machine/host.js';
import { decide } from '../../client/plan/preflight.js';
import { resolveScenario } from '../../client/scenario/scenario.js';
import { host, known } from '../fixtures/hosts.js';

describe('the temporary folder', () => {
  it('is a problem if no socket can be created in it', () => {
    const problemOf = (/** @type {string} */ folder) => readSocketFolder(folder).problem;
    assert.equal(problemOf('/nonexist'), 'missing');
    assert.equal(problemOf('/dev/null'), 'closed');
    const { problem, bytes, maxBytes } = readSocketFolder(`/${'d'.repeat(78)}`);
    assert.deepEqual([problem, bytes, maxBytes], ['too-long', 79, 78]);
    assert.equal(problemOf(tmpdir()), null);
  });

  it('matters only if a server is started on a unix socket', () => {
    const machine = { ...host, socketFolder: readSocketFolder('/nonexist') };
    const exceeded = (/** @type {Record<string, unknown>} */ content) =>
      decide(resolveScenario({ content: { connections: 1, ...content } }), machine, known)
        .limits.filter((limit) => limit.exceeded)
        .map(({ code, data }) => [code, data.folder]);
    assert.deepEqual(exceeded({ servers: ['epoll'], listen: 'unix' }), [['socket-folder-unusable', '/nonexist']]);
    assert.deepEqual(exceeded({ servers: ['epoll'] }), []);
    assert.deepEqual(exceeded({ target: 'unix:/run/a.sock' }), []);
  });
});
