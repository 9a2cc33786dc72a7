// The legs of a variant of a scenario: one for each server. Pure. All servers run with one variant before any runs with the
// next, so that legs that are compared are close in time.

import { axesText } from '../words/axes.js';

/** @typedef {import('./sizing.js').PlannedLeg} PlannedLeg */

/**
 * @param {PlannedLeg[]} servers
 * @param {import('../../config/types.js').Axes} axes of the variant
 * @returns {(PlannedLeg & {axes: import('../../config/types.js').Axes, series?: string})[]}
 */
export function variantServers(servers, axes) {
  if (Object.keys(axes).length === 0) return servers.map((leg) => ({ ...leg, axes }));
  return servers.map((leg) => ({
    ...leg,
    label: `${leg.label}, ${axesText(axes)}`,
    series: leg.label,
    axes,
  }));
}
