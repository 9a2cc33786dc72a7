// `broadside servers list`: the servers that can be measured here, and why the others cannot.

import { styleFor } from '../../console/terminal-text.js';
import { serversTable } from '../../console/servers-table.js';
import { otherTransports } from '../../transports/index.js';
import { selectServers, launcher, print, printJson } from './select-servers.js';

/** @param {{names?: string[], json?: boolean}} argv */
export async function list({ names = [], json }) {
  const { checkAvailability } = await launcher();
  const servers = await checkAvailability((await selectServers(names)).map(({ server }) => server));
  if (json) {
    printJson(
      servers.map(({ manifest: { description, options = {}, transports = ['tcp'] }, fault: _fault, ...rest }) => ({
        ...rest,
        description,
        transports,
        options: Object.keys(options),
      })),
    );
    return;
  }
  const width = process.stdout.columns || Number(process.env.COLUMNS) || Infinity;
  const here = servers.filter(({ available }) => available).length;
  print(serversTable(servers, width, styleFor(process.stdout, process.env)));
  const others = otherTransports.flatMap(({ name: transport, label }) => {
    const capable = servers.filter(({ manifest }) => manifest.transports?.includes(transport)).map(({ name }) => name);
    return capable.length === 0 ? [] : `over ${label}, too (--transport ${transport}): ${capable.join(', ')}`;
  });
  if (others.length > 0) print(`\n${others.join('\n')}`);
  print(`\n${servers.length} ${servers.length === 1 ? 'server' : 'servers'}, ${here} available here`);
}
