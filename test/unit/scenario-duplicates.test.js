// Scenarios with a duplicate key: each is reported with the lines of both.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadScenario } from '../../client/scenario/scenario.js';

describe('scenario: a duplicate key', () => {
  /** @type {string} */
  let folder;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'broadside-twice-'));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  /** @param {string} text */
  async function answerTo(text) {
    const file = join(folder, 'twice.json');
    writeFileSync(file, text);
    const error = await loadScenario({ config: file }).then(
      () => null,
      (/** @type {any} */ fault) => fault,
    );
    assert.deepEqual([error?.exitCode, error?.code], [2, 'ETWICE'], error?.stack ?? 'it was taken');
    return error.data.mistakes.map((/** @type {any} */ { code, path, data, text }) => {
      const { line, column, first } = data;
      assert.ok(text.startsWith(`${file}:${line}:${column}: `), text);
      return [code, path, line, column, first];
    });
  }

  it('is reported with the lines of both, at any depth, each of them', async () => {
    assert.deepEqual(
      await answerTo(
        '{\n"servers": ["epoll"],\n"connections": 3, "ramp": {"add": 1,\n  "add": 2},\n' +
          '"connections": 4,\n"backoff": {"base": "1s"}, "tls": {"verify": false}}',
      ),
      [
        ['duplicate-key', 'ramp.add', 4, 3, 3],
        ['duplicate-key', 'connections', 5, 1, 3],
      ],
    );
    const deep = '\uFEFF{"connections": 1, "servers": [{"name": "a"}, {"name": "b",\r\n"name": "c"}]}';
    assert.deepEqual(await answerTo(deep), [['duplicate-key', 'servers[1].name', 2, 1, 1]]);
    assert.deepEqual(
      await answerTo('{"a": 1, "\\u0061": 2}'),
      [['duplicate-key', 'a', 1, 10, 1]],
      'as it is read, not as written',
    );
  });

  it('is not a key of the same name in another object', async () => {
    const file = join(folder, 'once.json');
    writeFileSync(
      file,
      '{"servers": [{"name": "epoll", "as": "a"}, {"name": "epoll", "as": "b"}], "name": "n",' + ' "connections": 2}',
    );
    assert.equal((await loadScenario({ config: file })).servers?.length, 2);
  });
});
