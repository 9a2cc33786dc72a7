// `npm run setup`, and what npm runs before stress, test, report, logs and servers: makes the checkout ready. --force
// builds everything again; --development also installs what the tests need. Must parse in Node 12, see index.js.

import { ensureReady } from './index.js';

const KNOWN = ['--development', '--force'];
const given = process.argv.slice(2);
const unknown = given.filter(function (flag) {
  return KNOWN.indexOf(flag) < 0;
});

if (unknown.length > 0) {
  console.error('broadside: unknown option ' + unknown.join(' ') + '; expected ' + KNOWN.join(' or '));
  process.exitCode = 2;
} else {
  ensureReady({
    development: given.indexOf('--development') >= 0,
    force: given.indexOf('--force') >= 0,
  });
}
