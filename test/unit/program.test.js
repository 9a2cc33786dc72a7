// The command line: the unknown is answered with what was meant, help comes from the schema, errors have exit codes.

import assert from 'node:assert/strict';
import { answer, perform, program } from '../../client/commands/program.js';
import { EnvironmentError, RunError, UsageError } from '../../client/errors.js';
import { flagsOf, scenarioOptions } from '../../client/scenario/flags.js';
import { scenarioKeys } from '../../client/scenario/schema.js';

/** @type {any[]} */
const handled = [];

/** @type {import('../../client/commands/index.js').Entry} */
const stress = {
  name: 'stress',
  command: 'stress',
  describe: 'd',
  load: async () => ({
    command: 'stress',
    describe: 'd',
    builder: scenarioOptions(),
    handler: (argv) => {
      handled.push(argv);
    },
  }),
};

/** Carries out one command that has the scenario's options. @param {string[]} args */
async function trial(args) {
  handled.length = 0;
  await perform(args, [stress]);
}

describe('command line', () => {
  it('passes only the given flags to the command', async () => {
    await trial([
      'stress',
      '--scenario',
      'smoke',
      '--ramp.add',
      '50',
      '--servers',
      'epoll,libuv',
      '--allowPublicTarget',
      '--connections=500',
    ]);
    assert.equal(handled[0].config, 'smoke');
    assert.deepEqual(flagsOf(handled[0]), {
      'ramp.add': 50,
      servers: ['epoll', 'libuv'],
      allowPublicTarget: true,
      connections: 500,
    });
  });

  it('keeps a command with spaces as one word', async () => {
    await trial(['stress', '--command', './mine --port {port}']);
    assert.deepEqual(flagsOf(handled[0]), { command: './mine --port {port}' });
  });

  /** @type {[string[], RegExp][]} */
  const mistakes = [
    [['strss'], /^strss: unknown command or argument\. Did you mean "stress"\?/],
    [['stress', '--conections', '5'], /^--conections: unknown option\. Did you mean "--connections"\?/],
    [['stress', '--ramp.ad=5'], /^--ramp\.ad: unknown option\. Did you mean "--ramp\.add"\?/],
    [['stress', '--connect-timeout', '5s'], /^--connect-timeout: unknown option\. Did you mean "--connectTimeout"\?/],
    [
      ['stress', '--work', '5ms-10ms'],
      /^--work: unknown option\. It is options\.work of a server, .*"epoll","options":{"work":"5ms-10ms"}}\]}\. See config/,
    ],
    [['stress', '--work-kind=spin'], /"options":{"work":"30ms-50ms","workKind":"spin"}/],
    [['stress', '--threads', '4'], /^--threads: .*"options":{"threads":4}/],
    [['stress', '--duration'], /^--duration: its value is missing/],
    [['stress', 'smoke'], /^smoke: unknown command or argument/],
    [[], /^Which command\? stress/],
  ];
  for (const [args, message] of mistakes) {
    it(`rejects: ${args.join(' ') || 'nothing'}`, async () => {
      await assert.rejects(trial(args), { exitCode: 2, message });
      assert.deepEqual(handled, []);
    });
  }

  for (const args of [
    ['stress', '--help'],
    ['stress', '-h'],
    ['--help', 'stress'],
    ['stress', 'help'],
  ]) {
    it(`prints help with every key, in groups, with defaults and units: ${args.join(' ')}`, async () => {
      const text = await new Promise((resolve) => {
        program(args, [stress]).parse(args, {}, (_error, _argv, output) => resolve(output));
      });
      for (const [key, schema] of scenarioKeys) {
        if (schema['x-flag'] !== false) assert.match(text, new RegExp(`--${key.replace('.', '\\.')}\\s`), key);
      }
      for (const fragment of [
        'Load:',
        'Deadlines and retries:',
        '[default: 30s]',
        '[default: 1KiB]',
        'continuous, once, hold',
        '--config, --scenario',
      ])
        assert.ok(text.includes(fragment), `no ${fragment} in:\n${text}`);
    });
  }

  it('reports expected errors by a message, defects by a stack trace', () => {
    assert.deepEqual(answer(new UsageError('a\nb')), { text: 'broadside: a\nbroadside: b', exitCode: 2 });
    assert.deepEqual(answer(new EnvironmentError('a')), { text: 'broadside: a', exitCode: 3 });
    assert.deepEqual(answer(new RunError('a')), { text: 'broadside: a', exitCode: 1 });
    assert.deepEqual(answer(Object.assign(new Error('a'), { exitCode: 3 })), { text: 'broadside: a', exitCode: 3 });
    const { text, exitCode } = answer(new TypeError('oops'));
    assert.match(text, /TypeError: oops\n\s+at /);
    assert.equal(exitCode, 1);
  });
});
