// `npm run setup`, and what npm runs before stress, test, report, logs and servers. With --system it installs the
// system's packages first, with --force it builds everything again. Must parse in Node 12, as index.js says.

import { ensureReady } from './index.js';

const KNOWN = ['--development', '--force', '--system'];
const given = process.argv.slice(2);
const unknown = given.filter(function (flag) {
  return KNOWN.indexOf(flag) < 0;
});

if (unknown.length > 0) {
  console.error('broadside: set-up does not know ' + unknown.join(' ') + '; it knows ' + KNOWN.join(' '));
  process.exitCode = 2;
} else {
  ensureReady({
    development: given.indexOf('--development') >= 0,
    force: given.indexOf('--force') >= 0,
    system: given.indexOf('--system') >= 0,
  });
}
