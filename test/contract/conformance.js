// Turns the conformance checks (servers/conformance/) into tests, for the shipped builds and for the sanitized ones. Those of
// one server and protocol share a server.

import { checksFor, openSession } from '../../servers/conformance/index.js';

/** Added to a check's own timeout, for ending what it has started. */
const CLEAN_UP_MS = 15_000;
/** Checks that measure times or CPU, and so need the machine and this process for themselves. */
const TIMED = /^(idle-timeout|work-(times|wait|block|spin))$/;

/** @typedef {import('../../servers/conformance/index.js').Check} Check */

/**
 * @typedef {object} Subject
 * @property {import('../../servers/conformance/index.js').Start} start
 * @property {import('../../servers/conformance/index.js').Manifest} manifest
 * @property {() => Promise<unknown>} prepare  builds the server; called before each check
 * @property {string} [protocol]
 * @property {'full' | 'short' | 'exchange'} [depth]
 * @property {boolean} [sanitized]
 * @property {'tcp' | 'sctp' | 'sctp-seqpacket'} [transport]
 * @property {string} [stack] of SCTP
 *
 * @typedef {object} Selection  which of the checks are tests, and in which tier
 * @property {Subject['depth'] | null} [quickDepth]  the part that is in the default tier; null: nothing
 * @property {(check: Check) => boolean} [isQuick]   the checks of that part that are
 * @property {(check: Check) => boolean} [isLeftOut]  those that say nothing about this server, because it shares the code with
 *   another one that is checked
 */

/**
 * All but the timed ones.
 * @param {Subject & Selection} subject
 */
export function describeConformance(subject) {
  const { start, protocol = 'echo' } = subject;
  const session = openSession(start, protocol);
  after(() => session.end());
  addChecks(session, subject, ({ id }) => !TIMED.test(id));
}

/**
 * The timed ones, for a suite that runs alone.
 * @param {Subject & Selection} subject
 */
export function describeTimedConformance(subject) {
  const session = openSession(subject.start, subject.protocol ?? 'echo');
  after(() => session.end());
  addChecks(session, subject, ({ id }) => TIMED.test(id));
}

/**
 * @param {ReturnType<typeof openSession>} session
 * @param {Subject & Selection} subject
 * @param {(check: Check) => boolean} isWanted
 */
function addChecks(session, { prepare, isQuick = () => true, isLeftOut = () => false, ...subject }, isWanted) {
  const {
    protocol = 'echo',
    depth = 'full',
    quickDepth = depth,
    sanitized = false,
    manifest,
    transport,
    stack,
  } = subject;
  const choice = { protocol, manifest, sanitized, transport, stack };
  const inTier = quickDepth === null ? [] : checksFor({ ...choice, depth: quickDepth }).filter(isQuick);
  const quick = inTier.map(({ id }) => id);
  for (const check of checksFor({ ...choice, depth }).filter((each) => isWanted(each) && !isLeftOut(each))) {
    const add = quick.includes(check.id) ? it : it.slow;
    add(check.name, async function () {
      this.timeout(check.timeoutMs + CLEAN_UP_MS);
      if (check.skipped !== null) throw new Error(`skipped although the server has a manifest: ${check.skipped.code}`);
      await prepare();
      await session.run(check);
    });
  }
}
