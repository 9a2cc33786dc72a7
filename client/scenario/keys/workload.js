// Key `workload`, the keys that belong to one workload (`heartbeat`, `pause`, `pipeline` and `transfers`), and `start`. Pure.

import { writeDuration } from '../../results/units.js';
import { mistake } from '../mistakes.js';

/**
 * @param {import('../scenario.js').Scenario} scenario
 * @param {import('../mistakes.js').Where} where
 * @returns {import('../mistakes.js').Mistake[]}
 */
export function workloadMistakes({ workload, heartbeatNs, pauseNs, pipeline, start, rate }, where) {
  const mistakes = [];
  if (start === 'together' && rate !== null) {
    mistakes.push(
      mistake(
        where,
        'start-and-rate',
        'start',
        { start, rate },
        `"${start}" belongs to a closed loop; with rate (${rate}/s), requests begin after the ramp anyway; leave start out`,
      ),
    );
  }
  if (start === 'together' && workload === 'hold' && heartbeatNs === 0) {
    mistakes.push(
      mistake(
        where,
        'hold-without-heartbeat',
        'start',
        { start, workload },
        `"${start}" says when transfers begin, but workload "hold" without a heartbeat has none; give heartbeat, or leave ` +
          'start out',
      ),
    );
  }
  if (heartbeatNs > 0 && workload !== 'hold') {
    mistakes.push(
      mistake(
        where,
        'key-not-for-workload',
        'heartbeat',
        { workload },
        `${writeDuration(heartbeatNs)} belongs to workload "hold", but the workload is ` +
          `"${workload}"; leave it out, or give workload "hold"`,
      ),
    );
  }
  if (pauseNs > 0 && workload !== 'continuous') {
    mistakes.push(
      mistake(
        where,
        'key-not-for-workload',
        'pause',
        { workload },
        `${writeDuration(pauseNs)} belongs to workload "continuous", but the workload is ` +
          `"${workload}"${workload === 'hold' ? '; give heartbeat for a transfer now and then' : '; leave it out'}`,
      ),
    );
  }
  if (pipeline > 1 && (workload !== 'continuous' || pauseNs > 0)) {
    mistakes.push(
      mistake(
        where,
        pauseNs > 0 ? 'pipeline-and-pause' : 'key-not-for-workload',
        'pipeline',
        { pipeline, workload, pauseNs },
        `${pipeline} belongs to workload "continuous" without a pause, but ` +
          `${pauseNs > 0 ? `pause is ${writeDuration(pauseNs)}` : `the workload is "${workload}"`}; leave one of them out`,
      ),
    );
  }
  return mistakes;
}

/**
 * @param {import('../scenario.js').Scenario} scenario
 * @param {import('../mistakes.js').Where} where
 * @returns {import('../mistakes.js').Mistake[]}
 */
export function transfersMistakes({ transfers, rate, workload }, where) {
  if (transfers === null) return [];
  if (rate !== null) {
    return [
      mistake(
        where,
        'transfers-and-rate',
        'transfers',
        { transfers, rate },
        `${transfers} belongs to a closed loop; with rate (${rate}/s), duration determines how many there are; leave one of ` +
          'them out',
      ),
    ];
  }
  return workload === 'continuous' || workload === 'reconnect'
    ? []
    : [
        mistake(
          where,
          'key-not-for-workload',
          'transfers',
          { workload },
          `${transfers} belongs to workload "continuous" or "reconnect", but the workload is ` +
            `"${workload}"; leave one of them out`,
        ),
      ];
}
