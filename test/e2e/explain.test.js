// --explain: servers are profiled after the run, and the function that makes the difference is named.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sandbox } from '../fixtures/e2e-run.js';

const SERVER = fileURLToPath(new URL('../fixtures/explained-server.js', import.meta.url));
/** A program, where it is installed and may be used. @param {string} program */
const runs = (program) => spawnSync(program, ['--version']).status === 0;
const LOAD = { protocol: 'http', payload: undefined, connections: 10, duration: '1s', workers: 1, pause: '0ms' };

/** @param {string} file @returns {any} */
const jsonOf = (file) => JSON.parse(readFileSync(file, 'utf8'));

describe('a run that explains', function () {
  this.timeout(120_000);
  const box = sandbox({ workers: 1 });

  it('names the function that the changed version of a Node server has more of', async () => {
    const command = { base: `node ${SERVER} {port} base`, head: `node ${SERVER} {port} head` };
    const run = box.stress({ ...LOAD, command, interleave: '50ms', starts: 3 }, ['--explain', '1s']);
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
    const bin = mkdtempSync(join(tmpdir(), 'broadside-bin-'));
    writeFileSync(join(bin, 'perf'), '#!/bin/sh\necho "no counters here" >&2\nexit 1\n', { mode: 0o755 });
    const run = box.stress({ connections: 10, duration: '1s', servers: ['epoll'] }, ['--explain', '1s'], {
      env: { PATH: `${bin}:${process.env.PATH}` },
    });
    await run.endsWith(0);
    const { explained, legs } = run.summary();
    rmSync(bin, { recursive: true });
    const [{ problem }] = explained.cases;
    assert.deepEqual(
      [legs[0].complete, problem.code, problem.data],
      [true, 'perf-failed', { reason: 'no counters here' }],
    );
    assert.deepEqual(readdirSync(join(String(run.folder), 'profiles')), ['01-epoll']);
    assert.match(run.stdout, /epoll has no profile: perf took no sample: no counters here/);
  });

  it('takes the CPU time of a single server apart', async function () {
    if (!runs('perf')) this.skip();
    const run = box.stress({ ...LOAD, payload: '64B', protocol: 'echo', servers: ['epoll'] }, ['--explain', '1s']);
    await run.endsWith(0);
    const [{ case: id, ns, functions }] = run.summary().explained.costs;
    const selfNs = functions.reduce((/** @type {number} */ sum, /** @type {any} */ one) => sum + one.selfNs, 0);
    assert.ok(id === 'epoll' && selfNs > 0.5 * ns && selfNs <= ns * 1.001, run.story());
    assert.ok(functions.some((/** @type {any} */ { name }) => name.startsWith('in the kernel: ')));
  });

  it('profiles nothing with worse where no version is worse, and needs servers that it starts', async () => {
    const run = box.stress({ connections: 10, duration: '1s', servers: ['epoll'] }, ['--explain', 'worse']);
    await run.endsWith(0);
    assert.deepEqual([run.summary().explained, existsSync(join(String(run.folder), 'profiles'))], [undefined, false]);
  });
});
