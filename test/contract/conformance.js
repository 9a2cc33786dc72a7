// Turns the conformance checks (servers/conformance/) into tests, for the shipped builds and for the sanitized ones.

import { checksFor, openSession } from '../../servers/conformance/index.js';
import { sideBySide } from '../fixtures/side-by-side.js';

/** Added to a check's own timeout, for ending what it has started. */
const CLEAN_UP_MS = 15_000;

/**
 * @typedef {object} Subject
 * @property {import('../../servers/conformance/index.js').Start} start
 * @property {import('../../servers/conformance/index.js').Manifest} manifest
 * @property {string} [protocol]
 * @property {'full' | 'short' | 'exchange'} [depth]
 * @property {boolean} [sanitized]
 * @property {'tcp' | 'sctp' | 'sctp-seqpacket'} [transport]
 * @property {string} [stack] of SCTP
 */

/** @typedef {import('../../servers/conformance/index.js').Check} Check */

/**
 * @param {Subject & {quickDepth?: Subject['depth'] | null, isQuick?: (check: Check) => boolean,
 *   isLeftOut?: (check: Check) => boolean}} subject quickDepth: the part that is in the default tier; null: nothing.
 *   isQuick: the checks of that part that are. isLeftOut: those that say nothing about this server, because it shares the
 *   code with another one that is checked
 */
export function describeConformance({ start, quickDepth, isQuick = () => true, isLeftOut = () => false, ...subject }) {
  const { protocol, manifest, depth, sanitized, transport, stack } = { ...DEFAULTS, ...subject };
  const choice = { protocol, manifest, sanitized, transport, stack };
  const quick =
    quickDepth === null
      ? []
      : checksFor({ ...choice, depth: quickDepth ?? depth })
          .filter(isQuick)
          .map(({ id }) => id);
  const session = openSession(start, protocol);
  after(() => session.end());
  for (const check of checksFor({ ...choice, depth }).filter((each) => !isLeftOut(each))) {
    const add = quick.includes(check.id) ? it : it.slow;
    add(check.name, async function () {
      this.timeout(check.timeoutMs + CLEAN_UP_MS);
      await runCheck(session, check);
    });
  }
}

const DEFAULTS = /** @type {const} */ ({ protocol: 'echo', depth: 'full', sanitized: false });

/** Checks that a busy machine disturbs: they depend on when this process does something. */
const TIMED = /^(idle-timeout|work-)/;

/**
 * The same, with all checks except TIMED ones in one job, which runs in parallel with others. A check of the job that is
 * tried once more is run again by itself.
 * @param {Subject & {prepare: () => Promise<unknown>}} subject prepare: builds the server
 */
export function describeConformanceAside({ start, prepare, ...subject }) {
  const { protocol, manifest, depth, sanitized, transport, stack } = { ...DEFAULTS, ...subject };
  const checks = checksFor({ protocol, manifest, sanitized, depth, transport, stack });
  /** @type {Map<string, unknown>} what each check of the job failed with; null: it passed */
  const outcomes = new Map();
  const job = sideBySide({ weight: 2 });
  const session = openSession(start, protocol);
  after(() => session.end());

  job('the server runs', async () => {
    await prepare();
    const own = openSession(start, protocol);
    try {
      for (const check of checks.filter(({ id }) => !TIMED.test(id))) {
        const outcome = runCheck(own, check).then(
          () => null,
          (error) => error ?? new Error('no reason'),
        );
        outcomes.set(check.id, await outcome);
      }
    } finally {
      await own.end();
    }
  });
  for (const check of checks) {
    it(check.name, async function () {
      this.timeout(check.timeoutMs + CLEAN_UP_MS);
      const again = /** @type {any} */ (this.test).currentRetry() > 0;
      if (again || TIMED.test(check.id)) return runCheck(session, check);
      const outcome = outcomes.get(check.id);
      if (outcome !== null) throw outcome ?? new Error('it was not run');
    });
  }
}

/**
 * @param {ReturnType<typeof openSession>} session
 * @param {Check} check
 */
async function runCheck(session, check) {
  if (check.skipped !== null) throw new Error(`skipped although the server has a manifest: ${check.skipped.code}`);
  await session.run(check);
}
