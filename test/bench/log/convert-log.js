// Ends a made-up transfer log in a process of its own, as the primary does, and prints what it took as JSON.
//
//   node convert-log.js parquet|arrow FOLDER ROWS_OF_FILE FILE...

import { statSync } from 'node:fs';
import { join } from 'node:path';
import { endTransferLog } from '../../../client/store/transfer-log/index.js';

const [kind, folder = '', rowsOfFile, ...names] = process.argv.slice(2);
const files = names.map((name) => ({ path: join(folder, name), rows: Number(rowsOfFile), whole: true }));
const cpu = process.cpuUsage();
const begun = performance.now();
const { rows, warnings } = await endTransferLog({
  kind: /** @type {'parquet' | 'arrow'} */ (kind),
  folder,
  files,
  metadata: {},
});
const seconds = (performance.now() - begun) / 1000;
const { user, system } = process.cpuUsage(cpu);
if (warnings.length > 0) throw new Error(warnings.map(({ text }) => text).join('\n'));
const left = kind === 'parquet' ? ['transfers.parquet'] : names;
const bytes = left.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
console.log(JSON.stringify({ rows, seconds, cpuSeconds: (user + system) / 1e6, bytes }));
