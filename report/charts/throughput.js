/** Transfers and payload received per second, the legs over one another. */
import { middle, perSeconds, total } from '../coarsen.js';
import { bytes, count, rate, throughput } from '../units.js';

/**
 * @param {import('./all.js').ChartInput} input
 * @param {{ id: string, counter: string, title: string, lead: string, unit: string, alt: (f: import('../types.js').Facts) => string }} what
 * @returns {import('../types.js').Chart}
 */
function overlay({ legs, facts, intervals, xMax }, what) {
  let most = 0;
  const datasets = legs.map((leg, i) => {
    /** @type {import('../types.js').Point[]} */
    const points = intervals[i].map((interval) => {
      const counted = total(interval, 'counters', what.counter);
      const perSecond = counted / perSeconds(interval);
      most = Math.max(most, perSecond);
      return [middle(interval), Number(perSecond.toPrecision(6)), counted];
    });
    return { role: 'leg', leg: i, label: leg.label, points };
  });
  return {
    id: what.id, layout: 'overlay', kind: 'line', title: what.title, lead: what.lead, section: 'pair',
    x: { type: 'time', unit: 's', min: 0, max: xMax }, y: { type: 'linear', unit: what.unit, min: 0, max: most * 1.05 || 1 },
    legend: [], panels: [{ leg: null, datasets, phases: true,
      alt: `${what.title}. ${facts.map((f) => `${f.label}: ${what.alt(f)}`).join('; ')}.` }],
  };
}

/** @param {import('./all.js').ChartInput} input @returns {import('../types.js').Chart[]} */
export function throughputs(input) {
  return [
    overlay(input, { id: 'transfers', counter: 'transfers', title: 'Transfers per second', unit: 'rate',
      lead: 'Whole, verified replies.', alt: (f) => `${rate(f.perSecond)}, ${count(f.transfers)} in all` }),
    overlay(input, { id: 'bytes', counter: 'bytesReceived', title: 'Payload received per second', unit: 'throughput',
      lead: '1 MB/s is 10⁶ payload bytes received per second.',
      alt: (f) => `${throughput(f.bytesPerSecond)}, ${bytes(f.bytesReceived)} in all` }),
  ];
}
