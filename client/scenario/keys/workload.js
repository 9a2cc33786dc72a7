// Key `workload` and the keys that belong to one workload: `heartbeat`, `pause`, `pipeline` and `transfers`. Pure.

import { formatDuration } from '../../results/units.js';

/**
 * @param {import('../scenario.js').Scenario} scenario
 * @param {import('../mistakes.js').Where} where
 * @returns {string[]} one sentence for each mistake
 */
export function workloadMistakes({ workload, heartbeatNs, pauseNs, pipeline }, where) {
  const mistakes = [];
  if (heartbeatNs > 0 && workload !== 'hold') {
    mistakes.push(
      `${where('heartbeat')}: ${formatDuration(heartbeatNs)} belongs to workload "hold", and the workload is ` +
        `"${workload}"; take it away, or give workload "hold"`,
    );
  }
  if (pauseNs > 0 && workload !== 'continuous') {
    mistakes.push(
      `${where('pause')}: ${formatDuration(pauseNs)} belongs to workload "continuous", and the workload is ` +
        `"${workload}"${workload === 'hold' ? '; give heartbeat for a transfer now and then' : '; take it away'}`,
    );
  }
  if (pipeline > 1 && (workload !== 'continuous' || pauseNs > 0)) {
    mistakes.push(
      `${where('pipeline')}: ${pipeline} belongs to workload "continuous" without a pause, and ` +
        `${pauseNs > 0 ? `pause is ${formatDuration(pauseNs)}` : `the workload is "${workload}"`}; give one of them up`,
    );
  }
  return mistakes;
}

/**
 * @param {import('../scenario.js').Scenario} scenario
 * @param {import('../mistakes.js').Where} where
 * @returns {string[]} one sentence for each mistake
 */
export function transfersMistakes({ transfers, rate, workload }, where) {
  if (transfers === null) return [];
  if (rate !== null) {
    return [
      `${where('transfers')}: ${transfers} belongs to a closed loop; with rate (${rate}/s), duration says how many ` +
        'there are; give one of them up',
    ];
  }
  return workload === 'continuous' || workload === 'reconnect'
    ? []
    : [
        `${where('transfers')}: ${transfers} belongs to workload "continuous" or "reconnect", and the workload is ` +
          `"${workload}"; give one of them up`,
      ];
}
