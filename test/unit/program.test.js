// The command line: help is generated from the schema, errors have exit codes.

import assert from 'node:assert/strict';
import { assertGolden } from '../fixtures/golden.js';
import { takenByNpm } from '../../client/commands/npm-options.js';
import { answer, perform, program } from '../../client/commands/program.js';
import { EnvironmentError, RunError, UsageError } from '../../client/errors.js';
import { scenarioNames } from '../../client/scenario/file.js';

/** @import { Entry } from '../../client/commands/index.js' */

/** @param {string[]} args @param {Entry[]} [entries] @returns {Promise<string>} */
async function helpOf(args, entries) {
  const { parser, args: words } = await program(args, entries);
  return new Promise((resolve) => {
    parser.parse(words, {}, (_error, _argv, output) => resolve(output));
  });
}

describe('command line', () => {
  it('names the scenarios where stress is given none', async () => {
    const data = { known: scenarioNames() };
    await assert.rejects(perform(['stress']), { exitCode: 2, code: 'ENOSCENARIO', data });
  });

  it('prints help: test/golden/help.txt', async () => {
    const { isTTY } = process.stdout;
    process.stdout.isTTY = false; // else as wide as the terminal
    const spellings = ['--help stress', 'stress -h', 'stress help', 'stress --help'];
    const [first, ...others] = await Promise.all(spellings.map((words) => helpOf(words.split(' '))));
    assert.deepEqual(new Set(others), new Set([first]));
    const shown = ['--help', 'stress --help', 'doctor --help', 'report --help', 'logs --help', 'servers verify --help'];
    const texts = [];
    for (const words of shown) texts.push(`=== ${words}\n${await helpOf(words.split(' '))}\n`);
    process.stdout.isTTY = isTTY;
    assertGolden('help.txt', texts.join('\n'));
  });

  it('reports expected errors by a message, defects by a stack trace', () => {
    assert.deepEqual(answer(new UsageError('a\nb')), { text: 'broadside: a\nbroadside: b', exitCode: 2 });
    const others = [new EnvironmentError('a'), new RunError('a'), Object.assign(new Error('a'), { exitCode: 3 })];
    assert.deepEqual(
      others.map((error) => answer(error).exitCode),
      [3, 1, 3],
    );
    const full = Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC', syscall: 'write' });
    const { error } = JSON.parse(answer(full, true).text);
    assert.deepEqual([error.code, error.data.errno, answer(full).exitCode], ['ESYSTEM', 'ENOSPC', 3]);
    assert.doesNotMatch(answer(full).text, /\n/);
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
    const has = (/** @type {string} */ option) => [tls, ramp].map((text) => text.includes(option));
    const areNamed = ['--tls.ca', '--ramp.spread', '--redis.keys'].map(has);
    assert.deepEqual(areNamed.join(' '), 'true,false false,true false,false');
  });

  it('refuses a topic that does not exist', async () => {
    await assert.rejects(program(['stress', '--help', 'nono']), (/** @type {any} */ { exitCode, code, data }) => {
      assert.deepEqual([exitCode, code, data.topic], [2, 'ETOPIC', 'nono']);
      return data.topics.includes('redis');
    });
    await program(['stress', '--name', 'help', 'nono']); // the value of an option
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
