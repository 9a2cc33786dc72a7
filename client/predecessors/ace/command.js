// `broadside ace`: ACE's round-trip test as its client runs it. One connection sends 100 messages that are not counted,
// then those that are, and stdout gets the histogram to the byte; the run is kept like any other. Its options are those
// of ACE's client, in both spellings.

import { appendFileSync } from 'node:fs';
import path from 'node:path';
import { outputOptions } from '../../commands/output-options.js';
import { planOf } from '../../commands/preparation.js';
import { requestOf } from '../../commands/request.js';
import { runOf } from '../../commands/stress.js';
import { RunDisplay } from '../../console/run-display.js';
import { payload as payloadText } from '../../words/format.js';
import { readTransfers } from '../../store/transfer-log/index.js';
import { printAssociation } from './association.js';
import { histogramText, LinearHistogram } from './histogram.js';
import { aceOptions, PRIMERS, readOptions } from './options.js';

/** The longest duration that a scenario can have: the number of messages ends the run. */
const NO_TIME_LIMIT = '24h';
const NS_PER_US = 1000;

/** @type {Record<string, import('yargs').Options>} */
export const builder = { ...aceOptions, ...outputOptions };

/** @type {import('../../commands/index.js').Command['examples']} */
export const examples = [
  ['-t tcp -s 7 -c 1000 -p 45453', '1,000 messages of 128 B to localhost'],
  ['-t tcp -c 10000 --spectrum --gap 5s', 'all message sizes, 5 s apart'],
  ['-t sctp --service SOCK_SEQPACK -s 7 -c 1000', 'over SCTP, one-to-many'],
  ['--association -H 127.0.0.1 -p 45453', 'the addresses of an association'],
];

/** @param {any} argv */
export async function handler(argv) {
  const options = readOptions(argv);
  if (argv.association) return printAssociation(options, argv);
  process.exitCode = await runSizes(options, argv);
  if (process.exitCode >= 128) process.exit();
}

/**
 * @typedef {import('./options.js').AceOptions} AceOptions
 * @typedef {import('../../commands/preparation.js').Planned} Planned
 */

/** The display of a run, which also hands over each leg when its transfer log is complete. */
class LegTexts extends RunDisplay {
  /** @param {Planned} planned @param {(leg: {id: string}) => void} onLeg */
  constructor({ scenario, plan }, onLeg) {
    super(process.stderr, { scenario, plan, only: 'results' });
    this.onLeg = onLeg;
  }

  /** @param {import('../../../config/types.js').LegSummary} summary @override */
  legEnds(summary) {
    super.legEnds(summary);
    this.onLeg(summary);
  }
}

/**
 * Runs each size as a leg, and writes the histogram of each: to stdout, and of several to one file too.
 * @param {AceOptions} options
 * @param {any} argv
 * @returns {Promise<number>} the exit code
 */
async function runSizes(options, argv) {
  const { messages, sizes, bins } = options;
  const planned = await planOf(requestOf(scenarioOf(options, argv)));
  /** @type {string | null} */
  let file = null;
  let measured = 0;
  const run = runOf(
    planned,
    argv,
    new LegTexts(planned, ({ id }) => {
      const histogram = new LinearHistogram(bins);
      let answered = 0;
      for (const { response } of readTransfers(path.join(run.folder.folder, id))) {
        answered += 1;
        if (answered > PRIMERS) histogram.record(response / NS_PER_US);
      }
      const at = planned.plan.legs.findIndex((leg) => leg.id === id);
      const text = histogramText(histogram, sizes[at]);
      process.stdout.write(text);
      if (file !== null) appendFileSync(file, text);
      measured += histogram.count;
    }),
  );
  if (argv.spectrum) file = path.join(argv.logs, `${run.folder.id}.spectrum`);
  const exitCode = await run.execute();
  if (file !== null) process.stderr.write(`spectrum  ${path.relative('', file)}\n`);
  if (measured === messages * sizes.length) return exitCode;
  process.stderr.write(`broadside: ${measured} of ${messages * sizes.length} messages were measured\n`);
  return exitCode || 1;
}

/**
 * @param {AceOptions} options
 * @param {any} argv
 * @returns {Record<string, unknown>} the flags of a scenario
 */
function scenarioOf({ messages, sizes, gap, target, transport, sctpStack, sourcePort, source }, argv) {
  const tests = sizes.map((size) => ({ as: payloadText(size), payload: `${size}B` }));
  return {
    ...{ logs: argv.logs, report: argv.report, name: 'ace', protocol: 'ace', target },
    ...{ connections: '1', workers: '1', 'ramp.add': '1', 'ramp.every': '1ms', transferLog: 'arrow' },
    ...{ transfers: String(messages + PRIMERS), duration: NO_TIME_LIMIT, allowPublicTarget: argv.allowPublicTarget },
    ...(argv.spectrum ? { tests: JSON.stringify(tests) } : { payload: tests[0].payload }),
    ...(gap === undefined ? {} : { legGap: gap }),
    ...(transport === 'tcp' ? {} : { transport, sctpStack }),
    ...(argv['test-enable-nagle'] ? { 'socket.nodelay': false } : {}),
    ...(sourcePort === 0 ? {} : { 'socket.sourcePort': String(sourcePort) }),
    ...(source === undefined ? {} : { sources: source }),
  };
}
