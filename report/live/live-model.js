/**
 * The charts of a run that is in progress: made by the functions that make those of the report, from one interval at a time.
 * Pure. Each sample gives the points to append; nothing is computed anew.
 */
import { coarsen } from '../model/downsample.js';
import { connections } from '../model/charts/connections.js';
import { failures } from '../model/charts/failures.js';
import { responseTime } from '../model/charts/response-time.js';
import { opens, throughputs } from '../model/charts/throughput.js';
import { usage } from '../model/charts/usage.js';
import { withColours } from '../model/leg-order.js';
import { areRepeated } from '../../client/judge/case-legs.js';
import { churnsConnections } from '../../client/measure/churn.js';
import { legName } from '../../client/words/leg-name.js';
import { pageLeg } from '../model/page-leg.js';

/** The leg in progress and those before it: more cannot be followed at once, and the report has them all. */
export const MOST_LEGS = 6;
/** Legs that last until something has happened have a planned end that is only a limit, s. */
const LONGEST_PLANNED = 900;

/**
 * @typedef {import('../types.js').Chart} Chart
 * @typedef {import('../types.js').Leg} Leg
 * @typedef {import('../types.js').PageLeg} PageLeg
 * @typedef {import('../types.js').Sample} Sample
 * @typedef {import('../model/downsample.js').Interval} Interval
 *
 * @typedef {import('../types.js').ChartLeg} ChartLeg  its times are those planned
 * @typedef {import('../types.js').ChartModel} LiveCharts  without a point
 *
 * @typedef {import('../types.js').ChartPoints} ChartPoints
 *
 * @typedef {{ leg: string, head: ChartLeg, charts: ChartPoints[] }} Points
 *
 * @typedef {object} Followed  a leg
 * @property {Leg} leg
 * @property {PageLeg} results
 * @property {ChartLeg} head
 * @property {Interval[]} intervals  at most two: the one before, and the current one
 */

/** Lists of single transfers; the other sets have a point for each interval. */
const CLOUDS = ['cloud', 'failed'];

/** What a run looks like while it is in progress. */
export class LiveModel {
  /**
   * @param {{ scenario: import('../../client/scenario/scenario.js').Scenario, plan: import('../../client/plan/plan.js').Plan, cores: number,
   *   memPages?: import('../model/charts/all.js').ChartInput['memPages'] }} run
   */
  constructor({ scenario, plan, cores, memPages }) {
    this.scenario = scenario;
    this.plan = plan;
    this.cores = cores;
    this.memPages = memPages;
    /** @type {Followed[]} */
    this.followed = [];
  }

  /** Whether requests are due by a rate. */
  get isOpenLoop() {
    return (this.scenario.rate ?? null) !== null;
  }

  /**
   * @param {import('../../client/plan/plan.js').Leg} planned
   * @returns {string | null} id of the leg that is not shown any more
   */
  begin(planned) {
    const { scenario, plan } = this;
    const index = plan.legs.findIndex(({ id }) => id === planned.id);
    const label = legName(planned, plan.legs);
    /** @type {Leg} */
    const leg = {
      ...{ id: planned.id, label, caseLabel: planned.label, index, planned },
      ...{ summary: null, samples: [], cutLines: 0 },
    };
    /** @type {'open' | 'closed'} */
    const loop = this.isOpenLoop ? 'open' : 'closed';
    const config = { ...scenario, loop };
    const known = pageLeg(leg, { summary: { config }, plan, scenario });
    const churns = churnsConnections(known.settings) || undefined;
    const results = { ...known, summary: { ...known.summary, churns } };
    this.followed.push({ leg, results, head: headOf(planned, results), intervals: [] });
    const gone = this.followed.length > MOST_LEGS ? this.followed.shift() : undefined;
    // in each round, and in each of its starts, a server has the same colour
    const seriesOf = (/** @type {Followed} */ { leg: own }) => (areRepeated(plan.legs) ? own.caseLabel : undefined);
    const coloured = withColours(
      this.followed.map((one) => {
        const { summary } = one.results;
        return { ...one.results, summary: { ...summary, series: summary.series ?? seriesOf(one) } };
      }),
    );
    coloured.forEach(({ colour, mark }, i) => {
      const { results: own, head } = this.followed[i];
      Object.assign(own, { colour, mark });
      Object.assign(head, { color: colour, mark });
    });
    return gone?.leg.id ?? null;
  }

  /** @returns {LiveCharts} of the legs that are shown; to be filled by points */
  skeleton() {
    const charts = this.chartsOf(this.followed, () => []).map((chart) => ({
      ...chart,
      empty: undefined,
      panels: chart.panels.map(({ datasets, leg, phases, marks }) => ({
        ...{ leg, phases, marks },
        alt: `${chart.title}, as far as the run has come.`,
        datasets: datasets.map((dataset) => ({ ...dataset, points: [] })),
      })),
    }));
    return { legs: this.followed.map(({ head }) => head), charts, many: false };
  }

  /**
   * @param {string} id of a leg that is shown @param {Sample} sample the next one @param {number} startNs of the leg, from the
   *   run's t0
   * @returns {Points}
   */
  take(id, sample, startNs) {
    const one = /** @type {Followed} */ (this.followed.find(({ leg }) => leg.id === id));
    one.results.summary.startNs = startNs;
    one.leg.samples = [sample];
    const [before, now] = [one.intervals.at(-2), one.intervals.at(-1)];
    const found = coarsen([...(now?.samples ?? []), sample], 1);
    const amends = found.length === 1 && now !== undefined;
    one.intervals = [amends ? before : now, found[found.length - 1]].filter((each) => each !== undefined);
    const known = one.intervals.length - 1;
    keepTimes(one.head, sample);
    const charts = this.chartsOf([one], () => one.intervals).map((chart) => pointsOf(chart, known, amends));
    return { leg: id, head: one.head, charts: charts.filter(({ sets }) => sets.length > 0) };
  }

  /**
   * @param {Followed[]} followed @param {(one: Followed) => Interval[]} intervalsOf
   * @returns {Chart[]} the charts of the report that make sense before the end
   */
  chartsOf(followed, intervalsOf) {
    const intervals = followed.map(intervalsOf);
    /** @type {import('../model/charts/all.js').ChartInput} */
    const input = {
      legs: followed.map(({ leg }) => leg),
      results: followed.map(({ results }) => results),
      ...{ intervals, bars: intervals, step: 1, barStep: 1, synRetryNs: [] },
      loop: this.isOpenLoop ? 'open loop' : 'closed loop',
      xMax: followed.reduce((most, { head }) => Math.max(most, head.end), 1),
      cores: this.cores,
      memPages: this.memPages,
      inProgress: true,
    };
    const reconnects = input.results.some((f) => f.workload === 'reconnect');
    return [
      reconnects ? opens(input) : throughputs(input)[0],
      responseTime(input),
      connections(input),
      ...failures(input),
      ...usage(input),
    ];
  }
}

/** @param {import('../../client/plan/plan.js').Leg} planned @param {PageLeg} results @returns {ChartLeg} */
function headOf({ rampToNs, steadyFromNs, steadyToNs }, { id, label, index, colour, mark }) {
  const end = Math.min(steadyToNs / 1e9, LONGEST_PLANNED);
  return {
    ...{ id, label, color: colour, mark, drawn: true, place: index },
    ...{ ramp: rampToNs / 1e9, warm: steadyFromNs / 1e9, steady: steadyToNs / 1e9, end, complete: true },
  };
}

/** Phases may begin earlier than planned, and the leg may last longer. @param {ChartLeg} head @param {Sample} sample */
function keepTimes(head, { phase, fromNs, toNs }) {
  const from = fromNs / 1e9;
  if (phase === 'warmup') head.ramp = Math.min(head.ramp, from);
  if (phase === 'steady') [head.ramp, head.warm] = [Math.min(head.ramp, from), Math.min(head.warm, from)];
  if (phase === 'drain') head.steady = Math.min(head.steady, from);
  head.end = Math.max(head.end, toNs / 1e9);
}

/**
 * @param {Chart} chart of one leg @param {number} known intervals at its beginning that were sent before
 * @param {boolean} amends
 * @returns {ChartPoints}
 */
function pointsOf({ id, y, panels: [panel] }, known, amends) {
  const sets = panel.datasets.map(({ role, label, cause, points }) => {
    const isCloud = CLOUDS.includes(role);
    return { role, label, cause, amends: amends && !isCloud, points: isCloud ? points : points.slice(known) };
  });
  return {
    id,
    y: [y.min ?? 0, y.max ?? 0],
    sets: sets.filter(({ points }) => points.length > 0),
    gaps: panel.gaps,
    limits: panel.limits,
  };
}
