// Turns the conformance checks (servers/conformance/) into tests, for the shipped builds and for the sanitized ones.
// Those of one server and protocol share a server.

import { checksFor, openSession } from '../../servers/conformance/index.js';

/**
 * @import { Check } from '../../servers/conformance/check.js'
 * @import { Start } from '../../servers/conformance/start.js'
 * @import { Manifest } from '../../servers/launcher/manifest/manifest.js'
 */

/** Added to a check's own timeout, for ending what it has started. */
const CLEAN_UP_MS = 15_000;
/** Checks that measure times or CPU. */
const TIMED = /^(idle-timeout|work-(times|wait|block|spin))$/;

/**
 * @typedef {object} Subject
 * @property {Start} start
 * @property {Manifest} manifest
 * @property {() => Promise<unknown>} prepare  builds the server; called before each check
 * @property {string} [protocol]
 * @property {'full' | 'short' | 'exchange'} [depth]
 * @property {boolean} [sanitized]
 * @property {'tcp' | 'sctp' | 'sctp-seqpacket'} [transport]
 * @property {(check: Check) => boolean} [isWanted] which of the checks are tests
 */

/** @param {Check} check */
export const isTimed = ({ id }) => TIMED.test(id);

/** @param {Subject} subject */
export function describeConformance({ start, prepare, isWanted = () => true, ...subject }) {
  const { protocol = 'echo', depth = 'full', sanitized = false, manifest, transport } = subject;
  const session = openSession(start, protocol);
  after(() => session.end());
  for (const check of checksFor({ protocol, manifest, sanitized, transport, depth }).filter(isWanted)) {
    it(check.name, async function () {
      this.timeout(check.timeoutMs + CLEAN_UP_MS);
      if (check.skipped !== null) throw new Error(`skipped although the server has a manifest: ${check.skipped.code}`);
      await prepare();
      await session.run(check);
    });
  }
}
