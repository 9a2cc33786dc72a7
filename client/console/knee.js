// What is said of a ramp once a leg has ended: where its knee was, with its figures and the rules that hold. Pure.
import { short, time } from './figures.js';
import { bounds, failuresOf, leftUnanswered, openByThroughputNs } from '../results/knee.js';
import { formatCount } from '../results/units.js';

/**
 * @typedef {import('../results/ramp.js').RampStep} RampStep
 * @typedef {{ steps: RampStep[], knee: import('../results/knee.js').Knee | null }} Ramp
 */

/** @param {RampStep} at @param {Ramp['steps']} steps @param {{ step: number, perSecond: number }} best */
function rules(at, steps, best) {
  const [{ p99Ns: firstNs = 0 }] = steps;
  const bestAt = steps.find(({ step }) => step === best.step)?.requested ?? 0;
  const parts = [
    ['unanswered', leftUnanswered(at)],
    ['rejects', at.rejects],
    ['errors', at.errors],
  ]
    .flatMap(([name, n]) => (Number(n) > 0 ? [`${formatCount(Number(n))} ${name}`] : []))
    .join(', ');
  return {
    throughput: `fewer transfers than ${bounds.throughput * 100}% of ${short(best.perSecond)}/s at ${formatCount(bestAt)}`,
    responseTime: `p99 over ${bounds.responseTime} x open / throughput (${time(openByThroughputNs(at))})`,
    failures: `${parts}: ${Number(((failuresOf(at) / at.requested) * 100).toPrecision(2))}% of those requested`,
    slower: `p99 over ${bounds.slower} x that of the first step (${time(firstNs)})`,
  };
}

/** @param {Ramp | undefined} ramp of a leg's summary @returns {string | null} null: there was no ramp to speak of */
export function kneeLine(ramp) {
  const last = ramp?.steps.at(-1);
  if (!ramp || !last) return null;
  const { steps, knee } = ramp;
  const at = steps.find(({ step }) => step === knee?.step);
  if (!knee || !at) return `no knee up to ${formatCount(last.requested)} connections`;
  const p99 = at.p99Ns === undefined ? '' : `, p99 ${time(at.p99Ns)}`;
  const why = rules(at, steps, knee.best);
  const where = `${at === steps[0] ? 'knee already' : 'knee'} at ${formatCount(at.requested)} connections`;
  return `${where}: ${short(at.perSecond)}/s${p99}; ${knee.why.map((rule) => why[rule]).join('; ')}`;
}
