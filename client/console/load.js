// What every leg is asked to bear, in one line. Pure.
// The one thing to know: what a run leaves as it usually is, is not told.
import { rateText } from '../results/profile.js';
import { connectionsText } from '../scenario/keys/sweep.js';
import { settingsText } from '../scenario/keys/server-labels.js';
import { lifetimeText } from '../scenario/keys/lifetime.js';
import { formatCount, formatDuration, formatSize } from '../results/units.js';

/** @param {number} n @param {string} noun @returns {string} such as "1 worker", "2 workers" */
const counted = (n, noun) => `${formatCount(n)} ${noun}${n === 1 ? '' : 's'}`;

/** @param {import('../scenario/scenario.js').Scenario} scenario @returns {string} such as "redis GET over TLS" */
function protocolText(scenario) {
  const { protocol, tls } = scenario;
  const command = protocol === 'redis' ? ` ${scenario.protocolOptions.command}` : '';
  return `${protocol}${command}${tls === null ? '' : ' over TLS'}`;
}

/**
 * @param {import('../scenario/scenario.js').Scenario} scenario
 * @param {{ payloadBytes: number, sharedOptions: Record<string, unknown> }} plan
 * @param {number} workers
 * @returns {string} such as "50 connections · continuous · redis GET · 1KiB · 16 at once on each · 2 workers"
 */
export function loadText(scenario, { payloadBytes, sharedOptions }, workers) {
  const { transfers, workload, pauseNs, heartbeatNs, pipeline, connectRate, lifetime } = scenario;
  return [
    connectionsText(scenario),
    transfers === null ? '' : `${counted(transfers, 'transfer')} a leg at most`,
    rateText(scenario, formatCount, formatDuration) ?? '',
    workload,
    protocolText(scenario),
    payloadBytes === 0 ? '' : formatSize(payloadBytes),
    pipeline > 1 ? `${formatCount(pipeline)} at once on each` : '',
    workload === 'continuous' && pauseNs > 0 ? `${formatDuration(pauseNs)} between two` : '',
    workload === 'hold' && heartbeatNs > 0 ? `one every ${formatDuration(heartbeatNs)}` : '',
    connectRate === null ? '' : `at most ${formatCount(connectRate)} connects/s`,
    lifetime === null ? '' : `each lives ${lifetimeText(lifetime)}`,
    counted(workers, 'worker'),
    settingsText(sharedOptions),
  ]
    .filter((text) => text !== '')
    .join(' · ');
}
