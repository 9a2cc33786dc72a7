// Turns the conformance checks (servers/conformance/) into tests, for the shipped builds and for the sanitized ones.

import { checksFor, openSession } from '../../servers/conformance/index.js';

/** Added to a check's own timeout, for ending what it has started. */
const CLEAN_UP_MS = 15_000;

/**
 * @param {object} subject
 * @param {import('../../servers/conformance/index.js').Start} subject.start
 * @param {import('../../servers/conformance/index.js').Manifest} subject.manifest
 * @param {string} [subject.protocol]
 * @param {'full' | 'short' | 'exchange'} [subject.depth]
 * @param {'full' | 'short' | 'exchange' | null} [subject.quickDepth] the part that is in the default tier; null: nothing
 * @param {boolean} [subject.sanitized]
 */
export function describeConformance({
  start,
  manifest,
  protocol = 'echo',
  depth = 'full',
  quickDepth = depth,
  sanitized = false,
}) {
  const choice = { protocol, manifest, sanitized };
  const quick = quickDepth === null ? [] : checksFor({ ...choice, depth: quickDepth }).map(({ id }) => id);
  const session = openSession(start, protocol);
  after(() => session.end());
  for (const check of checksFor({ ...choice, depth })) {
    const { id, name, timeoutMs, skipped } = check;
    const add = quick.includes(id) ? it : it.slow;
    add(name, async function () {
      this.timeout(timeoutMs + CLEAN_UP_MS);
      if (skipped !== null) throw new Error(`skipped although the server has a manifest: ${skipped.code}`);
      await session.run(check);
    });
  }
}
