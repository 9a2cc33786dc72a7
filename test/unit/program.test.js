// The command line: unknown words get a suggestion, help is generated from the schema, errors have exit codes.

import assert from 'node:assert/strict';
import { takenByNpm } from '../../client/commands/argument-mistakes.js';
import { commands } from '../../client/commands/index.js';
import { answer, perform, program } from '../../client/commands/program.js';
import { EnvironmentError, RunError, UsageError } from '../../client/errors.js';
import { scenarioNames } from '../../client/scenario/file.js';
import { flagsOf, scenarioOptions } from '../../client/scenario/flags.js';
import { scenarioKeys } from '../../client/scenario/schema.js';

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

  /** @type {[string[], string, object][]} */
  const mistakes = [
    [['strss'], 'unknown-command', { argument: 'strss', suggestions: ['stress'] }],
    [['stress', '--conections', '5'], 'unknown-option', { option: '--conections', suggestions: ['--connections'] }],
    [['stress', '--ramp.ad=5'], 'unknown-option', { option: '--ramp.ad', suggestions: ['--ramp.add'] }],
    [
      ['stress', '--connect-timeout', '5s'],
      'unknown-option',
      { option: '--connect-timeout', suggestions: ['--connectTimeout'] },
    ],
    [['stress', '--work', '5ms-10ms'], 'server-option', { option: '--work', key: 'work', value: '5ms-10ms' }],
    [['stress', '--work-kind=spin'], 'server-option', { option: '--work-kind', key: 'workKind', value: 'spin' }],
    [['stress', '--threads', '4'], 'server-option', { option: '--threads', key: 'threads', value: 4 }],
    [['stress', '--duration'], 'missing-value', { option: '--duration' }],
    [['stress', '--no-connections'], 'negated', { option: '--no-connections' }],
    [['stress', '--no-conections'], 'unknown-option', { option: '--no-conections', suggestions: ['--connections'] }],
    [['stress', 'smoke'], 'unknown-argument', { argument: 'smoke', suggestions: ['--config smoke'] }],
    [['stress', 'smok'], 'unknown-argument', { argument: 'smok', suggestions: ['--config smoke'] }],
    [['stress', 'qqqqqq'], 'unknown-argument', { argument: 'qqqqqq', suggestions: [] }],
    [['servers', 'verfy'], 'unknown-argument', { argument: 'verfy', suggestions: ['verify'] }],
    [['servers', 'start'], 'missing-argument', {}],
    [['stress', '--resume', 'x'], 'removed', { name: '--resume' }],
    [['completion'], 'removed', { name: 'completion' }],
    [[], 'missing-command', { known: ['stress', 'servers'] }],
  ];
  for (const [args, code, data] of mistakes) {
    it(`rejects: ${args.join(' ') || 'nothing'}`, async () => {
      const error = await refusalOf(args);
      assert.deepEqual([error.exitCode, error.code], [2, 'EARGUMENTS'], error);
      const { mistakes: rows } = error.data;
      assert.deepEqual(
        rows.map((/** @type {any} */ row) => [row.code, row.data]),
        [[code, data]],
      );
      assert.equal(error.message, rows[0].text);
      for (const suggestion of rows[0].data.suggestions ?? []) assert.ok(error.message.includes(`"${suggestion}"`));
      assert.deepEqual(handled, []);
    });
  }

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

  for (const args of [
    ['stress', '--help'],
    ['stress', '-h'],
    ['--help', 'stress'],
    ['stress', 'help'],
  ]) {
    it(`prints help with every key, in groups, with defaults and units: ${args.join(' ')}`, async () => {
      const text = await helpOf(args, [stress]);
      for (const [key, schema] of scenarioKeys) {
        if (schema['x-flag'] !== false) assert.match(text, new RegExp(`--${key.replace('.', '\\.')}[\\s,]`), key);
      }
      for (const fragment of [
        'Load:',
        'Deadlines and retries:',
        'npm run stress -- [options]',
        'default: 30s)',
        'default: 1KiB)',
        'default: off)',
        'continuous, once, hold',
        '--config, --scenario',
      ])
        assert.ok(text.replace(/\s+/g, ' ').includes(fragment), `no ${fragment} in:\n${text}`);
      assert.doesNotMatch(text, /\[(string|boolean|default)/);
    });
  }

  it('prints examples first, then groups that fit on a screen, the most needed first', async () => {
    const text = await helpOf(['stress', '--help', 'all']);
    const blocks = text.split(/\n\n(?=[A-Z])/);
    const headings = blocks.map((block) => block.split('\n', 1)[0]);
    assert.equal(headings[2], 'Examples:');
    assert.deepEqual(headings.slice(3, 6), ['What to measure:', 'Load:', 'Precision and conditions:']);
    for (const block of blocks) assert.ok(block.split('\n').length <= 50, block);
    for (const [key, schema] of scenarioKeys) {
      if (schema.type !== 'boolean' || schema['x-flag'] === false || schema.default !== true) continue;
      assert.ok(text.replace(/\s+/g, ' ').includes(`default: on; --no-${key} turns it off`), key);
    }
  });

  it('begins with examples, for each command', async () => {
    for (const { name } of commands) {
      const [usage, , heading] = (await helpOf([name, '--help']))
        .split(/\n\n(?=[A-Z])/)
        .map((block) => block.split('\n', 1)[0]);
      assert.match(usage, new RegExp(`^npm run ${name} --`));
      assert.equal(heading, 'Examples:', name);
    }
  });

  it('shows what people type: npm run COMMAND -- ...', async () => {
    const usages = {
      '--help': 'npm run <command> -- [options]',
      'report --help': 'npm run report -- [run] [options]',
      'logs --help': 'npm run logs -- [command] [options]',
      'servers verify --help': 'npm run servers -- verify <subject>',
    };
    for (const [args, usage] of Object.entries(usages)) {
      const text = await helpOf(args.split(' '));
      assert.equal(text.split('\n')[0], usage);
      assert.doesNotMatch(text, /broadside (stress|doctor|report|logs|servers)/);
    }
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
    assert.match(short, /--help all/);
    for (const key of ['--connections', '-c', '--fail-if', '--dry-run']) assert.ok(short.includes(key), key);
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
