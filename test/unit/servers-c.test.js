// What is said of the servers in C beside their manifests.

import assert from 'node:assert/strict';
import { listServers } from '../../servers/launcher/index.js';
import { MODELS } from '../fixtures/system-calls.js';

describe('the servers in C', () => {
  it('have their system calls in test/fixtures/system-calls.js', () => {
    const names = listServers().flatMap(({ name, language }) => (language === 'c' ? name : []));
    assert.deepEqual(Object.keys(MODELS).sort(), names.sort());
  });
});
