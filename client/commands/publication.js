// Publishes a run that has ended: in the summary of a GitHub job, and to an OpenTelemetry collector. A failure is a
// warning and does not change the exit code.

import { appendFileSync } from 'node:fs';
import { warning } from '../words/warnings.js';

/**
 * @import { Warning } from '../../config/types.js'
 * @import { Publication } from './options.js'
 */

/**
 * @param {string} runFolder of a run that has ended
 * @param {Publication} publication
 * @returns {Promise<Warning[]>} one for each failure
 */
export async function publish(runFolder, { collector, stepSummary }) {
  /** @type {Warning[]} */
  const warnings = [];
  if (stepSummary !== undefined) {
    try {
      const [{ runMarkdown }, { readSummary }] = await Promise.all([
        import('../exports/markdown.js'),
        import('../store/read-run.js'),
      ]);
      appendFileSync(stepSummary, `${runMarkdown(readSummary(runFolder))}\n`);
    } catch (error) {
      warnings.push(warning('step-summary-not-written', { file: stepSummary, reason: reasonOf(error) }));
    }
  }
  if (collector !== null) {
    const url = `${collector.url.origin}${collector.url.pathname}`; // without name and password
    try {
      const { sendOtlp } = await import('../store/otlp-sender.js');
      await sendOtlp(await requestsOf(runFolder), collector);
    } catch (error) {
      warnings.push(warning('otlp-not-sent', { url, reason: reasonOf(error) }));
    }
  }
  return warnings;
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
