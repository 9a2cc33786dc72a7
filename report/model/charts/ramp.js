/**
 * The charts of a ramp, against the connections requested. For one server: the states of the connections at each step,
 * the replies a second, and the response times. For several: lines for CPU per transfer, throughput, connections
 * served.
 */
import { figureOf } from '../../../client/judge/figures.js';
import { samplesOfSteps } from '../../../client/measure/ramp.js';
import { rampServed, risingSteps } from '../../../client/measure/ramp-served.js';
import { whileMeasured } from '../../../client/measure/slices.js';
import { medianOf } from '../../../client/measure/statistics.js';
import { count, duration, rate } from '../../../client/words/format.js';
import { kneeText } from '../../../client/words/knee.js';
import { FATES, fatesOf } from './connections.js';
import { cellsOf, listOf, rowRange } from './heat-map.js';
import { nothingDue } from './response-time.js';

/**
 * @import { Figure } from '../../../client/judge/figures.js'
 * @import { Histogram } from '../../../client/measure/histogram.js'
 * @import { Axis, Chart, ChartId, Dataset, Leg, PageLeg, Panel, Point, RampStep, Sample, Unit } from '../../types.js'
 */

/**
 * @typedef {{ requested: number, samples: Sample[], last: Sample, hadTurn: boolean }} Step  samples: the ones that its
 *   figures are computed from; last: the last sample in the step
 * @typedef {{ f: PageLeg, steps: Step[] }} Ramp
 * @typedef {NonNullable<Panel['marks']>} Marks
 */

/** Width of a column, as a share of the distance between two steps. */
const COLUMN = 0.86;
/** Width of a step's dots, as a share of the distance between two steps. */
const DOTS = 0.6;
/** With more servers there are no dots: they would hide the lines. */
const MAX_WITH_DOTS = 6;
/** Height of an axis as a multiple of its largest value; leaves room for the labels of marks. */
const HEADROOM = 1.18;
/** Greatest height of an axis as a multiple of the highest line: dots far above do not flatten the lines. */
const FAR_ABOVE = 2;

/** @param {Leg} leg @param {PageLeg} f @returns {Ramp[]} none if the leg has no steps */
function rampOf({ samples }, f) {
  const rampSteps = f.summary.ramp?.steps ?? [];
  const samplesByStep = samplesOfSteps(samples, rampSteps, f.settings);
  const beforeDrain = samples.filter(({ phase }) => phase !== 'drain');
  const steps = risingSteps(rampSteps).flatMap((step) => {
    const at = rampSteps.indexOf(step);
    const isLast = at === rampSteps.length - 1 && !f.settings.connectionsProfile;
    const during = beforeDrain.filter(({ toNs }) => toNs > step.fromNs && (isLast || toNs <= step.toNs));
    const last = during.at(-1);
    const hadTurn = during.some(({ slices }) => slices === undefined || slices.turnNs > 0);
    return last === undefined ? [] : [{ requested: step.requested, samples: samplesByStep[at], last, hadTurn }];
  });
  return steps.length > 0 ? [{ f, steps }] : [];
}

/** @param {Sample} sample @returns {number} transfers a second */
function perSecond(sample) {
  const { transfers, ns } = whileMeasured([sample]);
  return (transfers * 1e9) / ns;
}

/** @param {number} value @returns {number} the value with the precision of a chart */
const rounded = (value) => Number(value.toPrecision(5));

/**
 * @param {Step[]} steps @param {(sample: Sample) => number | undefined} valueOf
 * @returns {Point[]} one for each second
 */
const secondsOf = (steps, valueOf) =>
  steps.flatMap(({ requested, samples }) =>
    samples.flatMap((sample) => {
      const value = valueOf(sample);
      return value === undefined ? [] : [/** @type {Point} */ ([requested, rounded(value)])];
    }),
  );

/** @param {Step[]} steps @param {(step: Step) => number | undefined} valueOf @returns {Point[]} one for each step */
const pointsOf = (steps, valueOf) =>
  steps.map((step) => {
    const value = valueOf(step);
    return [step.requested, value === undefined ? null : rounded(value)];
  });

/** @param {Step} step @returns {number | undefined} median of its seconds, transfers/s; undefined without samples */
const medianRate = ({ samples }) => (samples.length === 0 ? undefined : medianOf(samples.map(perSecond)));

/** @param {Ramp[]} ramps @returns {Axis & { min: number, max: number, gap: number }} gap: shortest distance of steps */
function axisOf(ramps) {
  const places = [...new Set(ramps.flatMap(({ steps }) => steps.map(({ requested }) => requested)))].sort(
    (a, b) => a - b,
  );
  const gap = Math.min(places[0], ...places.slice(1).map((place, i) => place - places[i]));
  const [min, max] = [places[0] - gap / 2, places[places.length - 1] + gap / 2];
  return { type: 'linear', unit: 'connections', title: 'connections requested', ticks: places, min, max, gap };
}

/**
 * @param {Ramp} ramp @param {number} gap @param {string} label
 * @returns {Marks} before the first step not all served
 */
function breakOf({ f, steps }, gap, label) {
  const { broken } = rampServed(f.summary) ?? {};
  if (broken === undefined) return [];
  const before = steps[steps.findIndex(({ requested }) => requested === broken.requested) - 1]?.requested;
  const at = before === undefined ? broken.requested - gap / 2 : (before + broken.requested) / 2;
  return [{ axis: 'x', at, label, isFailure: true }];
}

/**
 * @param {Ramp} ramp @param {number} width of a column
 * @returns {Pick<Panel, 'datasets' | 'y'>} response times: for each step a column of cells, p50 and p99
 */
function cellsOfSteps({ steps }, width) {
  const timedSteps = steps
    .map((step) => ({ ...step, ...cellsOf(step.samples) }))
    .filter(({ times }) => /** @type {Histogram} */ (times).count > 0);
  const { merged, perDoubling, bottom, top, edge } = rowRange(timedSteps.flatMap(({ cells }) => [...cells.keys()]));
  const columns = timedSteps.map(({ cells }) => listOf(cells, merged));
  const percentiles = timedSteps.map(({ times }) => times.percentiles([50, 99]));
  return {
    y: { type: 'log', unit: 'duration', min: edge(bottom), max: edge(top) },
    datasets: [
      {
        role: 'heat',
        label: 'transfers',
        points: timedSteps.map(({ requested, times }, i) => [requested, percentiles[i][0], times.count]),
        heat: {
          perDoubling,
          largest: Math.max(1, ...columns.flatMap((column) => column.slice(1))),
          widths: columns.map(() => width),
          columns,
          failed: columns.map(() => []),
        },
      },
      { role: 'tail', label: 'p99', points: timedSteps.map(({ requested }, i) => [requested, percentiles[i][1]]) },
    ],
  };
}

/** @param {Ramp} ramp @param {string} loop @returns {Chart} the steps of a single server */
function stepsChart(ramp, loop) {
  const { f, steps } = ramp;
  const color = f.colour;
  const { gap, ...x } = axisOf([ramp]);
  const accounts = steps.map(({ last }) => fatesOf(f, last));
  const fates = FATES.map(([role, label, parts]) => ({
    ...{ role, label },
    counts: accounts.map((account) => parts.reduce((sum, part) => sum + (account[part] ?? 0), 0)),
  })).filter(({ role, counts }) => role === 'served' || counts.some((n) => n > 0));
  const places = steps.map(({ requested }) => requested);
  const seconds = secondsOf(steps, perSecond);
  const medians = pointsOf(steps, medianRate);
  const known = medians.flatMap(([at, y]) => (y === null ? [] : [{ at, y }]));
  const fastest = known.reduce((highest, point) => (point.y > highest.y ? point : highest), known[0]);
  const end = known.at(-1);
  const speeds = [...new Set([fastest, end])].flatMap((point) =>
    point === undefined
      ? []
      : [{ label: `${rate(point.y)} at ${count(point.at)}${point === fastest ? ', the highest' : ''}` }],
  );
  const { knee } = f.summary.ramp ?? {};
  const bends = knee ? [{ label: kneeText(f.summary.ramp) ?? '' }] : [];
  const times = cellsOfSteps(ramp, gap * COLUMN);
  const hasTimes = times.datasets[0].points.length > 0;
  const stepText = (/** @type {number} */ i) =>
    `${count(places[i])}: ${accounts[i].served >= places[i] ? 'all' : count(accounts[i].served)}`;
  /** @type {Panel[]} */
  const panels = [
    {
      leg: null,
      kind: 'bar',
      y: { type: 'linear', unit: 'connections', min: 0, max: Math.max(...places) * HEADROOM },
      datasets: fates.map(({ role, label, counts }) => ({
        ...{ role, label },
        share: COLUMN,
        points: counts.map((n, i) => [places[i], n]),
      })),
      marks: breakOf(ramp, gap, 'above this, not all are served'),
      aside: {
        head: `At ${count(places[places.length - 1])} requested:`,
        items: fates.map(({ role, label, counts }) => ({
          role: `fate ${role}`,
          label: `${count(counts[counts.length - 1])} ${label}`,
        })),
      },
      alt: `Connections served at each step, by those requested: ${places.map((_, i) => stepText(i)).join('; ')}.`,
    },
    {
      leg: null,
      title: 'Answered per second',
      y: { type: 'linear', unit: 'rate', min: 0, max: Math.max(...seconds.map(([, y]) => y ?? 0)) * HEADROOM || 1 },
      datasets: [
        { role: 'curve', color, label: 'median', points: medians },
        { role: 'second', color, label: 'a second', spread: gap * DOTS, points: seconds },
      ],
      marks: [
        ...breakOf(ramp, gap, ''),
        ...(knee ? [{ axis: /** @type {'x'} */ ('x'), at: knee.requested, color, label: 'knee' }] : []),
      ],
      aside: { head: 'A dot is a second, the line their median.', items: [...speeds, ...bends] },
      alt: `Replies per second at each step: ${known.map(({ at, y }) => `${count(at)}: ${rate(y)}`).join('; ')}.`,
    },
    {
      leg: null,
      title: `Response time (${loop})`,
      ...times,
      marks: breakOf(ramp, gap, ''),
      aside: {
        head: 'The gap across a column is p50, the line below a number is p99.',
        items: [
          { role: 'heat-0', label: 'few replies' },
          { role: 'heat-5', label: 'many' },
        ],
      },
      alt: `p99 of the response time at each step: ${times.datasets[1].points
        .map(([at, y]) => `${count(at)}: ${duration(y)}`)
        .join('; ')}.`,
    },
  ];
  return {
    id: 'steps',
    kind: 'line',
    title: 'Connections at each step of the ramp',
    lead: '',
    legend: [],
    x,
    y: { type: 'linear', unit: 'count' },
    // If no transfer was due, only the stack of connections has data.
    panels: hasTimes ? panels : panels.slice(0, 1),
  };
}

const COST = /** @type {Figure & { ofSample: (sample: Sample) => number | undefined }} */ (
  figureOf('server CPU per transfer')
);

/**
 * @param {Sample[]} samples
 * @returns {Sample[]} one sample with the sums of transfers and server CPU; none without CPU
 */
function mergedCost(samples) {
  const [first] = samples;
  const use = first?.server;
  if (use === undefined) return [];
  const sumOf = (/** @type {(sample: Sample) => number | undefined} */ valueOf) =>
    samples.reduce((sum, sample) => sum + (valueOf(sample) ?? 0), 0);
  const transfers = sumOf(({ counters }) => counters.transfers);
  const cpuSeconds = sumOf(({ server }) => server?.cpuSeconds);
  const merged = { ...first, counters: { ...first.counters, transfers }, server: { ...use, cpuSeconds } };
  return [/** @type {Sample} */ (merged)];
}

/**
 * @param {Ramp[]} ramps
 * @param {{ id: ChartId, title: string, lead: string, unit: Unit, of: (step: Step, f: PageLeg) => number | undefined,
 *   ofSecond?: (sample: Sample) => number | undefined, besides?: Dataset[], text: (value: number) => string }} what
 * @returns {Chart[]} none if no leg has a value
 */
function linesOf(ramps, { id, title, lead, unit, of, ofSecond, besides = [], text }) {
  const { gap, ...x } = axisOf(ramps);
  const isFew = ramps.length <= MAX_WITH_DOTS;
  const end = isFew ? 'knee' : undefined;
  const hasDots = ofSecond !== undefined && isFew;
  const lines = ramps
    .map((ramp) => ({ ...ramp, points: pointsOf(ramp.steps, (step) => of(step, ramp.f)) }))
    .filter(({ points }) => points.some(([, y]) => y !== null));
  if (lines.length === 0) return [];
  const dots = hasDots ? lines.map(({ steps }) => secondsOf(steps, ofSecond)) : [];
  const highestOf = (/** @type {Point[][]} */ curves) => Math.max(0, ...curves.flat().map(([, y]) => y ?? 0));
  const highestLine = highestOf([...lines.map(({ points }) => points), ...besides.map(({ points }) => points)]);
  const top = Math.max(highestLine, Math.min(highestOf(dots), highestLine * FAR_ABOVE));
  const beyond = dots.flat().filter(([, y]) => Number(y) > top).length;
  return [
    {
      ...{ id, title, kind: 'line' },
      lead: `${lead}${hasDots ? '; a dot is a second' : ''}.${beyond > 0 ? ` ${count(beyond)} of the dots are above the axis.` : ''}`,
      endLabels: true,
      legend: [],
      x,
      y: { type: 'linear', unit, min: 0, max: top * 1.08 || 1 },
      panels: [
        {
          leg: null,
          datasets: [
            ...besides,
            ...lines.map(
              /** @returns {Dataset} */ ({ f, points }) => ({ role: 'curve', color: f.colour, label: f.label, points }),
            ),
            ...lines.flatMap(
              /** @returns {Dataset[]} */ ({ f, points }) => {
                const at = points.filter(([place, y]) => place === f.summary.ramp?.knee?.requested && y !== null);
                return at.length === 0
                  ? []
                  : [{ role: 'knee', color: f.colour, label: `${f.label}, knee`, points: at, end }];
              },
            ),
            ...dots.map(
              /** @returns {Dataset} */ (points, i) => ({
                role: 'second',
                ...{ color: lines[i].f.colour, label: `${lines[i].f.label}, a second` },
                spread: gap * DOTS,
                points: points.filter(([, y]) => Number(y) <= top),
              }),
            ),
          ],
          alt: `${title}. ${lines
            .map(({ f, points }) => {
              const [at, y] = points.filter((point) => point[1] !== null).at(-1) ?? [];
              return `${f.label}: ${text(Number(y))} at ${count(at)}; ${kneeText(f.summary.ramp)}`;
            })
            .join('. ')}.`,
        },
      ],
    },
  ];
}

/** @param {Step} step @param {PageLeg} f @returns {number | undefined} undefined if the leg had no turn in the step */
const servedIn = ({ hadTurn, last }, f) => (hadTurn ? fatesOf(f, last).served : undefined);

/**
 * @param {{ legs: Leg[], results: PageLeg[] }} measured the typical leg of each case @param {string} loop
 * @returns {Chart[]} the steps of a single leg, or a line for each of several; none if no leg has steps
 */
export function rampCharts({ legs, results }, loop) {
  const ramps = legs.flatMap((leg, i) => rampOf(leg, results[i]));
  if (ramps.length === 0) return [];
  if (ramps.length === 1) return [stepsChart(ramps[0], loop)];
  const someBreak = ramps.some(({ f }) => rampServed(f.summary)?.broken !== undefined);
  const places = [...new Set(ramps.flatMap(({ steps }) => steps.map(({ requested }) => requested)))].sort(
    (a, b) => a - b,
  );
  const speeds = [
    ...linesOf(ramps, {
      id: 'ramp-cpu',
      title: 'CPU per transfer against connections',
      lead: 'CPU time of the server at each step of the ramp, divided by its transfers',
      unit: 'duration',
      of: ({ samples }) => mergedCost(samples).map(COST.ofSample)[0],
      ofSecond: COST.ofSample,
      text: duration,
    }),
    ...linesOf(ramps, {
      id: 'ramp-throughput',
      title: `Transfers per second against connections (${loop})`,
      lead: 'The median of the seconds of each step of the ramp',
      unit: 'rate',
      of: medianRate,
      ofSecond: perSecond,
      text: rate,
    }),
  ];
  return [
    ...(nothingDue(results) ? [] : speeds),
    ...(someBreak
      ? linesOf(ramps, {
          id: 'ramp-served',
          title: 'Connections served',
          lead: 'Open, and with a reply, at the end of each step of the ramp',
          unit: 'connections',
          of: servedIn,
          besides: [{ role: 'requested', label: 'all', points: places.map((n) => [n, n]) }],
          text: count,
        })
      : []),
  ];
}
