/** Throughput and response time against connections: what each step of the ramp brought, the legs over one another. */
import { kneeWords } from '../knee.js';
import { count } from '../units.js';
import { decadeBelow } from './response-time.js';

/** @typedef {import('../types.js').RampStep} RampStep */

/** @param {import('./all.js').ChartInput} input @returns {import('../types.js').Panel['marks']} a line at each knee */
function kneesOf({ legs, facts }) {
  const alone = legs.length === 1;
  return facts.flatMap((f, i) => {
    const knee = f.ramp?.knee;
    const label = alone ? 'knee' : `knee: ${f.label}`;
    return knee ? [{ axis: /** @type {const} */ ('x'), at: knee.asked, leg: i, label }] : [];
  });
}

/**
 * @param {import('./all.js').ChartInput} input
 * @param {{ id: string, title: string, lead: string, unit: string, log: boolean,
 *   of: (step: RampStep) => number | undefined }} what
 * @returns {import('../types.js').Chart}
 */
function bySteps(input, what) {
  const { legs, facts } = input;
  let [min, max, most] = [Infinity, 0, 0];
  /** @type {import('../types.js').Dataset[]} */
  const datasets = [];
  /** @type {string[]} */
  const said = [];
  legs.forEach((leg, i) => {
    const steps = facts[i].ramp?.steps;
    if (!steps) return;
    const points = steps.map((step) => {
      const value = what.of(step);
      most = Math.max(most, step.asked);
      if (value) [min, max] = [Math.min(min, value), Math.max(max, value)];
      const y = value === undefined ? null : Number(value.toPrecision(5));
      return /** @type {import('../types.js').Point} */ ([step.asked, y]);
    });
    datasets.push({ role: 'leg', leg: i, label: leg.label, points });
    said.push(`${leg.label}: ${kneeWords(facts[i]) ?? 'no steps'}`);
  });
  return {
    id: what.id,
    layout: 'overlay',
    kind: 'line',
    title: what.title,
    lead: what.lead,
    section: 'pair',
    legend: [],
    empty: datasets.length ? undefined : 'The ramp has fewer than three steps.',
    x: { type: 'linear', unit: 'connections', min: 0, max: most * 1.02 || 1 },
    y: what.log
      ? { type: 'log', unit: what.unit, min: Number.isFinite(min) ? decadeBelow(min) : 1e3, max: max * 1.3 || 1e9 }
      : { type: 'linear', unit: what.unit, min: 0, max: max * 1.12 || 1 },
    panels: [{ leg: null, datasets, marks: kneesOf(input), alt: `${what.title}. ${said.join('; ')}.` }],
  };
}

/** @param {import('./all.js').ChartInput} input @returns {import('../types.js').Chart[]} none where no leg has steps */
export function rampCharts(input) {
  if (!input.facts.some((f) => f.ramp)) return [];
  return [
    bySteps(input, {
      id: 'ramp-throughput',
      title: 'Transfers per second against connections',
      lead:
        'Each step of the ramp. A knee is the first step from which on more connections only cost: less throughput, ' +
        'longer waits than queueing explains, or failures.',
      unit: 'rate',
      log: false,
      of: (step) => step.perSecond,
    }),
    bySteps(input, {
      id: 'ramp-response',
      title: `p99 response time against connections (${input.loop})`,
      lead: `Each step of the ramp, up to ${count(Math.max(...input.facts.map((f) => f.ramp?.steps.at(-1)?.asked ?? 0)))} connections.`,
      unit: 'duration',
      log: true,
      of: (step) => step.p99Ns,
    }),
  ];
}
