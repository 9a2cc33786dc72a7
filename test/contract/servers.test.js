// The contract of servers/README.md: all of it for epoll with echo, and for one server of each language that it speaks
// its protocols and ends on SIGTERM. ../release/servers.test.js has all servers.

import { checkedProtocols, checksFor, starter } from '../../servers/conformance/index.js';
import { build, discover } from '../../servers/launcher/index.js';
import { describeConformance, isTimed } from './conformance.js';
import { isRepresentative, requireServer } from './representatives.js';

const servers = (await discover()).filter(({ name }) => isRepresentative(name));

describe('the contract', () => {
  for (const server of servers) {
    const { name, manifest, folder: cwd } = server;
    describe(`is kept by ${name}`, () => {
      /** @type {Promise<unknown> | undefined} */
      let built;
      const prepare = () => (built ??= build({ names: [name] }));
      before(async function () {
        this.timeout(300_000);
        requireServer(this, server);
        await prepare();
      });
      for (const protocol of manifest.protocols.filter((each) => checkedProtocols.includes(each))) {
        const { run, ready } = manifest;
        const few = checksFor({ protocol, manifest, depth: 'exchange' }).map(({ id }) => id);
        if (protocol === 'echo') few.push('sigterm-idle');
        const isFull = name === 'epoll' && protocol === 'echo';
        describe(protocol, () =>
          describeConformance({
            start: starter({ run, ready, cwd, protocol }),
            ...{ prepare, manifest, protocol },
            isWanted: (check) => (isFull ? !isTimed(check) : few.includes(check.id)),
          }),
        );
      }
    });
  }
});
