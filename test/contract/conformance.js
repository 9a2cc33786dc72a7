// Turns the checks of the conformance probe (servers/conformance/) into tests. The one thing to know: the checks are
// the product; what stands here is how mocha runs them, for the shipped builds and for the sanitized ones.

import { checksFor, openSession } from '../../servers/conformance/index.js';

/** On top of a check's own timeout, for the ending of what it has started. */
const TIDY_MS = 15_000;

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
  const about = { protocol, manifest, sanitized };
  const quick = quickDepth === null ? [] : checksFor({ ...about, depth: quickDepth }).map(({ name }) => name);
  const session = openSession(start, protocol);
  after(() => session.end());
  for (const check of checksFor({ ...about, depth })) {
    const { name, timeoutMs, leftOut } = check;
    const add = quick.includes(name) ? it : it.slow;
    add(name, async function () {
      this.timeout(timeoutMs + TIDY_MS);
      if (leftOut !== null) throw new Error(`left out although it has a manifest: ${leftOut}`);
      await session.run(check);
    });
  }
}
