// The conformance checks over SCTP, of usrsctp, because Node has no SCTP of the kernel: guest.test.js checks that in a
// virtual machine.

import assert from 'node:assert/strict';
import { starter } from '../../servers/conformance/index.js';
import { build, discover } from '../../servers/launcher/index.js';
import { firstUnmet } from '../../servers/launcher/manifest/requirements.js';
import { describeConformance } from '../contract/conformance.js';
import { skip } from '../skip.js';

const USRSCTP = { library: 'usrsctp', probe: 'parts/usrsctp-probe.c', remedy: 'apt-get install libusrsctp-dev' };

const epoll = (await discover()).find(({ name }) => name === 'epoll') ?? assert.fail('epoll');
const { manifest, folder: cwd } = epoll;
const unmet = await firstUnmet([USRSCTP], { folder: cwd, built: false });

describe('SCTP in user space', () => {
  /** @type {Promise<unknown> | undefined} */
  let built;
  const prepare = () => (built ??= build({ names: ['epoll'] }));
  before(async function () {
    this.timeout(300_000);
    if (unmet !== null) skip(this, `${unmet.text} (${unmet.remedy})`);
    if (!epoll.available) skip(this, `${epoll.why} (${epoll.remedy})`);
    await prepare();
  });
  for (const transport of /** @type {const} */ (['sctp', 'sctp-seqpacket'])) {
    for (const protocol of ['echo', 'volley', 'ace', 'http']) {
      describe(`${transport}, ${protocol}`, () => {
        const run = [...manifest.run, '--transport', transport, '--sctp-stack', 'usrsctp'];
        const start = starter({ run, ready: 'line', cwd, protocol });
        describeConformance({ start, prepare, manifest, protocol, transport, stack: 'usrsctp' });
      });
    }
  }
});
