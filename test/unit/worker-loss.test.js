// What follows when a worker of a leg is lost, and what the leg then ends with.

import assert from 'node:assert/strict';
import { LegOutcome } from '../../client/run/cluster/leg-outcome.js';
import { consequenceOf } from '../../client/run/cluster/worker-loss.js';
import { warning as ofAgents } from '../../client/agents/warnings.js';
import { warning } from '../../client/words/warnings.js';

/** @import { TlsFailure } from '../../client/words/tls-failure.js' */

/** @typedef {Parameters<typeof consequenceOf>} Given */

describe('the loss of a worker', () => {
  const lost = { open: 1, abandoned: 0, unfinished: 1, unsent: 0, rows: 0 };

  /** @param {Partial<Given[0]['worker'] & { reportedNs: number | null }>} worker @param {Partial<Given[1]>} [leg] */
  const after = ({ reportedNs = null, ...worker }, leg) => {
    const { isReplaced, failure, isFatal } = consequenceOf(
      {
        worker: { index: 3, generation: 0, lossOf: () => null, ...worker },
        ...{ how: 'SIGKILL', started: true, reportedNs, lost, stderr: '' },
      },
      { hasStarted: true, isEnding: false, steadyToNs: 5e9, isTolerated: false, ...leg },
    );
    return [isReplaced, failure?.code, isFatal];
  };

  it('is made good by a replacement, up to five times', () => {
    assert.deepEqual(after({}), [true, undefined, undefined]);
    assert.deepEqual(after({ generation: 4 }), [true, undefined, undefined]);
    assert.deepEqual(after({ generation: 5 }), [false, 'worker-lost-repeatedly', false]);
    assert.deepEqual(after({ generation: 5 }, { hasStarted: false }), [false, 'worker-lost-repeatedly', true]);
  });

  it('leaves a leg that ends incomplete only if the worker had not reported its steady state', () => {
    const leg = { isEnding: true };
    assert.deepEqual(after({ reportedNs: 5e9 }, leg), [false, undefined, undefined]);
    assert.deepEqual(after({ reportedNs: 4e9 }, leg), [false, 'worker-lost-early', undefined]);
    assert.deepEqual(after({ reportedNs: null }, leg), [false, 'worker-lost-early', undefined]);
  });

  it('with its host is final, and as bad as the user says', () => {
    const worker = { lossOf: () => ofAgents('agent-lost', { agent: 'agent-1', how: 'SIGKILL', started: true }) };
    assert.deepEqual(after(worker), [false, 'agent-lost', false]);
    assert.deepEqual(after(worker, { hasStarted: false }), [false, 'agent-lost', true]);
    assert.deepEqual(after(worker, { isTolerated: true }), [false, undefined, undefined]);
  });
});

describe('the outcome of a leg', () => {
  const failure = warning('worker-replaced-late', { worker: 0 });
  const outcome = () => new LegOutcome(() => {});

  it('is that of the first reason, except that an interruption replaces it', () => {
    const losing = outcome();
    losing.markIncomplete(failure);
    losing.decide('stop-on');
    losing.fail('error', warning('worker-failed', { worker: 1, reason: 'x' }));
    assert.deepEqual([losing.endedBy, losing.failure], ['workers', failure]);
    losing.decide('interrupted');
    assert.deepEqual([losing.endedBy, losing.failure], ['interrupted', undefined]);
  });

  it('has each kind of failure of TLS once', () => {
    const losing = outcome();
    /** @type {TlsFailure} */
    const failed = { cause: 'broken', step: 'handshake', reason: 'EPIPE' };
    for (const each of [undefined, failed, { ...failed }, { ...failed, reason: 'ECONNRESET' }])
      losing.warnOfTlsFailure(each);
    assert.deepEqual(
      losing.warnings.map(({ code, data }) => [code, data.reason]),
      [
        ['tls-failed', 'EPIPE'],
        ['tls-failed', 'ECONNRESET'],
      ],
    );
  });
});
