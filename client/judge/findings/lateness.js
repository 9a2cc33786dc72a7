// Whether an open loop's requests had to wait for a free connection for so long that its percentiles say little else. Pure.

import { latenessDominates } from '../../measure/leg-figures.js';
import { finding } from './finding.js';

/** @param {Record<string, any> | undefined} steady figures @returns {import('./finding.js').Finding[]} one at most */
export function latenessFindings(steady) {
  if (steady === undefined || !latenessDominates(steady)) return [];
  const { due, late, unsent, responseTimeNs, serviceTimeNs } = steady;
  return [finding('sent-late', { due, late, unsent, p99Ns: responseTimeNs.p99, serviceP99Ns: serviceTimeNs.p99 })];
}
