// First and second signal, duplicates from npm, and a parent process that has ended.
import assert from 'node:assert/strict';
import FakeTimers from '@sinonjs/fake-timers';
import { EventEmitter } from 'node:events';
import { Interrupts } from '../../client/run/interrupts.js';

/** @param {NodeJS.ProcessEnv} [env] */
function make(env = {}) {
  const target = /** @type {any} */ (Object.assign(new EventEmitter(), { ppid: 7 }));
  const clock = { ms: 0 };
  const interrupts = new Interrupts({ now: () => clock.ms, env, process: target }).listen();
  /** @type {string[]} */
  const heard = [];
  interrupts
    .on('first', (signal) => heard.push(`first ${signal}`))
    .on('second', (signal) => heard.push(`second ${signal}`));
  return { target, clock, interrupts, heard };
}

describe('interrupts', () => {
  it('handle the first and the second signal, and no third; that which npm forwards at the same moment is none', () => {
    const { target, clock, interrupts, heard } = make();
    for (const ms of [0, 20, 1000, 2000]) {
      clock.ms = ms;
      target.emit('SIGINT');
      if (ms === 20) assert.deepEqual(heard, ['first SIGINT']);
    }
    assert.deepEqual(heard, ['first SIGINT', 'second SIGINT']);
    assert.equal(interrupts.exitCode, 130);
  });

  it('exit with 143 after SIGTERM and SIGHUP, with 0 without a signal', () => {
    for (const signal of ['SIGTERM', 'SIGHUP']) {
      const { target, interrupts } = make();
      assert.equal(interrupts.exitCode, 0);
      target.emit(signal);
      assert.equal(interrupts.exitCode, 143);
    }
  });

  it('notice under npm that the parent process has ended', () => {
    const timers = FakeTimers.install({ toFake: ['setInterval', 'clearInterval'] });
    try {
      const { target, interrupts, heard } = make({ npm_lifecycle_event: 'stress' });
      timers.tick(1000);
      assert.deepEqual(heard, []);
      target.ppid = 1;
      timers.tick(1000);
      interrupts.close();
      assert.deepEqual([heard, target.eventNames()], [['first SIGTERM'], []]);
    } finally {
      timers.uninstall();
    }
  });
});
