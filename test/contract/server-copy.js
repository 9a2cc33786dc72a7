// A copy of servers/c, for tests that build servers.

import assert from 'node:assert/strict';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { discover } from '../../servers/launcher/index.js';

const SERVERS = fileURLToPath(new URL('../../servers/', import.meta.url));

/**
 * A copy of servers/c, without what was built of it.
 * @param {string} folder to put it in
 */
export function copyServers(folder) {
  cpSync(join(SERVERS, 'c'), join(folder, 'c'), { recursive: true, filter: (path) => !/\/build(\/|$)/.test(path) });
  const makefile = join(folder, 'c', 'Makefile');
  const text = readFileSync(makefile, 'utf8');
  const unoptimised = text.replace('-O2 -g', '-O0'); // compiles in half the time
  assert.notEqual(unoptimised, text);
  writeFileSync(makefile, unoptimised);
  return {
    folder,
    output: (/** @type {string} */ name) => join(folder, 'c', 'build', name),
    manifestOf: (/** @type {string} */ name) => join(folder, 'c', 'manifests', `${name}.json`),
    async find(/** @type {string} */ name) {
      const server = (await discover({ folder })).find((each) => each.name === name);
      assert.ok(server, `${name} is not listed`);
      return server;
    },
  };
}
