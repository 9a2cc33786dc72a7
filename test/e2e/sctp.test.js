// Runs over SCTP in user space, against our server: the run folder, the console and the page, and that the stack is named
// wherever a figure is shown. Kernel SCTP is tested where a kernel has it (test/native/test_sctp.c).

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sctpStacks, usrsctpSettings } from '../../client/transports/sctp/engine.js';
import { transportLabel, transportText } from '../../client/transports/index.js';
import { skip } from '../hooks.js';
import { pageText } from '../fixtures/page-text.js';
import { dataOf } from '../fixtures/codes.js';
import { assertBooks } from '../fixtures/e2e-books.js';
import { CLI, sandbox } from '../fixtures/e2e-run.js';
import { startTarget } from '../fixtures/e2e-server.js';

const STYLES = /** @type {const} */ (['sctp', 'sctp-seqpacket']);

describe('a run over SCTP', function () {
  this.timeout(120_000);
  const box = sandbox();

  before(function () {
    const { usrsctp } = sctpStacks();
    if (usrsctp !== null) skip(this, usrsctp);
  });

  for (const transport of STYLES) {
    const add = transport === 'sctp' ? it : it.slow;
    add(`echoes over ${transport}, and names the stack in user space`, async () => {
      const run = box.stress({ servers: ['epoll'], transport, sctpStack: 'usrsctp', connections: 8, payload: '3000B' });
      await run.endsWith(0);
      const {
        legs: [{ leg }],
      } = await assertBooks(run);
      assert.deepEqual([leg.io, leg.transport, leg.stack], ['usrsctp', transport, 'usrsctp']);
      assert.deepEqual([leg.connections.openAtEnd, leg.rejects.total, leg.errors.total], [8, 0, 0], run.story());
      assert.ok(leg.transfers.count >= 8);
      const carrier = { transport, stack: 'usrsctp' };
      const label = String(transportLabel(carrier));
      assert.ok(leg.label.endsWith(label), leg.label);
      assert.ok(run.stdout.includes(label), run.story());
      const environment = JSON.parse(readFileSync(join(String(run.folder), 'environment.json'), 'utf8'));
      assert.deepEqual(environment.transport.usrsctp, { version: sctpStacks().version, ...usrsctpSettings() });
      const page = pageText(run.report);
      assert.ok(page.includes(label) && page.includes(String(transportText(carrier))));
      assert.ok(page.includes('max_init_retransmits'));
      assert.ok(
        run.samples().every(({ counters }) => !(counters.tcpSampled > 0)),
        'TCP_INFO is absent',
      );
    });
  }

  it('has ACE’s test and its association test, by default over SCTP', async () => {
    const server = await startTarget(undefined, {
      options: ['--host', '127.0.0.1', '--protocol', 'ace', '--transport', 'sctp', '--sctp-stack', 'usrsctp'],
    });
    try {
      const port = String(server.port);
      const ace = (/** @type {string[]} */ ...words) =>
        box.start([process.execPath, CLI, 'ace', '--sctpStack', 'usrsctp', '-p', port, '-H', '127.0.0.1', ...words]);
      const association = ace('--association');
      await association.endsWith(0);
      assert.match(
        association.stdout,
        new RegExp(`^local +127\\.0\\.0\\.1:\\d+\\npeer +127\\.0\\.0\\.1:${port}$`, 'm'),
      );
      const folders = ['--logs', join(box.folder, 'ace'), '--report', join(box.folder, 'report')];
      const measured = ace('-s', '7', '-c', '200', '-b', '4', '-M', '500000', ...folders);
      await measured.endsWith(0);
      assert.match(measured.stdout, /^num_points: 200$/m);
      assert.ok(measured.stderr.includes(String(transportLabel({ transport: 'sctp', stack: 'usrsctp' }))));
    } finally {
      await server.stop();
    }
  });

  it('refuses a stack and a server that are not there', async () => {
    const { kernel } = sctpStacks();
    const sctp = { transport: 'sctp', connections: 1 };
    if (kernel !== null) {
      const error = await box.refused({ ...sctp, servers: ['epoll'], sctpStack: 'kernel' });
      assert.deepEqual([error.exitCode, error.data.limits[0].code], [3, 'sctp-unavailable']);
    }
    const error = await box.refused({ ...sctp, servers: ['iterative'] });
    assert.equal(error.exitCode, 2);
    assert.equal(dataOf(error.data.mistakes, 'transport-unsupported')?.transport, 'sctp');
  });
});
