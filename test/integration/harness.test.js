// The test harness itself: a suite that fails, runs no test, skips a test that must run, or never ends must not pass,
// and the last line must have the counts. Each case is a small suite that mocha runs as a child with our reporter and
// hooks.

import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { endOf } from '../fixtures/ended-child.js';
import { sideBySide } from '../fixtures/side-by-side.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const HOOKS = new URL('../hooks.js', import.meta.url).href;
const SIDE_BY_SIDE = new URL('../fixtures/side-by-side.js', import.meta.url).href;
const LIVE = 'test/e2e/case.test.mjs';
/** Fails the first times, as often as its argument says. */
const FLAKY = `const flaky = (times, more = '') => () => { if (times-- > 0) throw new Error('busy just now' + more); };`;

describe('test harness', function () {
  this.timeout(60_000);

  const it = sideBySide({ ahead: false });

  /**
   * @param {string} body of the suite
   * @param {Record<string, string>} [env]
   * @param {string} [name] of its file
   */
  async function mocha(body, env = {}, name = 'case.test.mjs') {
    const folder = mkdtempSync(join(tmpdir(), 'broadside-harness-'));
    const file = join(folder, name);
    const record = join(folder, 'second-tries');
    writeFileSync(record, '');
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `import { requireTool, skip } from '${HOOKS}';\n${body}`);
    const program = join(ROOT, 'node_modules/mocha/bin/mocha.js');
    const { status, stdout, stderr } = await endOf(
      process.execPath,
      [program, '--config', join(ROOT, '.mocharc.json'), file],
      { cwd: ROOT, env: { ...process.env, BROADSIDE_CI: '', BROADSIDE_SECOND_TRIES: record, ...env } },
    );
    const secondTries = readFileSync(record, 'utf8').split('\n').slice(0, -1);
    rmSync(folder, { recursive: true, force: true });
    return { status, stdout, stderr, secondTries, last: stdout.trimEnd().split('\n').at(-1) };
  }

  it('ends with the counts alone on the last line', async () => {
    const { status, last } = await mocha(`it('a', () => {}); it('b', () => { throw new Error('no'); });
      it('c', function () { skip(this, 'no moon'); }); it('d', () => {});`);
    assert.equal(last, '2 passed, 1 failed, 1 skipped');
    assert.equal(status, 1);
  });

  it('passes if no test fails, and prints why a test was skipped', async () => {
    const { status, last, stdout } = await mocha(`it('a', () => {});
      it('b', function () { requireTool(this, 'no-such-program', 'nothing'); });`);
    assert.equal(last, '1 passed, 0 failed, 1 skipped');
    assert.match(stdout, /1 test: no-such-program is not installed \(apt-get install nothing\)\n +b\n/);
    assert.equal(status, 0);
  });

  it('counts a failing hook', async () => {
    const { status, last } = await mocha(`describe('s', () => { before(() => { throw new Error('no'); });
      it('a', () => {}); });`);
    assert.equal(last, '0 passed, 1 failed, 0 skipped');
    assert.equal(status, 1);
  });

  it('does not accept a missing tool as a reason to skip under BROADSIDE_CI', async () => {
    const body = `it('a', () => {}); it('b', function () { requireTool(this, 'no-such-program'); });`;
    const { status, last } = await mocha(body, { BROADSIDE_CI: '1' });
    assert.equal(last, '1 passed, 1 failed, 0 skipped');
    assert.equal(status, 1);
  });

  it('counts skipped tests by reason, without a line for each', async () => {
    const body = `it('a', () => {}); describe('s', () => {
        before(function () { skip(this, 'no moon'); }); it('b', () => {}); it('c', () => {}); });
      describe('t', () => { it('d', function () { skip(this, 'no moon'); }); it('e', function () { skip(this, 'rain'); }); });`;
    const { status, last, stdout } = await mocha(body);
    assert.match(stdout, /^ {2}skipped:\n {4}3 tests: no moon\n {6}\S*case\.test\.mjs 3\n {4}1 test: rain\n {6}t e\n/m);
    assert.doesNotMatch(stdout, /^ +(s|t|- .*)$/m);
    assert.equal(last, '1 passed, 0 failed, 4 skipped');
    assert.equal(status, 0);
  });

  it('leaves out the tests of a tier whose setting is missing, and counts them', async () => {
    const body = `it('a', () => {}); it.slow('b', () => {}); describe.sanitized('s', () => {
      before(() => { throw new Error('no'); }); it('c', () => {}); it('d', () => {}); });`;
    const { status, last, stdout } = await mocha(body, { BROADSIDE_SLOW: '', BROADSIDE_SANITIZE: '' });
    assert.match(stdout, /1 test: not in the default tier; BROADSIDE_SLOW=1 includes them.*\n +b\n/);
    assert.match(stdout, /2 tests: not in the default tier; BROADSIDE_SANITIZE=1 .*\n +\S*case\.test\.mjs 2\n/);
    assert.equal(last, '1 passed, 0 failed, 3 skipped');
    assert.equal(status, 0);
    const all = await mocha(body.replace('throw', ''), { BROADSIDE_SLOW: '1', BROADSIDE_SANITIZE: '1' });
    assert.equal(all.last, '4 passed, 0 failed, 0 skipped');
  });

  it('runs jobs of later suites while a test waits, but none of a suite that holds its jobs back', async () => {
    const body = `import { alone, sideBySide } from '${SIDE_BY_SIDE}'; import assert from 'node:assert/strict';
      const done = []; const later = () => new Promise((resolve) => setTimeout(resolve, 20));
      const until = async (holds) => { while (!holds()) await later(); };
      describe('s', () => { it('waits for t', () => until(() => done.includes('t'))); });
      describe('quiet', () => { alone(); it('is alone', async () => { const n = done.length; await later(); assert.equal(done.length, n); }); });
      describe('t', () => { const it = sideBySide(); it('t', () => void done.push('t')); it('u', later); });
      describe('v', () => { const it = sideBySide({ ahead: false }); let ready = false; before(() => void (ready = true));
        it('w', () => assert.ok(ready)); });`;
    const { last, stdout } = await mocha(body);
    assert.equal(last, '5 passed, 0 failed, 0 skipped', stdout);
  });

  it('fails for a skip that bypassed the hooks under BROADSIDE_CI', async () => {
    const body = `it('a', () => {}); it.skip('b', () => {});`;
    const { status, last, stderr } = await mocha(body, { BROADSIDE_CI: '1' });
    assert.match(stderr, /skipped under BROADSIDE_CI without being on the list in test\/hooks\.js: b/);
    assert.equal(last, '1 passed, 1 failed, 1 skipped');
    assert.equal(status, 1);
  });

  it('fails when no test was executed', async () => {
    const { status, last, stderr } = await mocha(`it.skip('a', () => {});`);
    assert.match(stderr, /no test was executed/);
    assert.equal(last, '0 passed, 1 failed, 1 skipped');
    assert.equal(status, 1);
  });

  it('gives a live test a second try, and records its name and first error', async () => {
    const body = `${FLAKY} describe('s', () => { it('a', flaky(1)); it('b', () => {}); it('c', flaky(2, ',\\n again')); });`;
    const { status, last, stdout, secondTries } = await mocha(body, {}, LIVE);
    assert.match(stdout, /^ {2}failed, and got a second try:\n {4}s a: Error: busy just now\n/m);
    assert.deepEqual(
      secondTries.map((line) => line.split('\t').slice(1)),
      [
        ['s a', 'busy just now'],
        ['s c', 'busy just now, again'],
      ],
    );
    assert.equal(last, '2 passed, 1 failed, 0 skipped', 'c fails twice');
    assert.equal(status, 1);
  });

  it('retries a test of the job pool from its beginning, and alone', async () => {
    const body = `import { sideBySide } from '${SIDE_BY_SIDE}'; import assert from 'node:assert/strict'; ${FLAKY}
      let busy = 0; const later = () => new Promise((resolve) => setTimeout(resolve, 20)); let tries = 0;
      const it = sideBySide();
      const load = async () => { busy += 1; for (let i = 0; i < 5; i += 1) await later(); busy -= 1; };
      it('a', async () => { await later(); tries += 1; assert.equal(busy, 0, 'busy just now'); });
      for (let i = 0; i < 20; i += 1) it(\`load \${i}\`, load);
      it('b', flaky(2));
      it('tries', () => assert.equal(tries, 2));`;
    const { status, last, stdout, secondTries } = await mocha(body.replaceAll('\\', ''), {}, LIVE);
    assert.deepEqual(
      secondTries.map((line) => line.split('\t')[1]),
      ['a', 'b'],
    );
    assert.equal(last, '22 passed, 1 failed, 0 skipped', stdout);
    assert.equal(status, 1);
  });

  it('runs the tests of a suite one by one, at the same time as those of another, and ends what they share', async () => {
    const body = `import { oneByOne } from '${SIDE_BY_SIDE}'; import assert from 'node:assert/strict'; ${FLAKY}
      const later = () => new Promise((resolve) => setTimeout(resolve, 20));
      const busy = []; const order = []; const ended = []; let together = false;
      for (const name of ['a', 'b', 'c']) describe(name, () => {
        const it = oneByOne({ canRun: () => name !== 'c', end: async () => void ended.push(name) });
        if (name === 'c') before(function () { skip(this, 'c cannot run'); });
        for (let i = 0; i < 5; i += 1) it(name + i, async () => {
          assert.ok(!busy.includes(name)); busy.push(name); order.push(name + i);
          for (let j = 0; j < 5; j += 1) { await later(); together ||= busy.length === 2; }
          busy.splice(busy.indexOf(name), 1);
        });
        if (name === 'b') it('b fails', flaky(1));
      });
      describe('then', () => { it('all is in order', () => {
        const of = (name) => order.filter((one) => one.startsWith(name)).join(' ');
        assert.deepEqual([of('a'), of('b'), of('c')], ['a0 a1 a2 a3 a4', 'b0 b1 b2 b3 b4', '']);
        assert.deepEqual([together, ended.sort().join(' ')], [true, 'a b b'], 'again after the second try');
      }); });`;
    const { last, stdout, secondTries } = await mocha(body, {}, LIVE);
    assert.match(secondTries.join(), /^\S+\tb b fails\t/);
    assert.equal(last, '12 passed, 0 failed, 5 skipped', stdout);
  });

  it('retries no other test', async () => {
    const { status, last, secondTries } = await mocha(`${FLAKY} it('a', flaky(1));`, {}, 'test/unit/case.test.mjs');
    assert.deepEqual(secondTries, []);
    assert.equal(last, '0 passed, 1 failed, 0 skipped');
    assert.equal(status, 1);
  });

  for (const [flaky, of, failed] of [
    [3, 3, 0],
    [4, 600, 1],
  ]) {
    it(`${failed ? 'fails' : 'still passes'} when ${flaky} of ${of} tests needed a second try`, async () => {
      const body = `${FLAKY} for (let i = 0; i < ${of}; i += 1) it(\`t\${i}\`, i < ${flaky} ? flaky(1) : () => {});`;
      const { status, last, stderr } = await mocha(body, {}, LIVE);
      assert.equal(/\d second tries: at most 3 in a run/.test(stderr), failed === 1, stderr);
      assert.equal(last, `${of} passed, ${failed} failed, 0 skipped`);
      assert.equal(status, failed);
    });
  }

  it.slow('fails when a handle is left open, and prints its kind', async function () {
    const body = `import { createServer } from 'node:net';
      it('a', (done) => { createServer().listen(0, '127.0.0.1', done); });`;
    const { status, last, stderr } = await mocha(body);
    assert.match(stderr, /has not ended; open: .*TCP/);
    assert.equal(last, '1 passed, 1 failed, 0 skipped');
    assert.equal(status, 1);
  });
});
