// Mocha's bdd interface with tiers: `describe.slow`, `it.slow`, `describe.sanitized` and `it.sanitized` define tests
// that run only with their environment variable (see test/README.md). The reporter removes the others before the run
// begins and counts them.

import Mocha from 'mocha';

/** The tiers, each with the environment variable that includes it. */
const TIERS = { slow: 'BROADSIDE_SLOW', sanitized: 'BROADSIDE_SANITIZE' };

/** @typedef {keyof typeof TIERS} Tier */

/** @type {WeakMap<Mocha.Test | Mocha.Suite, Tier>} */
const tierOf = new WeakMap();

/** @param {Mocha.Suite} root */
export default function tiers(root) {
  Mocha.interfaces.bdd(root);
  root.on('pre-require', (context) => {
    for (const add of [context.describe, context.it]) addTiers(/** @type {any} */ (add));
  });
}

/**
 * Gives a function that defines tests one method for each tier.
 * @template {(title: string, body: any) => Mocha.Test | Mocha.Suite} Define
 * @param {Define} define
 * @returns {Define & Record<Tier, Define>}
 */
export function addTiers(define) {
  const tiered = /** @type {any} */ (define);
  for (const tier of /** @type {Tier[]} */ (Object.keys(TIERS))) {
    tiered[tier] = (/** @type {string} */ title, /** @type {any} */ body) => {
      const subject = define(title, body);
      tierOf.set(subject, tier);
      return subject;
    };
  }
  return tiered;
}

/**
 * @param {Mocha.Test} test
 * @returns {string | null} the environment variable that it lacks, its own or of a suite around it
 */
export function missingSetting(test) {
  for (let subject = /** @type {Mocha.Test | Mocha.Suite | undefined} */ (test); subject; subject = subject.parent) {
    const tier = tierOf.get(subject);
    if (tier && !process.env[TIERS[tier]]) return TIERS[tier];
  }
  return null;
}
