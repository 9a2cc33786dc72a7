// The command line: unknown words get a suggestion, help is generated from the schema, errors have exit codes.

import assert from 'node:assert/strict';
import { assertGolden } from '../fixtures/golden.js';
import { takenByNpm } from '../../client/commands/argument-mistakes.js';
import { commands } from '../../client/commands/index.js';
import { answer, perform, program } from '../../client/commands/program.js';
import { EnvironmentError, RunError, UsageError } from '../../client/errors.js';
import { scenarioNames } from '../../client/scenario/file.js';
import { flagsOf, scenarioOptions } from '../../client/scenario/flags.js';

/** @type {any[]} */
const handled = [];

/** @type {import('../../client/commands/index.js').Entry} */
const stress = {
  name: 'stress',
  positionals: '',
  describe: 'd',
  load: async () => ({
    builder: scenarioOptions(),
    handler: (argv) => {
      handled.push(argv);
    },
  }),
};

/** Carries out one command that has the scenario's options. @param {string[]} args */
async function trial(args) {
  handled.length = 0;
  await perform(args, [stress, ...commands.filter(({ name }) => name === 'servers')]);
}

/** @param {string[]} args @returns {Promise<any>} the error that answers them */
function refusalOf(args) {
  return trial(args).then(
    () => assert.fail('it was not refused'),
    (error) => error,
  );
}

/** @param {string[]} args @param {import('../../client/commands/index.js').Entry[]} [entries] @returns {Promise<string>} */
async function helpOf(args, entries) {
  const { parser, rest } = await program(args, entries);
  return new Promise((resolve) => {
    parser.parse(rest, {}, (_error, _argv, output) => resolve(output));
  });
}

describe('command line', () => {
  it('keeps a command with spaces as one word', async () => {
    await trial(['stress', '--command', './mine --port {port}']);
    assert.deepEqual(flagsOf(handled[0]), { command: './mine --port {port}' });
  });

  it('shows how a scenario file sets the option of a server', async () => {
    const error = await refusalOf(['stress', '--work-kind=spin']);
    assert.ok(
      error.message.includes('{"servers":[{"name":"epoll","options":{"work":"30ms-50ms","workKind":"spin"}}]}'),
    );
  });

  it('names the scenarios where stress is given none', async () => {
    await assert.rejects(perform(['stress']), (/** @type {any} */ error) => {
      assert.deepEqual([error.exitCode, error.code, error.data], [2, 'ENOSCENARIO', { known: scenarioNames() }]);
      return error.message.includes('npm run stress -- --config smoke');
    });
  });

  it('prints help: test/golden/help.txt', async () => {
    const { isTTY } = process.stdout;
    process.stdout.isTTY = false; // else as wide as the terminal
    const spellings = ['--help stress', 'stress -h', 'stress help', 'stress --help'];
    const [first, ...others] = await Promise.all(spellings.map((words) => helpOf(words.split(' '))));
    assert.deepEqual(new Set(others), new Set([first]));
    const shown = ['--help', 'stress --help', 'report --help', 'logs --help', 'servers verify --help'];
    const texts = [];
    for (const words of shown) texts.push(`=== ${words}\n${await helpOf(words.split(' '))}\n`);
    process.stdout.isTTY = isTTY;
    assertGolden('help.txt', texts.join('\n'));
  });

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

describe('the help of a command with many options', () => {
  it('is short, and names the topics; all has every option, a topic those of its heading or key', async () => {
    const [short, all, tls, ramp] = await Promise.all(
      [[], ['all'], ['tls'], ['ramp']].map((words) => helpOf(['stress', '--help', ...words])),
    );
    assert.ok(short.split('\n').length <= 50, short);
    assert.ok(all.includes('--tls.resume') && !short.includes('--tls.resume'));
    assert.deepEqual(
      [tls, ramp].map((text) => /--tls\.ca\b/.test(text)),
      [true, false],
    );
    assert.deepEqual(
      [tls, ramp].map((text) => /--ramp\.spread\b/.test(text)),
      [false, true],
    );
    assert.deepEqual(
      [tls, ramp].map((text) => /--redis\.keys\b/.test(text)),
      [false, false],
    );
  });

  it('is not asked for by a value that reads help', async () => {
    await assert.doesNotReject(program(['stress', '--name', 'help', 'nono']));
  });

  it('refuses a topic that does not exist', async () => {
    await assert.rejects(program(['stress', '--help', 'nono']), (/** @type {any} */ error) => {
      assert.deepEqual([error.exitCode, error.code, error.data.topic], [2, 'ETOPIC', 'nono']);
      return error.data.topics.includes('redis');
    });
  });
});

describe('options that npm has taken', () => {
  const takenFrom = (/** @type {Record<string, string>} */ env) =>
    takenByNpm(['connections', 'c', 'dry-run', 'json', 'fail-if'], { npm_lifecycle_event: 'stress', ...env });

  it('are refused, with what to type, whatever is left of the command line', () => {
    for (const [env, taken] of /** @type {[Record<string, string>, string[]][]} */ ([
      [{ npm_config_call: '5', npm_config_fail_if: 'true' }, ['-c', '--fail-if']],
      [{ npm_config_c5: 'true' }, ['-c']],
      [{ npm_config_dry_run: 'true' }, ['--dry-run']],
    ])) {
      const error = takenFrom(env);
      assert.deepEqual([error?.exitCode, error?.data], [2, { taken }]);
      assert.ok(error?.message.includes(`npm run stress -- ${taken[0]}`), error?.message);
    }
  });

  it('are not looked for among those of npm, and where npm did not start the command', () => {
    assert.equal(takenFrom({ npm_config_cache: '/x', npm_config_json: 'true' }), null);
    assert.equal(takenByNpm(['connections'], { npm_config_connections: 'true' }), null);
  });
});
