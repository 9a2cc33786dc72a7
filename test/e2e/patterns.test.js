// Servers by pattern, from the command line to the run folder; and that no toolchain is run for servers that are not
// needed.

import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { mistakesOf } from '../fixtures/codes.js';
import { sandbox } from '../fixtures/e2e-run.js';

describe('servers by pattern', function () {
  this.timeout(120_000);
  const box = sandbox({ workers: 1 });

  it('select the servers that scenario.json lists with their names', async () => {
    const run = box.stress({
      servers: ['c/{epoll,select}', { name: 'epoll', options: { backlog: 16 } }],
      connections: 10,
      duration: '300ms',
    });
    await run.endsWith(0);
    const { servers } = JSON.parse(readFileSync(join(String(run.folder), 'scenario.json'), 'utf8'));
    assert.deepEqual(
      servers.map((/** @type {any} */ { name, as, options }) => [name, as, options.backlog]),
      [
        ['epoll', 'epoll (backlog 4096)', 4096],
        ['select', 'select', 4096],
        ['epoll', 'epoll (backlog 16)', 16],
      ],
    );
    const ids = run.summary().legs.map((/** @type {any} */ { id }) => id);
    assert.deepEqual(ids, ['01-epoll-backlog-4096', '02-select', '03-epoll-backlog-16']);
  });

  it.slow('leave out servers that lack an option, with a warning', async () => {
    const servers = [{ name: 'c/{epoll,multi-threaded}', options: { maxChildren: 20 } }];
    const [plan, doctor] = [
      box.stress({ servers }, ['--dry-run', '--json']),
      box.stress({ servers }, [], { program: [process.execPath, 'client/cli.js', 'doctor'] }),
    ];
    await Promise.all([plan.endsWith(0), doctor.endsWith(0)]);
    const {
      scenario,
      plan: { legs, warnings },
    } = JSON.parse(plan.stdout);
    assert.deepEqual([scenario.servers.length, legs.length, legs[0].label], [1, 1, 'multi-threaded']);
    const [{ code, data, text }] = warnings;
    assert.deepEqual(
      [code, data.servers, data.pattern, data.missing],
      ['server-left-out', ['epoll'], 'c/{epoll,multi-threaded}', false],
    );
    assert.ok(doctor.stdout.replace(/\s+/g, ' ').includes(`epoll: ${text}`));
  });

  it('that match nothing, or nothing that can be measured, end with 2', async () => {
    const none = await box.refused({ servers: ['klingon/*'] });
    assert.deepEqual(mistakesOf(none), ['servers pattern-matches-nothing']);
    const unfit = await box.refused({ servers: [{ name: 'c/epol?', options: { maxChildren: 2 } }] });
    const { code, data, exitCode } = unfit;
    assert.deepEqual([code, exitCode], ['ESERVER', 2]);
    assert.deepEqual(
      data.left.map((/** @type {any} */ { data: { servers, pattern, reason } }) => [
        servers,
        pattern,
        reason.code,
        reason.data.option,
      ]),
      [[['epoll'], 'c/epol?', 'option-unsupported', 'maxChildren']],
    );
  });

  it('do not affect named servers: unavailable ones are reported before anything starts, and a run of only those fails', async () => {
    const bin = join(box.folder, 'bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'node'), '#!/bin/sh\necho v18.1.0\n', { mode: 0o755 });
    const how = { env: { PATH: `${bin}:${process.env.PATH}` } };
    const short = { connections: 10, duration: '200ms' };
    const [alone, dry, both] = [
      box.stress({ ...short, servers: ['node', 'node-cluster'] }, ['--json'], how),
      box.stress({ ...short, servers: ['node', 'epoll'] }, ['--dry-run', '--json'], how),
      box.stress({ ...short, servers: ['node', 'epoll'] }, [], how),
    ];
    await Promise.all([alone.endsWith(3), dry.endsWith(0), both.endsWith(1)]);
    const failure = alone.failure();
    const [{ names, problem }, ...others] = failure.data.unavailable;
    assert.deepEqual([failure.code, names, others], ['ESERVER', ['node', 'node-cluster'], []]);
    assert.deepEqual([problem.code, problem.data.found], ['old-version', '18.1.0']);
    assert.equal(alone.folder, null);
    const { warnings, legs } = both.summary();
    const [{ code, data }] = warnings;
    assert.deepEqual([code, data.servers, data.problem], ['server-unavailable', ['node'], problem]);
    assert.deepEqual(JSON.parse(dry.stdout).plan.warnings, warnings);
    assert.deepEqual([warnings.length, legs.map((/** @type {any} */ { complete }) => complete)], [1, [false, true]]);
  });

  it.slow('run no toolchain of servers that are not needed', async () => {
    const bin = join(box.folder, 'bin');
    mkdirSync(bin);
    const noted = join(box.folder, 'noted');
    for (const name of ['go', 'cargo', 'rustc', 'java', 'javac', 'mvn', 'python3']) {
      writeFileSync(join(bin, name), `#!/bin/sh\necho ${name} "$@" >>${noted}\nexit 1\n`, { mode: 0o755 });
    }
    writeFileSync(noted, '');
    const run = box.stress({ servers: ['epoll'], connections: 10, duration: '200ms' }, [], {
      env: { PATH: `${bin}:${process.env.PATH}` },
    });
    await run.endsWith(0);
    assert.equal(readFileSync(noted, 'utf8'), '');
  });
});
