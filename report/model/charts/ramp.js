/**
 * A ramp against the connections requested. Of one server: what became of the connections at each step, the replies a
 * second and the response times. Of several: a line each for CPU per transfer, throughput and the connections served.
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
 * @import { Axis, Chart, Dataset, Leg, PageLeg, Panel, Point, RampStep, Sample } from '../../types.js'
 */

/**
 * @typedef {{ requested: number, samples: Sample[], last: Sample, hadTurn: boolean }} Step  samples: those it is judged
 *   by; last: as it stood at its end
 * @typedef {{ f: PageLeg, steps: Step[] }} Ramp
 * @typedef {NonNullable<Panel['marks']>} Marks
 */

/** Of the distance between two steps, what a column takes; and what the dots of its seconds take. */
const COLUMN = 0.86;
const DOTS = 0.6;
/** The dots of more servers hide the lines. */
const MOST_WITH_DOTS = 6;
/** Room above the columns for words at a mark, and above lines. */
const HEADROOM = 1.18;
/** Seconds far above every line do not press the lines flat. */
const FAR_ABOVE = 2;

/** @param {Leg} leg @param {PageLeg} f @returns {Ramp[]} none without steps */
function rampOf({ samples }, f) {
  const all = f.summary.ramp?.steps ?? [];
  const judged = samplesOfSteps(samples, all, f.settings);
  const before = samples.filter(({ phase }) => phase !== 'drain');
  const steps = risingSteps(all).flatMap((step) => {
    const at = all.indexOf(step);
    const isLast = at === all.length - 1 && !f.settings.connectionsProfile;
    const own = before.filter(({ toNs }) => toNs > step.fromNs && (isLast || toNs <= step.toNs));
    const last = own.at(-1);
    const hadTurn = own.some(({ slices }) => slices === undefined || slices.turnNs > 0);
    return last === undefined ? [] : [{ requested: step.requested, samples: judged[at], last, hadTurn }];
  });
  return steps.length > 0 ? [{ f, steps }] : [];
}

/** @param {Sample} sample @returns {number} transfers a second */
function perSecond(sample) {
  const { transfers, ns } = whileMeasured([sample]);
  return (transfers * 1e9) / ns;
}

/** @param {number} value @returns {number} as precise as a chart shows it */
const rounded = (value) => Number(value.toPrecision(5));

/** @param {Step[]} steps @param {(sample: Sample) => number | undefined} of @returns {Point[]} a point a second */
const secondsOf = (steps, of) =>
  steps.flatMap(({ requested, samples }) =>
    samples.flatMap((sample) => {
      const value = of(sample);
      return value === undefined ? [] : [/** @type {Point} */ ([requested, rounded(value)])];
    }),
  );

/** @param {Step[]} steps @param {(step: Step) => number | undefined} of @returns {Point[]} a point a step */
const pointsOf = (steps, of) =>
  steps.map((step) => {
    const value = of(step);
    return [step.requested, value === undefined ? null : rounded(value)];
  });

/** @param {Step} step @returns {number | undefined} the median of its seconds */
const medianRate = ({ samples }) => (samples.length === 0 ? undefined : medianOf(samples.map(perSecond)));

/** @param {Ramp[]} ramps @returns {Axis & { min: number, max: number, gap: number }} gap: the least of two steps */
function axisOf(ramps) {
  const places = [...new Set(ramps.flatMap(({ steps }) => steps.map(({ requested }) => requested)))].sort(
    (a, b) => a - b,
  );
  const gap = Math.min(places[0], ...places.slice(1).map((place, i) => place - places[i]));
  const [min, max] = [places[0] - gap / 2, places[places.length - 1] + gap / 2];
  return { type: 'linear', unit: 'connections', title: 'connections requested', ticks: places, min, max, gap };
}

/** @param {Ramp} ramp @param {number} gap @param {string} label @returns {Marks} before the first step that broke */
function breakOf({ f, steps }, gap, label) {
  const { broken } = rampServed(f.summary) ?? {};
  if (broken === undefined) return [];
  const before = steps[steps.findIndex(({ requested }) => requested === broken.requested) - 1]?.requested;
  const at = before === undefined ? broken.requested - gap / 2 : (before + broken.requested) / 2;
  return [{ axis: 'x', at, label, isFailure: true }];
}

/**
 * @param {Ramp} ramp @param {number} width of a column
 * @returns {Pick<Panel, 'datasets' | 'y'>} the response times of each step as a column of cells, p50 and p99
 */
function cellsOfSteps({ steps }, width) {
  const some = steps
    .map((step) => ({ ...step, ...cellsOf(step.samples) }))
    .filter(({ times }) => /** @type {Histogram} */ (times).count > 0);
  const { merged, perDoubling, bottom, top, edge } = rowRange(some.flatMap(({ cells }) => [...cells.keys()]));
  const columns = some.map(({ cells }) => listOf(cells, merged));
  const percentiles = some.map(({ times }) => times.percentiles([50, 99]));
  return {
    y: { type: 'log', unit: 'duration', min: edge(bottom), max: edge(top) },
    datasets: [
      {
        role: 'heat',
        label: 'transfers',
        points: some.map(({ requested, times }, i) => [requested, percentiles[i][0], times.count]),
        heat: {
          perDoubling,
          most: Math.max(1, ...columns.flatMap((column) => column.slice(1))),
          widths: columns.map(() => width),
          columns,
          failed: columns.map(() => []),
        },
      },
      { role: 'tail', label: 'p99', points: some.map(({ requested }, i) => [requested, percentiles[i][1]]) },
    ],
  };
}

/** @param {Ramp} ramp @param {string} loop @returns {Chart} of one server */
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
  const fastest = known.reduce((most, one) => (one.y > most.y ? one : most), known[0]);
  const end = known.at(-1);
  const speeds = [...new Set([fastest, end])].flatMap((one) =>
    one === undefined ? [] : [{ label: `${rate(one.y)} at ${count(one.at)}${one === fastest ? ', the most' : ''}` }],
  );
  const { knee } = f.summary.ramp ?? {};
  const bends = knee ? [{ label: kneeText(f.summary.ramp) ?? '' }] : [];
  const times = cellsOfSteps(ramp, gap * COLUMN);
  const hasTimes = times.datasets[0].points.length > 0;
  const told = (/** @type {number} */ i) =>
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
      marks: breakOf(ramp, gap, 'from here on not all are served'),
      aside: {
        head: `At ${count(places[places.length - 1])} requested:`,
        items: fates.map(({ role, label, counts }) => ({
          role: `fate ${role}`,
          label: `${count(counts[counts.length - 1])} ${label}`,
        })),
      },
      alt: `Connections served at each step, by those requested: ${places.map((_, i) => told(i)).join('; ')}.`,
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
    // where no transfer was due, the stack is all there is
    panels: hasTimes ? panels : panels.slice(0, 1),
  };
}

const COST = /** @type {Figure & { ofSample: (sample: Sample) => number | undefined }} */ (
  figureOf('server CPU per transfer')
);

/** @param {Sample[]} samples @returns {Sample[]} none, or one with their transfers and CPU time of the server */
function together(samples) {
  const [first] = samples;
  const use = first?.server;
  if (use === undefined) return [];
  const sum = (/** @type {(sample: Sample) => number | undefined} */ of) =>
    samples.reduce((all, sample) => all + (of(sample) ?? 0), 0);
  const transfers = sum(({ counters }) => counters.transfers);
  const cpuSeconds = sum(({ server }) => server?.cpuSeconds);
  const whole = { ...first, counters: { ...first.counters, transfers }, server: { ...use, cpuSeconds } };
  return [/** @type {Sample} */ (whole)];
}

/**
 * @param {Ramp[]} ramps
 * @param {{ id: string, title: string, lead: string, unit: string, of: (step: Step, f: PageLeg) => number | undefined,
 *   ofSecond?: (sample: Sample) => number | undefined, besides?: Dataset[], text: (value: number) => string }} what
 * @returns {Chart[]} none where it was not measured
 */
function linesOf(ramps, { id, title, lead, unit, of, ofSecond, besides = [], text }) {
  const { gap, ...x } = axisOf(ramps);
  const isFew = ramps.length <= MOST_WITH_DOTS;
  const end = isFew ? 'knee' : undefined;
  const hasDots = ofSecond !== undefined && isFew;
  const lines = ramps
    .map((ramp) => ({ ...ramp, points: pointsOf(ramp.steps, (step) => of(step, ramp.f)) }))
    .filter(({ points }) => points.some(([, y]) => y !== null));
  if (lines.length === 0) return [];
  const dots = hasDots ? lines.map(({ steps }) => secondsOf(steps, ofSecond)) : [];
  const highest = (/** @type {Point[][]} */ all) => Math.max(0, ...all.flat().map(([, y]) => y ?? 0));
  const most = highest([...lines.map(({ points }) => points), ...besides.map(({ points }) => points)]);
  const top = Math.max(most, Math.min(highest(dots), most * FAR_ABOVE));
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
            ...lines.map(({ f, points }) => ({ role: 'curve', color: f.colour, label: f.label, points })),
            ...lines.flatMap(({ f, points }) => {
              const at = points.filter(([place, y]) => place === f.summary.ramp?.knee?.requested && y !== null);
              return at.length === 0
                ? []
                : [{ role: 'knee', color: f.colour, label: `${f.label}, knee`, points: at, end }];
            }),
            ...dots.map((points, i) => ({
              ...{ role: 'second', color: lines[i].f.colour, label: `${lines[i].f.label}, a second` },
              spread: gap * DOTS,
              points: points.filter(([, y]) => Number(y) <= top),
            })),
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

/** @param {Step} step @param {PageLeg} f @returns {number | undefined} undefined where the leg had no turn in it */
const servedIn = ({ hadTurn, last }, f) => (hadTurn ? fatesOf(f, last).served : undefined);

/**
 * @param {{ legs: Leg[], results: PageLeg[] }} measured of each case the leg that stands for it @param {string} loop
 * @returns {Chart[]} the steps of one server; of several a line each; none where no leg has steps
 */
export function rampCharts({ legs, results }, loop) {
  const ramps = legs.flatMap((leg, i) => rampOf(leg, results[i]));
  if (ramps.length === 0) return [];
  if (ramps.length === 1) return [stepsChart(ramps[0], loop)];
  const someBreak = ramps.some(({ f }) => rampServed(f.summary)?.broken !== undefined);
  const all = [...new Set(ramps.flatMap(({ steps }) => steps.map(({ requested }) => requested)))].sort((a, b) => a - b);
  const speeds = [
    ...linesOf(ramps, {
      id: 'ramp-cpu',
      title: 'CPU per transfer against connections',
      lead: 'CPU time of the server at each step of the ramp, divided by its transfers',
      unit: 'duration',
      of: ({ samples }) => together(samples).map(COST.ofSample)[0],
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
          besides: [{ role: 'requested', label: 'all', points: all.map((n) => [n, n]) }],
          text: count,
        })
      : []),
  ];
}
