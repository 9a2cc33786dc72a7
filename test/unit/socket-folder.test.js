// The temporary folder, where servers that are started here have their unix sockets, is looked at beforehand.
import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { checkSocketFolder } from '../../client/machine/socket-folder.js';

describe('the temporary folder', () => {
  const unix = /** @type {const} */ ({ listen: 'unix', target: undefined });

  it('is refused where no socket can be made in it, with its path and what to do', () => {
    const refused = (/** @type {string} */ folder, /** @type {RegExp} */ message) =>
      assert.throws(() => checkSocketFolder(unix, folder), { exitCode: 3, message });
    refused(
      '/nonexist',
      /^listen: unix, .* \/nonexist, which does not exist; set TMPDIR to .* at most 78 bytes, such as/,
    );
    refused(`/${'d'.repeat(78)}`, /which is a path of 79 bytes; set TMPDIR/);
    refused('/dev/null', /cannot be written to/);
  });

  it('is of no concern where there is room, or no socket is made', () => {
    checkSocketFolder(unix, tmpdir());
    checkSocketFolder({ listen: 'ipv4', target: undefined }, '/nonexist');
    checkSocketFolder({ listen: 'unix', target: { host: 'unix:/run/a.sock', port: 0 } }, '/nonexist');
  });
});
