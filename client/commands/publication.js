// Publishes a run that has ended: in the summary of a GitHub job, and to a collector of OpenTelemetry. A failure of
// this is a warning, and does not change the exit code.

import { appendFileSync } from 'node:fs';
import { UsageError } from '../errors.js';
import { warning } from '../words/warnings.js';
import { otlpEndpoint } from '../store/otlp-endpoint.js';
import { asPlanned } from '../measure/settings.js';

/**
 * @import { Options } from 'yargs'
 * @import { Warning } from '../../config/types.js'
 * @import { Endpoint } from '../store/otlp-endpoint.js'
 */

/** @type {Record<string, Options>} */
export const publicationOptions = {
  otlp: {
    type: 'string',
    requiresArg: true,
    description: 'Send the metrics of the run to this OTLP/HTTP collector',
    group: 'Output:',
  },
  'otlp-public': {
    type: 'boolean',
    description: 'Allow a collector outside loopback and private addresses',
    group: 'Output:',
  },
};

/**
 * @typedef {object} Publication
 * @property {Endpoint | null} collector
 * @property {string | undefined} stepSummary  a file
 */

/**
 * @param {{ otlp?: string, 'otlp-public'?: boolean, 'dry-run'?: boolean }} argv
 * @param {Record<string, string | undefined>} env
 * @returns {Publication}
 * @throws {UsageError} before the run, when an option cannot be used
 */
export function publicationOf(argv, env) {
  const option = /** @type {const} */ (['otlp', 'otlp-public']).find((name) => argv[name]);
  if (argv['dry-run'] && option !== undefined) {
    throw new UsageError(`--${option}: --dry-run measures nothing, so there is nothing to send; omit one of them`, {
      code: 'EOPTION',
      data: { option, value: argv[option] },
    });
  }
  return { collector: otlpEndpoint(argv, env), stepSummary: env.GITHUB_STEP_SUMMARY || undefined };
}

/**
 * @param {string} runFolder of a run that has ended
 * @param {Publication} publication
 * @returns {Promise<Warning[]>} what failed
 */
export async function publish(runFolder, { collector, stepSummary }) {
  /** @type {Warning[]} */
  const failed = [];
  if (stepSummary !== undefined) {
    try {
      const [{ markdownSummary }, { readDocument, readSummary }] = await Promise.all([
        import('../exports/markdown.js'),
        import('../store/read-run.js'),
      ]);
      const scenario = asPlanned(readDocument(runFolder, 'scenario'), readDocument(runFolder, 'plan'));
      appendFileSync(stepSummary, `${markdownSummary({ summary: readSummary(runFolder), scenario })}\n`);
    } catch (error) {
      failed.push(warning('step-summary-not-written', { file: stepSummary, reason: reasonOf(error) }));
    }
  }
  if (collector !== null) {
    const url = `${collector.url.origin}${collector.url.pathname}`; // without a name and password in it
    try {
      const { sendOtlp } = await import('../store/otlp-sender.js');
      await sendOtlp(await requestsOf(runFolder), collector);
    } catch (error) {
      failed.push(warning('otlp-not-sent', { url, reason: reasonOf(error) }));
    }
  }
  return failed;
}

/** @param {unknown} error @returns {string} */
function reasonOf(error) {
  const { message, code } = /** @type {NodeJS.ErrnoException} */ (error);
  return message || code || String(error);
}

/** @param {string} runFolder @returns {Promise<Iterable<object>>} */
async function requestsOf(runFolder) {
  const [{ otlpRequests }, { readDocument, readSummary, samplesIn }] = await Promise.all([
    import('../exports/otlp.js'),
    import('../store/read-run.js'),
  ]);
  const summary = readSummary(runFolder);
  const legs = summary.legs.map((leg) => ({ leg, samples: samplesIn(runFolder, leg.id) }));
  const environment = readDocument(runFolder, 'environment');
  const t0Ms = environment?.t0.epochMs ?? Date.parse(summary.startedAt);
  return otlpRequests({ summary, legs, t0Ms, version: environment?.versions?.broadside });
}
