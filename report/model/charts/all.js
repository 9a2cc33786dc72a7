/**
 * The chart model: from the samples to the datasets of every chart, in the order of the page. Pure; the page only draws
 * what the model contains.
 */
import { areRepeated } from '../../../client/judge/cases.js';
import { barStepOf, coarsen, stepOf } from '../downsample.js';
import { areMany, isAlone, withOwn } from '../leg-order.js';
import { loopText } from '../page-leg.js';
import { sharesMachine } from '../placement.js';
import { connections } from './connections.js';
import { distributions } from './distributions.js';
import { failures } from './failures.js';
import { heatMap } from './heat-map.js';
import { withMainCharts } from './main.js';
import { kernelEvents, roundTrips } from './kernel.js';
import { payloadCharts } from './payload.js';
import { rampCharts } from './ramp.js';
import { responseTime } from './response-time.js';
import { searchCharts } from './search.js';
import { sweepCharts } from './sweep.js';
import { opens, throughputs } from './throughput.js';
import { timeParts } from './time-parts.js';
import { memory, processors } from './usage.js';

/**
 * @import { Chart, ChartModel, Leg, PageLeg, Run, TcpMemory } from '../../types.js'
 * @import { Interval } from '../downsample.js'
 */

/**
 * @typedef {{ legs: Leg[], results: PageLeg[],
 *   intervals: Interval[][], loop: string, xMax: number, cores: number, step: number,
 *   synRetryNs: number[], bars: Interval[][], barStep: number, isAlone: boolean, isServerHere: boolean,
 *   memPages?: TcpMemory }} ChartInput  bars: intervals wide enough for bars; isAlone: one leg, with tracks;
 *   isServerHere: on the client's machine
 */

/**
 * @param {Run} run
 * @param {PageLeg[]} results of the same legs, in the same order
 * @param {PageLeg[]} [cases] over rounds; with one round the same
 * @returns {ChartModel & { step: number }} legs: those that left samples; step: seconds of an interval
 */
export function chartModel(run, results, cases = results) {
  const placeOf = new Map(results.map(({ id, place }) => [id, place]));
  const inRounds = areRepeated(results.map(({ summary }) => summary));
  const left = run.legs.filter((leg) => leg.samples.length > 0);
  // the order within a round is random: of several, a server's legs are next to each other
  const shown = inRounds ? left.sort((a, b) => (placeOf.get(a.id) ?? 0) - (placeOf.get(b.id) ?? 0)) : left;
  const theirResults = shown.map((leg) => /** @type {PageLeg} */ (results.find((f) => f.id === leg.id)));
  const theirCases = cases.filter((f) => shown.some(({ id }) => id === f.id));
  const many = areMany(results) || inRounds;
  const step = stepOf(
    shown.map((leg) => leg.samples),
    many,
  );
  const barStep = barStepOf(shown.map((leg) => leg.samples));
  const busy = shown[0]?.samples[0]?.machine?.busy;
  /** @type {ChartInput} */
  const input = {
    legs: shown,
    results: theirResults,
    step,
    intervals: shown.map((leg) => coarsen(leg.samples, step)),
    loop: loopText(theirResults),
    // Including a short drain.
    xMax: Math.ceil(theirResults.reduce((most, f) => Math.max(most, f.phases.endNs / 1e7), 10)) / 100,
    synRetryNs: run.environment?.tcp?.synRetryNs ?? [],
    memPages: run.environment?.tcp?.memPages,
    bars: shown.map((leg) => coarsen(leg.samples, barStep)),
    barStep,
    cores: run.environment?.cores ?? busy?.length ?? 1,
    isAlone: isAlone(run),
    isServerHere: sharesMachine(run),
  };
  const legs = shown.map((leg, i) => ({
    id: leg.id,
    label: leg.label,
    color: theirResults[i].colour,
    mark: theirResults[i].mark,
    drawn: theirResults[i].drawn,
    place: theirResults[i].place,
    ramp: (theirResults[i].phases.warmupFromNs ?? theirResults[i].phases.steadyFromNs) / 1e9,
    warm: theirResults[i].phases.steadyFromNs / 1e9,
    steady: theirResults[i].phases.steadyToNs / 1e9,
    end: theirResults[i].phases.endNs / 1e9,
  }));
  if (shown.length === 0) return { legs, charts: [], step, many };
  const spread = distributions(input);
  const named = (/** @type {string[]} */ ...ids) => spread.filter(({ id }) => ids.includes(id));
  const connect = named('connect', 'handshake', 'resumption');
  // what tracks show, or a chart at the top, is not drawn again
  const unless = (/** @type {() => Chart[]} */ make) => (input.isAlone ? [] : make());
  const failed = [...unless(() => failures(input)), kernelEvents(input)];
  const distributed = [...named('percentiles', 'service'), ...timeParts(input)];
  const below = [...named('recovery'), roundTrips(input), ...unless(() => [processors(input)]), memory(input)];
  const response = unless(() => [responseTime(input)]);
  // In reconnect, connecting is what is measured.
  const charts = theirResults.some((f) => f.workload === 'reconnect')
    ? [
        ...unless(() => [opens(input)]),
        ...connect,
        ...response,
        ...heatMap(input),
        connections(input),
        ...failed,
        ...distributed,
      ]
    : [...response, ...heatMap(input), connections(input), ...failed, ...distributed];
  const [transfers, ...payload] = throughputs(input);
  const rest = charts.includes(connect[0]) ? payload : [...unless(() => [transfers]), ...payload, ...connect];
  const all = [
    ...searchCharts(run.summary?.search, shown),
    ...sweepCharts(theirCases, input.loop, theirResults),
    ...payloadCharts(theirCases, input.loop, theirResults),
    ...rampCharts(input, theirCases),
    ...charts,
    ...rest,
    ...below,
  ];
  const placed = withMainCharts(input, all);
  return { legs, step, many, charts: many ? placed.map((chart) => withOwn(chart, legs.length)) : placed };
}
