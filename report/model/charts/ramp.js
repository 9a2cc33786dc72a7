/**
 * Throughput and response time against the number of open connections, a point for each step of the ramp: the legs over
 * one another on one scale, and the knee of each leg.
 */
import { kneeText } from '../../../client/words/knee.js';
import { decadeBelow } from './response-time.js';

/**
 * @import { Chart, Dataset, PageLeg, Panel, Point, RampStep } from '../../types.js'
 * @import { ChartInput } from './all.js'
 */

/** @typedef {{ role: 'leg' | 'thin', of: (step: RampStep) => number | undefined }} Line */

/** The least increase of open connections, as a share, that counts as more. */
const MIN_RISE = 0.002;

/** In reconnect a connection is open only for a moment: there the number requested is the place of a step. */
const placeOf = (/** @type {PageLeg} */ f) =>
  f.workload === 'reconnect'
    ? (/** @type {RampStep} */ step) => step.requested
    : (/** @type {RampStep} */ step) => step.open;

/** @param {ChartInput} input @returns {Panel['marks']} a line at each knee */
function kneesOf({ legs, results }) {
  const alone = legs.length === 1;
  return results.flatMap((f, i) => {
    const at = f.summary.ramp?.steps.find(({ step }) => step === f.summary.ramp?.knee?.step);
    const label = alone ? 'knee' : `knee: ${f.label}`;
    return at ? [{ axis: /** @type {const} */ ('x'), at: placeOf(f)(at), leg: i, label }] : [];
  });
}

/**
 * A line continues as long as steps bring more open connections; the steps that bring none are drawn as dots.
 * @param {RampStep[]} steps @param {(step: RampStep) => number} place
 * @returns {{ rising: RampStep[], beyond: RampStep[] }}
 */
export function parted(steps, place) {
  /** @type {{ rising: RampStep[], beyond: RampStep[] }} */
  const parts = { rising: [], beyond: [] };
  let most = 0;
  for (const step of steps) {
    const more = place(step) > most * (1 + MIN_RISE);
    parts[more ? 'rising' : 'beyond'].push(step);
    most = Math.max(most, place(step));
  }
  return parts;
}

/**
 * @param {ChartInput} input
 * @param {{ id: string, title: string, lead: string, unit: string, log: boolean, lines: Line[] }} what
 * @returns {Chart}
 */
function bySteps(input, what) {
  const { legs, results } = input;
  let [min, max, most] = [Infinity, 0, 0];
  /** @type {Dataset[]} */
  const datasets = [];
  /** @type {string[]} */
  const said = [];
  legs.forEach((leg, i) => {
    const steps = results[i].summary.ramp?.steps;
    if (!steps) return;
    const place = placeOf(results[i]);
    const { rising, beyond } = parted(steps, place);
    for (const { role, of } of what.lines) {
      const pointOf = (/** @type {RampStep} */ step) => {
        const value = of(step);
        most = Math.max(most, place(step));
        if (value) [min, max] = [Math.min(min, value), Math.max(max, value)];
        return /** @type {Point} */ ([place(step), value === undefined ? null : Number(value.toPrecision(5))]);
      };
      const label = role === 'thin' ? `${leg.label}, p50` : leg.label;
      datasets.push({ role, leg: i, label, points: rising.map(pointOf) });
      if (role === 'leg' && beyond.length) {
        const points = beyond.map(pointOf).sort((a, b) => a[0] - b[0]);
        datasets.push({ role: 'beyond', leg: i, label: `${label}, no more open`, points });
      }
    }
    said.push(`${leg.label}: ${kneeText(results[i].summary.ramp) ?? 'no steps'}`);
  });
  return {
    id: what.id,
    layout: 'overlay',
    kind: 'line',
    title: what.title,
    lead: what.lead,
    legend: [],
    empty: datasets.length ? undefined : { code: 'few-steps', data: {}, text: 'The ramp has fewer than three steps.' },
    x: { type: 'linear', unit: 'connections', min: 0, max: most * 1.02 || 1 },
    y: what.log
      ? { type: 'log', unit: what.unit, min: Number.isFinite(min) ? decadeBelow(min) : 1e3, max: max * 1.3 || 1e9 }
      : { type: 'linear', unit: what.unit, min: 0, max: max * 1.12 || 1 },
    panels: [{ leg: null, datasets, marks: kneesOf(input), alt: `${what.title}. ${said.join('; ')}.` }],
  };
}

/** @param {ChartInput} input @returns {Chart[]} none where no leg has steps */
export function rampCharts(input) {
  const ramps = input.results.flatMap((f) => (f.summary.ramp ? [parted(f.summary.ramp.steps, placeOf(f))] : []));
  if (ramps.length === 0) return [];
  const against = input.results.some((f) => f.workload === 'reconnect') ? 'connections requested' : 'connections open';
  const apart = ramps.some(({ beyond }) => beyond.length)
    ? ' Dots are steps after which no more connections were open than before.'
    : '';
  return [
    bySteps(input, {
      id: 'ramp-throughput',
      title: `Transfers per second against ${against}`,
      lead:
        'A point for each step of the ramp. From the knee on, the server has less throughput, longer waits than ' +
        `queueing explains, or failures, beyond what the scatter of its seconds explains.${apart}`,
      unit: 'rate',
      log: false,
      lines: [{ role: 'leg', of: (step) => step.perSecond }],
    }),
    bySteps(input, {
      id: 'ramp-response',
      title: `Response time against ${against} (${input.loop})`,
      lead: 'A point for each step of the ramp: p99, and p50 as the thin line.',
      unit: 'duration',
      log: true,
      lines: [
        { role: 'leg', of: (step) => step.p99Ns },
        { role: 'thin', of: (step) => step.p50Ns },
      ],
    }),
  ];
}
