// What the npm package holds.

import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { copySources } from '../../.ci/package/contents.js';
import { npmCommand } from '../../client/setup/run.js';
import { endOf } from '../fixtures/ended-child.js';
import { gitIn } from '../fixtures/git.js';
import { projectFiles, requireProjectFiles } from '../fixtures/project-files.js';
import { requireTool } from '../skip.js';

/** @import { Packed } from '../../.ci/package/contents.js' */

const ROOT = join(import.meta.dirname, '../..');

/** What the sources may have at most when packed, bytes. */
const MAX_SOURCES = 1_550_000;

/** What only a checkout needs, and what builds and runs leave. */
const FORBIDDEN =
  /^(test|logs|build|\.ci|\.github)\/|(^|\/)(build|target|node_modules|__pycache__|\.(?!cargo)[^/]*)\/|^(tsconfig|eslint)|\.(html|log|tgz|o|png)$/;

describe('package: contents', () => {
  it('are what a user needs, and no more', async function () {
    this.timeout(60_000);
    requireProjectFiles(this);
    // as .ci/package does it, which waits for the child
    const [npm, ...words] = npmCommand();
    const packing = [...words, 'pack', '--json', '--ignore-scripts', '--dry-run'];
    const env = { ...process.env, npm_config_loglevel: 'error' };
    const { status, stdout, stderr } = await endOf(npm, packing, { cwd: ROOT, env });
    assert.equal(status, 0, stderr);
    /** @type {Packed[]} */
    const [{ files, size }] = Object.values(JSON.parse(stdout));
    const paths = new Set(files.map(({ path }) => path));
    assert.deepEqual(
      [...paths].filter((path) => FORBIDDEN.test(path)),
      [],
    );
    assert.ok(size <= MAX_SOURCES, `${size} bytes are more than ${MAX_SOURCES}`);
    const development = [
      'client/engine/arrow-template.js',
      'client/measure/required-fields.json',
      'config/message-shapes.js',
      'config/reference.js',
      'config/required-fields.js',
      'config/schema-types.js',
      'report/connections.svg',
      'servers/lint-table.js',
      'servers/lint.js',
      'servers/python/.gitignore',
      'servers/rust/.gitignore',
    ];
    assert.deepEqual(
      projectFiles(['client', 'config', 'report', 'servers']).filter((path) => !paths.has(path)),
      development,
    );
    assert.ok(['README.md', 'LICENSE', 'package.json'].every((path) => paths.has(path)));
  });

  it('are files that git lists: what else lies in a checkout stays there', async function () {
    requireTool(this, 'git');
    const folder = mkdtempSync(join(tmpdir(), 'broadside-package-'));
    const [root, target] = [join(folder, 'root'), join(folder, 'target')];
    const write = (/** @type {string} */ path, text = '') => {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    };
    try {
      write('package.json', '{ "name": "p", "version": "1.0.0", "files": ["client/"] }');
      for (const path of ['client/a.js', 'client/gone.js', 'config/build/validators.js']) write(path);
      await assert.rejects(copySources(root, target), { code: 'EPACKAGE' });
      gitIn(root, 'init', '-q');
      gitIn(root, 'add', 'package.json', 'client');
      rmSync(join(root, 'client/gone.js'));
      for (const path of ['client/token.txt', 'client/new.js']) write(path);
      gitIn(root, 'add', 'client/new.js');
      await copySources(root, target);
      const copied = readdirSync(target, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
      assert.deepEqual(copied.map(({ parentPath, name }) => join(parentPath, name).slice(target.length + 1)).sort(), [
        ...['client/a.js', 'client/new.js', 'config/build/validators.js', 'package.json'],
      ]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
