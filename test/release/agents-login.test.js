// A NATS server that asks who is there: agents, controller and `collect` get in with the right secret, not with a wrong
// one, and the secret is in no output, no file of the run and no command line that others can read.

import assert from 'node:assert/strict';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { assertSums, startAgents, startNats } from '../fixtures/e2e-agents.js';
import { sandbox } from '../fixtures/e2e-run.js';
import { startTarget } from '../fixtures/e2e-server.js';
import { LOGINS } from '../fixtures/nats-logins.js';
import { refused } from '../fixtures/refused.js';
import { requireTool } from '../skip.js';

/** @import { Run } from '../fixtures/e2e-run.js' */

describe('a NATS server that asks for', function () {
  this.timeout(120_000);
  const box = sandbox({ workers: 1, connections: 10 });

  for (const [way, make] of Object.entries(LOGINS)) {
    it(`${way} lets in agents, controller and collect, and nobody else`, async function () {
      requireTool(this, 'nats-server');
      requireTool(this, 'openssl');
      const secretFolder = join(box.folder, 'secret');
      mkdirSync(secretFolder);
      const login = make(secretFolder);
      /** @type {{ stop: () => Promise<void> }[]} */
      const started = [];
      try {
        const nats = await startNats(box.folder, login);
        started.unshift(nats);
        const target = await startTarget();
        started.unshift(target);
        const words = login.right(nats.url);
        const agents = await startAgents(box, words, { names: ['a'] });
        const run = box.stress({ target: `127.0.0.1:${target.port}`, transfers: 500, duration: '60s' }, [
          '--agents',
          '1',
          '--agent-timeout',
          '20s',
          ...words,
        ]);
        await run.until('the leg starts', () => run.events().some(({ msg }) => msg === 'leg starts'));
        const commandLines = [...agents.of.values(), run].flatMap((one) => one.processes()).map(commandLineOf);
        await run.endsWith(0);
        const [leg] = run.summary().legs;
        assert.deepEqual([leg.complete, leg.transfers.count], [true, 500]);
        assertSums(leg);
        const cut = withoutEnd(run, join(box.folder, 'cut'));
        const collect = (/** @type {string[]} */ own) => ['collect', cut, ...own];
        const got = await refused(collect(words));
        assert.deepEqual([got.code, got.exitCode], ['ENOREPORTS', 3], 'it got in, and there is nothing to collect');
        const stress = ['stress', '--target', `127.0.0.1:${target.port}`, '--agents', '1', '--logs', box.folder];
        const commands = login.wrong
          .map((wrong) => wrong(nats.url))
          .flatMap((own) => [['agent', '--name', 'b', ...own], [...stress, ...own], collect(own)]);
        const errors = await Promise.all(commands.map(refused));
        for (const error of errors) {
          assert.deepEqual([error.code, error.exitCode, error.data.server], ['ENATS', 3, nats.url.split('//')[1]]);
        }
        await agents.stop();
        rmSync(secretFolder, { recursive: true });
        rmSync(join(box.folder, 'nats-server.conf'));
        const outputs = [...agents.of.values(), run].flatMap(({ stdout, stderr }) => [stdout, stderr]);
        const told = [...outputs, ...commandLines, JSON.stringify(errors), ...textsIn(box.folder)];
        for (const secret of login.secrets) {
          const found = told.find((text) => text.includes(secret));
          assert.equal(found, undefined, `a secret is in ${found?.slice(0, 500)}`);
        }
      } finally {
        for (const one of started) await one.stop();
        login.remove?.();
      }
    });
  }
});

/** @param {{ pid: number }} process @returns {string} as every user of this host can read it */
const commandLineOf = ({ pid }) => readFileSync(`/proc/${pid}/cmdline`, 'latin1').replaceAll('\0', ' ');

/** @param {string} folder @returns {string[]} of all files */
const textsIn = (folder) =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'latin1'));

/**
 * @param {Run} run that has ended @param {string} folder
 * @returns {string} a copy of its folder as if the controller had been killed
 */
function withoutEnd(run, folder) {
  const copy = join(folder, basename(String(run.folder)));
  cpSync(String(run.folder), copy, { recursive: true });
  rmSync(join(copy, 'summary.json'));
  for (const { id } of run.summary().legs) rmSync(join(copy, id, 'summary.json'));
  return copy;
}
