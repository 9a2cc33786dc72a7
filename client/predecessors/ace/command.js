// `broadside ace`: ACE's round-trip test as its client runs it. One connection sends 100 uncounted messages, then the
// counted ones. stdout gets ACE's histogram, byte for byte; the run is kept like any other. The options are those of
// ACE's client, in both spellings.

import { appendFileSync } from 'node:fs';
import path from 'node:path';
import { folderOptions } from '../../commands/shared-options.js';
import { planOf } from '../../commands/preparation.js';
import { runOf } from '../../commands/carry-out.js';
import { print } from '../../console/print.js';
import { RunDisplay } from '../../console/run-display.js';
import { EnvironmentError } from '../../errors.js';
import { readTransfers } from '../../store/transfer-log/index.js';
import { transportText } from '../../transports/index.js';
import { inspectAssociation } from '../../transports/sctp/engine.js';
import { histogramText, LinearHistogram } from './histogram.js';
import { aceOptions, PRIMERS, readOptions } from './options.js';

/**
 * @import { Options } from 'yargs'
 * @import { Endpoint, LegSummary } from '../../../config/types.js'
 * @import { Command } from '../../commands/index.js'
 * @import { Planned } from '../../commands/preparation.js'
 * @import { BroadsideError } from '../../errors.js'
 * @import { Histogram } from '../../measure/histogram.js'
 * @import { AceOptions } from './options.js'
 */

const NS_PER_US = 1000;

/** @type {Record<string, Options>} */
export const builder = { ...aceOptions, ...folderOptions };

/** @type {Command['examples']} */
export const examples = [
  ['-t tcp -s 7 -c 1000 -p 45453', '1,000 messages of 128 B to localhost'],
  ['-t tcp -c 10000 --spectrum --gap 5s', 'all message sizes, 5 s apart'],
  ['-t sctp --service SOCK_SEQPACK -s 7 -c 1000', 'over SCTP, one-to-many'],
  ['--association -H 127.0.0.1 -p 45453', 'the addresses of an association'],
];

/** @param {any} argv */
export async function handler(argv) {
  const options = readOptions(argv);
  if (options.isAssociation) return printAssociation(options);
  process.exitCode = await runSizes(options);
  if (process.exitCode >= 128) process.exit();
}

/** A run's display that also calls `onLeg` for each leg when its transfer log is complete. */
class LegTexts extends RunDisplay {
  /** @param {Planned} planned @param {(leg: {id: string}) => void} onLeg */
  constructor({ scenario, plan }, onLeg) {
    super(process.stderr, { scenario, plan, only: 'results' });
    this.onLeg = onLeg;
  }

  /** @param {LegSummary} summary @param {Histogram} responseTimes @override */
  legEnds(summary, responseTimes) {
    super.legEnds(summary, responseTimes);
    this.onLeg(summary);
  }
}

/**
 * Runs each message size as a leg and prints its histogram; --spectrum also appends it to a file.
 * @param {AceOptions} options
 * @returns {Promise<number>} the exit code
 */
async function runSizes({ messages, sizes, bins, isSpectrum, request }) {
  const planned = await planOf(request);
  /** @type {string | null} */
  let file = null;
  let measured = 0;
  const run = runOf(
    planned,
    request.output,
    new LegTexts(planned, ({ id }) => {
      const histogram = new LinearHistogram(bins);
      let answered = 0;
      for (const { response } of readTransfers(path.join(run.folder.folder, id))) {
        answered += 1;
        if (answered > PRIMERS) histogram.record(response / NS_PER_US);
      }
      const index = planned.plan.legs.findIndex((leg) => leg.id === id);
      const text = histogramText(histogram, sizes[index]);
      print(text);
      if (file !== null) appendFileSync(file, text);
      measured += histogram.count;
    }),
  );
  if (isSpectrum) file = path.join(request.output.logs, `${run.folder.id}.spectrum`);
  const exitCode = await run.execute();
  if (file !== null) print(`spectrum  ${path.relative('', file)}`, process.stderr);
  if (measured === messages * sizes.length) return exitCode;
  print(`broadside: ${measured} of ${messages * sizes.length} messages were measured`, process.stderr);
  return exitCode || 1;
}

const ASSOCIATION_NS = 10e9;

/**
 * ACE's association test: opens an association with a server, prints the addresses of both ends, and shuts it down.
 * @param {AceOptions} options
 * @returns {Promise<void>}
 * @throws {BroadsideError}
 */
async function printAssociation({ target, transport, request }) {
  const { scenario } = await planOf(request);
  const { host, port } = /** @type {Endpoint} */ (scenario.target);
  const carrier = /** @type {'sctp' | 'sctp-seqpacket'} */ (transport);
  const endpoint = { address: host, port };
  const ends = associate({ endpoint, transport: carrier, timeoutNs: ASSOCIATION_NS }, target);
  const rows = [
    ['association', transportText(transport)],
    ...ends.local.map((address, i) => [i === 0 ? 'local' : '', address]),
    ...ends.peer.map((address, i) => [i === 0 ? 'peer' : '', address]),
  ];
  print(rows.map(([name, text]) => `${String(name).padEnd(13)}${text}`).join('\n'));
}

/**
 * @param {Parameters<typeof inspectAssociation>[0]} options
 * @param {string} target as given
 * @returns {ReturnType<typeof inspectAssociation>}
 * @throws {EnvironmentError}
 */
function associate(options, target) {
  try {
    return inspectAssociation(options);
  } catch (error) {
    const { code = 'EIO' } = /** @type {NodeJS.ErrnoException} */ (error);
    const carrier = transportText(options.transport);
    throw new EnvironmentError(`no association with ${target} (${carrier}): ${code}; does a server listen there?`, {
      code: 'ENOASSOCIATION',
      data: { target, errno: code, transport: options.transport },
      cause: error,
    });
  }
}
