// `npm run setup`, which npm also runs before test, bench, coverage and package: makes the checkout ready. --force
// builds everything again; --development also installs what the tests need; --json prints an error as JSON. This file
// must parse in Node 12.17, see index.js.

import { endWith, ensureReady } from './index.js';

const KNOWN = ['--development', '--force', '--json'];
const given = process.argv.slice(2);
const unknown = given.filter(function (flag) {
  return KNOWN.indexOf(flag) < 0;
});

if (unknown.length > 0) {
  endWith({
    code: 'EARGUMENTS',
    data: { unknown: unknown, known: KNOWN },
    message: 'unknown option ' + unknown.join(' ') + '; expected ' + KNOWN.join(' or '),
    exitCode: 2,
  });
} else {
  ensureReady({
    development: given.indexOf('--development') >= 0,
    force: given.indexOf('--force') >= 0,
  });
}
