// Mocha's bdd interface with `describe.sanitized` and `it.sanitized`, which define tests only if BROADSIDE_SANITIZE is
// 1 (see test/README.md).

import Mocha from 'mocha';

/** @param {Mocha.Suite} root */
export default function sanitizedTests(root) {
  Mocha.interfaces.bdd(root);
  root.on('pre-require', ({ describe, it }) => {
    for (const define of [describe, it]) {
      Object.assign(define, { sanitized: process.env.BROADSIDE_SANITIZE === '1' ? define : () => {} });
    }
  });
}
