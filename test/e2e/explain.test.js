// --explain: servers are profiled after the run, and the function that makes the difference is named.

import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sandbox } from '../fixtures/e2e-run.js';

/** @param {string} name @returns {string} its path */
const fixture = (name) => fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url));
const SERVER = fixture('explained-server.js');
const ECHO = { connections: 10, duration: '1s', servers: ['epoll'] };
const LOAD = { protocol: 'http', payload: undefined, connections: 10, duration: '1s', workers: 1, pause: '0ms' };

/** @param {string} file @returns {any} */
const jsonOf = (file) => JSON.parse(readFileSync(file, 'utf8'));

describe('a run that explains', function () {
  this.timeout(120_000);
  const box = sandbox({ workers: 1 });
  const bin = mkdtempSync(join(tmpdir(), 'broadside-bin-'));
  after(() => rmSync(bin, { recursive: true }));

  /** @param {string} script of a shell, which is perf to a run */
  function withPerf(script) {
    writeFileSync(join(bin, 'perf'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    return { env: { PATH: `${bin}:${process.env.PATH}` } };
  }

  it('names the function that the changed version of a Node server has more of', async () => {
    const command = { base: `node ${SERVER} {port} base`, head: `node ${SERVER} {port} head` };
    const run = box.stress({ ...LOAD, command, interleave: '50ms', starts: 3 }, ['--explain', '3s']);
    await run.endsWith(0);
    const { explained, legs, cases } = run.summary();
    assert.deepEqual([legs.length, cases.length], [6, 2], 'the profiled legs are no legs of the run');
    const [{ case: id, against, unit, functions, ns }] = explained.differences;
    assert.deepEqual([id, against, unit], ['head', 'base', 'start'], run.story());
    const [first] = functions;
    assert.deepEqual([first.name, first.calledBy, first.baseNs, first.ns > 0.5 * ns], ['extra', 'render', 0, true]);
    assert.match(first.file, /explained-server\.js$/);
    assert.equal(readFileSync(SERVER, 'utf8').split('\n')[first.line - 1], 'function extra(n) {');
    for (const { source, samples } of explained.cases) assert.ok(source === 'node' && samples > 100);
    assert.match(run.stdout, /extra \(.*explained-server\.js:\d+\)/);

    const folder = String(run.folder);
    const [tree] = jsonOf(join(folder, 'profiles.json')).trees;
    assert.ok(tree.functions.some((/** @type {any} */ { name }) => name === 'extra'));
    const profile = jsonOf(join(folder, 'profiles/head.cpuprofile'));
    assert.equal(profile.samples.length, profile.timeDeltas.length);
    assert.match(readFileSync(join(folder, 'profiles/head.folded'), 'utf8'), /;extra \(/);
  });

  it('says what is missing where servers cannot be profiled, and is otherwise as it was', async () => {
    const run = box.stress(ECHO, ['--explain', '1s'], withPerf('echo "no counters here" >&2; exit 1'));
    await run.endsWith(0);
    const { explained, legs } = run.summary();
    const [{ problem }] = explained.cases;
    assert.deepEqual(
      [legs[0].complete, problem.code, problem.data],
      [true, 'perf-failed', { reason: 'no counters here' }],
    );
    assert.deepEqual(readdirSync(join(String(run.folder), 'profiles')), ['01-epoll']);
    assert.match(run.stdout, /epoll has no profile: perf took no sample: no counters here/);
  });

  it('takes the CPU time of a single server apart', async () => {
    const perf = withPerf(`exec "${process.execPath}" "${fixture('made-up-perf.js')}" "$@"`);
    const run = box.stress(ECHO, ['--explain', '1s'], perf);
    await run.endsWith(0);
    const [{ case: id, ns, functions }] = run.summary().explained.costs;
    assert.equal(id, 'epoll', run.story());
    const shares = functions.map((/** @type {any} */ { name, file, selfNs }) => [name, file, (selfNs / ns).toFixed(1)]);
    assert.deepEqual(shares, [
      ['work', 'libwork.so', '0.8'],
      ['in the kernel: sendto', 'kernel', '0.2'],
    ]);
  });

  it('profiles nothing with worse where no server is worse', async () => {
    const run = box.stress(ECHO, ['--explain', 'worse']);
    await run.endsWith(0);
    assert.deepEqual([run.summary().explained, existsSync(join(String(run.folder), 'profiles'))], [undefined, false]);
  });
});
