/** The chart model: the datasets of every chart, computed from the samples, in the order of the page. */
import { count } from '../../../client/words/format.js';
import { barStepOf, coarsen, stepOf } from '../downsample.js';
import { drawnAsLines, drawnAsRows, isAlone, rulesOfLines, rulesOfRows } from '../leg-order.js';
import { loopText } from '../page-leg.js';
import { sharesMachine } from '../placement.js';
import { connections } from './connections.js';
import { connectDistributions, responseDistributions } from './distributions.js';
import { failures } from './failures.js';
import { heatMap } from './heat-map.js';
import { withMainCharts } from './main.js';
import { kernelEvents, roundTrips } from './kernel.js';
import { payloadCharts } from './payload.js';
import { rampCharts } from './ramp.js';
import { responseTime } from './response-time.js';
import { searchCharts } from './search.js';
import { sweepCharts } from './sweep.js';
import { opens, payloads, transfers } from './throughput.js';
import { timeParts } from './time-parts.js';
import { memory, processors } from './usage.js';

/**
 * @import { Chart, ChartModel, Leg, PageLeg, Remark, Run, TcpMemory } from '../../types.js'
 * @import { Interval } from '../downsample.js'
 */

/**
 * @typedef {{ legs: Leg[], results: PageLeg[], places: number[],
 *   intervals: Interval[][], loop: string, xMax: number, cores: number, step: number,
 *   synRetryNs: number[], bars: Interval[][], barStep: number, isAlone: boolean, isServerHere: boolean,
 *   memPages?: TcpMemory }} ChartInput  places: indexes of the legs in the model; bars: intervals wide enough for bars;
 *   isAlone: the run has one leg, shown as tracks; isServerHere: the server ran on the client's machine
 */

/**
 * @typedef {object} ChartRow
 * @property {NonNullable<Chart['part']>} part  part of the page
 * @property {'rows' | 'lines'} of  rows: each leg has its own plot over time; lines: the legs share a plot
 * @property {true} [isOfSeveral]  omitted for a run with one leg, whose tracks show the same
 * @property {(input: ChartInput) => Chart[]} make
 */

/** The charts of each part, in the order of the page. @type {ChartRow[]} */
const CHARTS = [
  { part: 'time', of: 'rows', isOfSeveral: true, make: transfers },
  { part: 'time', of: 'rows', isOfSeveral: true, make: (input) => [responseTime(input)] },
  { part: 'time', of: 'rows', make: heatMap },
  { part: 'limits', of: 'rows', isOfSeveral: true, make: (input) => [processors(input)] },
  { part: 'limits', of: 'rows', make: payloads },
  { part: 'times', of: 'lines', make: responseDistributions },
  { part: 'times', of: 'lines', make: timeParts },
  { part: 'failures', of: 'rows', make: (input) => [connections(input)] },
  { part: 'failures', of: 'rows', isOfSeveral: true, make: failures },
  { part: 'failures', of: 'rows', isOfSeveral: true, make: opens },
  { part: 'failures', of: 'lines', make: connectDistributions },
  { part: 'machine', of: 'rows', make: (input) => [kernelEvents(input), roundTrips(input), memory(input)] },
];

/** @param {Chart['part']} part @param {Chart[]} charts @returns {Chart[]} */
const inPart = (part, charts) => charts.map((chart) => ({ ...chart, part }));

/**
 * @param {number} drawn legs drawn @param {number} of legs with samples @param {string[]} rules by which legs were
 *   chosen @param {string} where " over time", " by percentile"; may be empty
 * @returns {Remark | undefined} undefined if every leg is drawn
 */
const leftOutOf = (drawn, of, rules, where) =>
  drawn === of
    ? undefined
    : {
        ...{ code: 'left-out', data: { drawn, of } },
        text: `${count(drawn)} of ${count(of)} measurements are drawn${where}: ${rules.join('; ')}. All are in the run folder.`,
      };

/** @param {Chart[]} charts @param {Remark | undefined} leftOut @returns {Chart[]} */
const withLeftOut = (charts, leftOut) => (leftOut ? charts.map((chart) => ({ ...chart, leftOut })) : charts);

/**
 * @param {Run} run
 * @param {PageLeg[]} results the run's legs, in the same order
 * @param {PageLeg[]} [cases] default: the legs
 * @returns {ChartModel & { step: number }} legs: those drawn over time; step: seconds of an interval
 */
export function chartModel(run, results, cases = results) {
  const legOf = new Map(run.legs.flatMap((leg) => (leg.samples.length > 0 ? [[leg.id, leg]] : [])));
  const resultOf = new Map(results.map((f) => [f.id, f]));
  const inputOf = (/** @type {PageLeg[]} */ chosen) => ({
    legs: chosen.map(({ id }) => /** @type {Leg} */ (legOf.get(id))),
    results: chosen.map(({ id }) => /** @type {PageLeg} */ (resultOf.get(id))),
  });
  const measured = results.filter(({ id }) => legOf.has(id));
  const measuredCases = cases.filter(({ id }) => legOf.has(id));
  const rows = drawnAsRows(measuredCases);
  const lines = drawnAsLines(measuredCases);
  const drawn = inputOf(rows);
  const samples = drawn.legs.map((leg) => leg.samples);
  const [step, barStep] = [stepOf(samples), barStepOf(samples)];
  const busy = samples[0]?.[0]?.machine?.busy;
  /** @type {ChartInput} */
  const input = {
    ...drawn,
    places: [...rows.keys()],
    step,
    intervals: samples.map((legSamples) => coarsen(legSamples, step)),
    loop: loopText(measured),
    // Includes a short drain.
    xMax: Math.ceil(drawn.results.reduce((end, f) => Math.max(end, f.phases.endNs / 1e7), 10)) / 100,
    synRetryNs: run.environment?.tcp?.synRetryNs ?? [],
    memPages: run.environment?.tcp?.memPages,
    bars: samples.map((legSamples) => coarsen(legSamples, barStep)),
    barStep,
    cores: run.environment?.cores ?? busy?.length ?? 1,
    isAlone: isAlone(run),
    isServerHere: sharesMachine(run),
  };
  const legs = drawn.results.map(({ id, label, colour, phases }) => ({
    ...{ id, label, color: colour },
    ramp: (phases.warmupFromNs ?? phases.steadyFromNs) / 1e9,
    warm: phases.steadyFromNs / 1e9,
    steady: phases.steadyToNs / 1e9,
    end: phases.endNs / 1e9,
  }));
  if (rows.length === 0) return { legs, charts: [], step };
  const few = rows.filter((f) => lines.includes(f));
  const fewInput = { ...input, ...inputOf(few), places: few.map((f) => rows.indexOf(f)) };
  const repeated = measuredCases.length < measured.length ? ['of repeated ones, the one nearest to the median'] : [];
  const areAlike = few.length === rows.length;
  const leftOut = leftOutOf(
    rows.length,
    measured.length,
    [...repeated, ...rulesOfRows(measuredCases)],
    areAlike ? '' : ' over time',
  );
  const leftOutOfLines = areAlike
    ? leftOut
    : leftOutOf(few.length, measured.length, [...repeated, ...rulesOfLines(measuredCases)], ' by percentile');
  const charts = [
    ...inPart('sweep', [...searchCharts(run.summary?.search, measured), ...sweepCharts(measuredCases, input.loop)]),
    ...inPart('times', payloadCharts(measuredCases, input.loop)),
    ...inPart('limits', rampCharts(inputOf(measuredCases), input.loop)),
    ...CHARTS.filter(({ isOfSeveral }) => !(isOfSeveral && input.isAlone)).flatMap(({ part, of, make }) =>
      of === 'rows'
        ? inPart(part, withLeftOut(make(input), leftOut))
        : inPart(part, withLeftOut(make(fewInput), leftOutOfLines)),
    ),
  ];
  return { legs, step, charts: withMainCharts(input, charts) };
}
