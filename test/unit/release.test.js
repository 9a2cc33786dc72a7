// All files of a release name the same version. The workflows name third-party actions by commit, and give few jobs the
// right to write.

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { releaseOf } from '../../.ci/package/release.js';

const ROOT = join(import.meta.dirname, '../..');
const textOf = (/** @type {string} */ name) => readFileSync(join(ROOT, name), 'utf8');

/** Files of a checkout with consistent versions, except those given. @param {Record<string, string>} [changed] */
function reader(changed = {}) {
  /** @type {Record<string, string>} */
  const files = {
    'package.json': '{ "version": "1.2.3", "repository": { "url": "git+https://github.com/a/b.git" } }',
    'package-lock.json': '{ "version": "1.2.3", "packages": { "": { "version": "1.2.3" } } }',
    'CHANGELOG.md':
      '# C\n\n## Unreleased\n\nx\n\n## 1.2.3 (2030-01-02)\n\n### New\n\n- y\n\n## 1.2.2 (2030-01-01)\n\n- z\n',
    'CITATION.cff': "cff-version: 1.2.0\nversion: 1.2.3\ndate-released: '2030-01-02'\n",
    'README.md': 'npm install broadside-1.2.3.tgz',
    ...changed,
  };
  return (/** @type {string} */ name) => files[name];
}

describe('release', () => {
  it('has its version in every file of this checkout that names one', () => {
    const { version } = JSON.parse(textOf('package.json'));
    assert.equal(releaseOf({ tag: `v${version}` }).version, version);
  });

  it('has the section of the changelog as its notes', () => {
    const { notes, isPrivate } = releaseOf({ tag: 'v1.2.3', repository: 'a/b', read: reader() });
    assert.deepEqual([notes, isPrivate], ['### New\n\n- y', false]);
    const last = reader({ 'CHANGELOG.md': '## 1.2.3 (2030-01-02)\n\n- y\n' });
    assert.equal(releaseOf({ tag: 'v1.2.3', read: last }).notes, '- y');
  });

  it('is refused where a file names another version, or npm would refuse the repository', () => {
    const manifest = { version: '1.2.3' };
    for (const [tag, changed] of /** @type {[string, Record<string, string>][]} */ ([
      ['v1.2.4', {}],
      ['1.2.3', {}],
      ['v1.2.3', { 'package-lock.json': '{ "version": "1.2.3", "packages": { "": { "version": "1.2.2" } } }' }],
      ['v1.2.3', { 'CITATION.cff': "version: 1.2.2\ndate-released: '2030-01-02'\n" }],
      ['v1.2.3', { 'CITATION.cff': "version: 1.2.3\ndate-released: '2030-01-01'\n" }],
      ['v1.2.3', { 'README.md': 'broadside-1.2.2.tgz' }],
      ['v1.2.3', { 'package.json': JSON.stringify(manifest) }],
      ['v1.2.3', { 'package.json': JSON.stringify({ ...manifest, repository: { url: 'https://github.com/a/c' } }) }],
    ]))
      assert.throws(
        () => releaseOf({ tag, repository: 'a/b', read: reader(changed) }),
        ({ code, data }) => code === 'ERELEASE' && data.wrong.length === 1,
        `${tag} ${JSON.stringify(changed)}`,
      );
    const nothing = reader({ 'CHANGELOG.md': '## Unreleased\n\n- y\n\n## 1.2.30 (2030-01-02)\n\n- z\n' });
    assert.throws(() => releaseOf({ tag: 'v1.2.3', read: nothing }), { code: 'ERELEASE' });
    const isPrivate = reader({ 'package.json': JSON.stringify({ ...manifest, private: true }) });
    assert.equal(releaseOf({ tag: 'v1.2.3', repository: 'a/b', read: isPrivate }).isPrivate, true);
  });
});

describe('workflows', () => {
  const workflows = ['ci', 'release'].map((name) => `.github/workflows/${name}.yml`);

  it('name actions of others by a commit, with the version beside it', () => {
    for (const path of workflows) {
      const used = [...textOf(path).matchAll(/\buses: (.*)$/gm)].map(([, what]) => what);
      assert.ok(used.length > 0);
      for (const what of used) {
        if (what.startsWith('./')) assert.ok(existsSync(join(ROOT, what)), what);
        else assert.match(what, /^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
      }
    }
    assert.doesNotMatch(textOf('action.yml'), /\buses:/);
  });

  it('give no job the right to write that runs more than actions, gh and npm publish', () => {
    for (const path of workflows) {
      const { permissions, jobs } = /** @type {any} */ (load(textOf(path)));
      assert.deepEqual(permissions, { contents: 'read' });
      for (const [name, job] of Object.entries(jobs)) {
        const mayWrite = Object.values(job.permissions ?? {}).includes('write');
        const lines = (job.steps ?? []).flatMap((/** @type {any} */ { run }) => run ?? []);
        if (mayWrite) for (const line of lines) assert.match(line, /^(gh release create|npm publish) /, name);
        for (const needed of [job.needs ?? []].flat()) assert.ok(needed in jobs, `${name} needs ${needed}`);
      }
    }
  });
});
