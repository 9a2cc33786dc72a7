// The checks of doctor besides the limits: what is available, what is missing, and what would help.

import assert from 'node:assert/strict';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { canRun, folderCheck, missingLegs, serverChecks } from '../../client/commands/doctor-checks.js';
import { lastSentence } from '../../client/commands/doctor.js';
import { decide } from '../../client/plan/preflight.js';
import { resolveScenario } from '../../client/scenario/scenario.js';
import { host, known } from '../fixtures/hosts.js';

/** @param {Record<string, unknown>} [content] */
const scenarioOf = (content = {}) => resolveScenario({ content: { servers: ['epoll'], connections: 1, ...content } });

describe('the checks of doctor', () => {
  it('name the servers whose tools are missing, and what installs them', () => {
    const [why, remedy] = ['the header uv.h is missing', 'apt-get install libuv1-dev'];
    const listed = known.map((one) => (one.name === 'libuv' ? { ...one, available: false, why, remedy } : one));
    const scenario = scenarioOf({ servers: ['epoll', 'libuv', { name: 'epoll', as: 'again' }] });
    const rows = serverChecks(scenario, listed);
    assert.deepEqual(
      rows.map(({ code, available, exceeded, data }) => [code, data.server, available, exceeded]),
      [
        ['server-available', 'epoll', 'available', false],
        ['server-available', 'libuv', 'missing', true],
      ],
    );
    assert.deepEqual([rows[1].data.why, rows[1].data.remedy], [why, remedy]);
    assert.deepEqual(serverChecks(scenarioOf({ servers: undefined, target: '127.0.0.1:80' }), []), []);
  });

  it('report whether a folder can be written to or created', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'broadside-doctor-'));
    try {
      const file = join(folder, 'file');
      await writeFile(file, '');
      const rows = await Promise.all(
        [folder, join(folder, 'not', 'yet'), file, join(file, 'below')].map((each) => folderCheck('logs', each)),
      );
      assert.deepEqual(
        rows.map(({ exceeded, data }) => [exceeded, data.errno]),
        [
          [false, null],
          [false, null],
          [true, 'EEXIST'],
          [true, 'ENOTDIR'],
        ],
      );
      await chmod(folder, 0o500);
      // root may write anywhere
      assert.equal((await folderCheck('report', join(folder, 'pages'))).exceeded, process.geteuid?.() !== 0);
    } finally {
      await chmod(folder, 0o700);
      await rm(folder, { recursive: true });
    }
  });
});

describe('the result of doctor when servers are missing', () => {
  const listed = known.map((server) => (server.name === 'libuv' ? { ...server, available: false } : server));
  /** @param {unknown[]} servers @param {Record<string, unknown>} [content] */
  const verdict = (servers, content = {}) => {
    const scenario = scenarioOf({ servers, ...content });
    const decision = decide(scenario, host, listed);
    const [checks, missing] = [serverChecks(scenario, listed), missingLegs(scenario, listed)];
    return {
      can: canRun(scenario, decision, checks, missing),
      says: lastSentence(scenario, decision, checks, missing),
    };
  };

  it('names the legs that cannot run, and is "not possible" when no leg is left, or when the client cannot run', () => {
    const again = { name: 'libuv', as: 'again' };
    for (const [servers, content, expected, words] of /** @type {[unknown[], object, boolean, RegExp][]} */ ([
      [['epoll'], {}, true, /./],
      [['epoll', 'libuv', again], {}, true, /\b2 of 3 legs\b.*: libuv, again\.$/],
      [['libuv'], {}, false, /: server libuv\./],
      [['epoll', 'libuv'], { connections: 30_000, workers: 1 }, false, /: descriptors of a worker, server libuv\./],
    ])) {
      const { can, says } = verdict(servers, { ...content });
      assert.equal(can, expected);
      assert.match(says, words);
    }
  });
});
