// Mocha's bdd interface with `describe.slow`, `it.slow`, `describe.sanitized` and `it.sanitized`: tests that are defined only
// with their environment variable (see test/README.md).

import Mocha from 'mocha';

/** The environment variable that includes the tests of each tier. */
const TIERS = { slow: 'BROADSIDE_SLOW', sanitized: 'BROADSIDE_SANITIZE' };

/** @param {Mocha.Suite} root */
export default function tiers(root) {
  Mocha.interfaces.bdd(root);
  root.on('pre-require', (context) => {
    for (const define of [context.describe, context.it]) {
      for (const [tier, variable] of Object.entries(TIERS)) {
        Object.assign(define, { [tier]: process.env[variable] ? define : () => {} });
      }
    }
  });
}
