// Server and workers under wrappers: one that replaces itself and one that stays as their parent, beside none.

import assert from 'node:assert/strict';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { assertBooks } from '../fixtures/e2e-books.js';
import { sandbox } from '../fixtures/e2e-run.js';

describe('a run with wrap', function () {
  this.timeout(120_000);
  const box = sandbox();

  it('measures under wrappers and without, side by side; what they write at the end is kept', async () => {
    const parent = join(box.folder, 'parent.sh');
    writeFileSync(parent, '#!/bin/sh\n"$@"\necho measured >&2\n');
    chmodSync(parent, 0o755);
    const wrap = { server: 'env WRAPPED=1', client: parent };
    const run = box.stress({
      servers: [
        { name: 'epoll', as: 'kernel' },
        { name: 'epoll', as: 'wrapped', wrap },
      ],
    });
    await run.endsWith(0);
    const [kernel, wrapped] = (await assertBooks(run)).legs.map(({ leg }) => leg);
    assert.deepEqual([kernel.wrap, wrapped.wrap], [undefined, wrap]);
    assert.deepEqual(
      [kernel, wrapped].map(({ connections }) => connections.openAtEnd),
      [100, 100],
    );
    const written = run.events().filter(({ source, msg }) => source === 'worker' && msg === 'measured');
    assert.deepEqual(written.map(({ leg, worker }) => `${leg} ${worker}`).sort(), ['02-wrapped 0', '02-wrapped 1']);
  });

  it('ends with the reason when a wrapper is missing, or does not run what is appended to it', async () => {
    const failing = (/** @type {object} */ wrap) => box.stress({ servers: ['epoll'], wrap }, ['--json']);
    const runs = [{ server: 'no-such-wrapper' }, { client: 'false' }, { server: 'false' }].map(failing);
    await Promise.all([runs[0].endsWith(3), runs[1].endsWith(1), runs[2].endsWith(1)]);
    const { code, data } = runs[0].failure();
    assert.deepEqual([code, data.key, data.program], ['EWRAP', 'wrap.server', 'no-such-wrapper']);
    const failures = runs.slice(1).map((run) => run.summary().legs[0].failure);
    assert.deepEqual([failures[0].code, failures[0].data.wrapper], ['client-wrap-failed', 'false']);
    assert.equal(failures[1].data.errorCode, 'EDIED');
  });
});
