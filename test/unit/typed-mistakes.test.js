// What people type who know other tools, or have not read the help: each is answered by what is wrong and what to type
// instead. In this process, without starting anything.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { failureText } from '../../servers/conformance/index.js';
import { mistakesOf } from '../fixtures/codes.js';
import { refused } from '../fixtures/refused.js';

const COMMAND = './mine --port {port}';

describe('what people type', function () {
  this.timeout(20_000);
  const folder = mkdtempSync(join(tmpdir(), 'broadside-typed-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const comma = join(folder, 'comma.json');
  writeFileSync(comma, '{\n  "servers": ["epoll"],\n  "connections": 5,\n}\n');

  /** @type {[string, string[], string][]} what, the arguments of stress, the answer */
  const rows = [
    ['a name of a scenario alone', ['smoke'], 'smoke unknown-argument -> --config smoke'],
    ['a URL of another scheme', ['ftp://127.0.0.1/'], 'target url-scheme'],
    ['a URL and another protocol', ['http://127.0.0.1/', '--protocol', 'redis'], 'protocol contradicts-url'],
    ['a rate without a unit', ['--servers', 'epoll', '--rate', '2000'], 'rate wrong-value -> 2000/s'],
    ['a short rate', ['--servers', 'epoll', '-R', '2k'], 'rate wrong-value -> 2000/s'],
    ['a server misspelt', ['--servers', 'epol'], 'servers unknown-server -> epoll'],
    ['a flag misspelt', ['--conections', '5'], '--conections unknown-option -> --connections'],
    ['no connections', ['--servers', 'epoll', '--connections', '0'], 'connections wrong-value'],
    ['a short number', ['--servers', 'epoll', '-c', '10k'], 'connections wrong-value -> 10000'],
    ['a duration without a unit', ['--servers', 'epoll', '--duration', '10'], 'duration wrong-value -> 10s'],
    ['a sum for a duration', ['--servers', 'epoll', '-d', '2m30s'], 'duration wrong-value -> 150s'],
    ['a public address', ['--target', '8.8.8.8:80'], 'EPUBLICTARGET'],
    ['a target without a port', ['--target', '127.0.0.1'], 'ETARGET no-port'],
    ['a URL without its scheme', ['127.0.0.1:80/path'], 'ETARGET url'],
    ['a command without a port', ['--command', './mine'], 'command wrong-value'],
    ['two commands of one name', ['--command', COMMAND, '--command', COMMAND], 'command label-taken'],
    ['a command and a target', ['--command', COMMAND, '--target', '127.0.0.1:1'], 'exclusive-keys'],
    ['an unknown scenario', ['--config', '10k-1k'], 'ECONFIG unknown'],
    ['a comma too many', ['--config', comma], 'EJSON trailing-comma'],
    [
      'a rate and held connections',
      ['--servers', 'epoll', '--rate', '9/s', '--workload', 'hold'],
      'rate key-not-for-workload',
    ],
    ['a protocol the server lacks', ['--servers', 'epoll', '--protocol', 'redis'], 'servers protocol-unsupported'],
    ['a size in another notation', ['--servers', 'epoll', '--payload', '1kb'], 'payload wrong-value -> 1KiB'],
    [
      'transfers and a rate',
      ['--servers', 'epoll', '--transfers', '5', '--rate', '9/s'],
      'transfers transfers-and-rate',
    ],
    ['an option of a server', ['--servers', 'epoll', '--backlog', '5'], '--backlog server-option'],
    ['the threshold of k6', ['--threshold', 'p99<5'], '--threshold unknown-option -> --thresholds'],
    ['a fail condition', ['--fail', 'p99>5ms'], '--fail unknown-option -> --fail-if'],
    ['a file for the output', ['--output', 'x.json'], '--output unknown-option -> --json'],
    ['the concurrency of ab', ['--concurrency', '5'], '--concurrency unknown-option -> --connections'],
    ['the requests of hey', ['-n', '500'], '-n unknown-option -> --transfers'],
    ['the rounds of hyperfine', ['--runs', '5'], '--runs unknown-option -> --rounds'],
    ['a key of a protocol without it', ['--method', 'POST'], '--method unknown-option -> --http.method'],
    ['curl -k', ['-k'], '-k unknown-option -> --no-tls.verify'],
    ['a flag twice, once short', ['-c', '5', '--connections', '6'], 'ETWICE connections'],
  ];
  for (const [what, words, expected] of rows) {
    it(`${what}: ${words.join(' ').replace(folder, '...')}`, async () => {
      const error = await refused(['stress', ...words]);
      assert.deepEqual(mistakesOf(error), [expected], error.text);
    });
  }

  it('where the comma too many is', async () => {
    const { data, text } = await refused(['stress', '--config', comma]);
    assert.deepEqual([data.line, data.column], [3, 19]);
    assert.ok(text.startsWith(`${comma}:3:19: `), text);
  });

  it('a header: where a scenario has it', async () => {
    const { data } = await refused(['stress', '--header', 'Accept: x']);
    assert.ok('headers' in data.mistakes[0].data.file.http);
  });

  it('a run that does not exist: wherever one is named', async () => {
    const commands = [
      ['report', 'nosuch'],
      ['compare', 'nosuch', 'other'],
      ['stress', '--servers', 'epoll', '--baseline', 'nosuch'],
    ];
    for (const words of commands) {
      const { code, data, exitCode } = await refused([...words, '--logs', folder]);
      assert.deepEqual([code, data.run, exitCode], ['ENORUN', 'nosuch', 2], words.join(' '));
    }
  });

  it('a path for the name of a server to verify: asks for {port}', async () => {
    for (const subject of ['./nosuch', 'python3 mine.py']) {
      const { code, data, exitCode } = await refused(['servers', 'verify', subject]);
      assert.deepEqual([code, data, exitCode], ['ECOMMAND', { subject, problem: 'no-port' }, 2]);
    }
  });

  it('a command to verify that cannot be run: says so once', async () => {
    const { code, data } = await refused(['servers', 'verify', './nosuch --port {port}']);
    assert.deepEqual([code, data.problem, data.exitCode], ['ECOMMAND', 'not-run', 127]);
  });
});

describe('the message of a failed check', () => {
  it("abridges what a server wrote, keeps short texts, and has no assertion's internals", () => {
    const traceback = Array.from({ length: 2000 }, (_, i) => `line ${i}`).join('\n');
    const lines = failureText(new Error(`it must be reported once:\n${traceback}`)).split('\n');
    assert.ok(lines.length <= 12, `${lines.length} lines`);
    assert.deepEqual([lines[0], lines.at(-1)], ['it must be reported once:', 'line 1999']);
    assert.equal(failureText(new Error('a\nb')), 'a\nb');
    const internal = new assert.AssertionError({ actual: 2466, expected: 1, operator: 'strictEqual' });
    assert.equal(failureText(internal), 'expected 1, received 2466');
    assert.equal(failureText(new assert.AssertionError({ message: 'mine', actual: 1, expected: 2 })), 'mine');
    const port = Object.assign(new RangeError('options.port should be >= 0'), { code: 'ERR_SOCKET_BAD_PORT' });
    assert.ok(!failureText(port).includes('options.port'));
  });
});
