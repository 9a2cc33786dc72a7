// The lines of servers that are loaded in turn, about one line a second in all. Each server has a line for a span of as
// many seconds as there are servers; after the first minute, for at least ten seconds. A span also ends with its phase.

import { PHASES } from '../measure/sample-merge.js';
import { SampleSum } from '../measure/sample-sum.js';

/** @import { Sample } from '../../config/types.js' */

/** Spans are longer after this time. */
const FIRST_NS = 60e9;
const LATER_NS = 10e9;
/** A sample may end this much after its second. */
const SLACK_NS = 1e6;

/**
 * @typedef {{ id: string, case: string, label: string }} TurnLeg
 * @typedef {{ sum: SampleSum, last: Map<string, Sample> }} Server  within a span; sum: of all its starts; last: the
 *   last sample of each leg
 * @typedef {{ phase: number, endNs: number, servers: Map<string, Server> }} Span  servers: by the id of their case
 */

/**
 * @param {number} toNs of a sample, since the start of the leg @param {number} servers
 * @returns {number} end of the span that contains the sample
 */
function spanEndNs(toNs, servers) {
  const atNs = toNs - SLACK_NS;
  const widthNs = servers * 1e9;
  if (atNs <= FIRST_NS) return Math.min(FIRST_NS, Math.ceil(atNs / widthNs) * widthNs);
  const laterNs = Math.max(widthNs, LATER_NS);
  return FIRST_NS + Math.ceil((atNs - FIRST_NS) / laterNs) * laterNs;
}

/** @param {Sample} sample @returns {number} */
const servedIn = ({ gauges: { open, unanswered } }) => open - unanswered;

/**
 * @param {Server} server
 * @returns {Sample} the sum of its starts, with the connections of the start that serves the fewest, as in tables
 */
function sampleOf({ sum, last }) {
  const worst = [...last.values()].reduce((fewest, sample) => (servedIn(sample) < servedIn(fewest) ? sample : fewest));
  return { ...sum.result(), gauges: worst.gauges };
}

export class TurnLines {
  /** @param {TurnLeg[]} legs that are measured at the same time */
  constructor(legs) {
    /** Label of each case, in the order of the lines. */
    this.labels = new Map(legs.map((leg) => [leg.case, leg.label]));
    /** Phase and time up to which the samples of each leg are known, until it ends. */
    this.reached = new Map(legs.map(({ id }) => [id, { phase: 0, toNs: 0 }]));
    /** Spans that are not shown yet. @type {Span[]} */
    this.spans = [];
  }

  /**
   * @param {TurnLeg} leg @param {Sample} sample the leg's next sample
   * @returns {{ leg: string, sample: Sample, toNs: number }[]} lines that can be shown now; leg: the label of a server;
   *   toNs: end of the span, for all servers
   */
  add(leg, sample) {
    const phase = PHASES.indexOf(sample.phase);
    const endNs = spanEndNs(sample.toNs, this.labels.size);
    let span = this.spans.find((pending) => pending.phase === phase && pending.endNs === endNs);
    if (span === undefined) this.spans.push((span = { phase, endNs, servers: new Map() }));
    const server = span.servers.get(leg.case);
    if (server === undefined) {
      span.servers.set(leg.case, { sum: new SampleSum(sample), last: new Map([[leg.id, sample]]) });
    } else {
      server.sum.add(sample);
      server.last.set(leg.id, sample);
    }
    this.reached.set(leg.id, { phase, toNs: sample.toNs + SLACK_NS });
    return this.take();
  }

  /** No more samples of a leg come. @param {string} id @returns {ReturnType<TurnLines['add']>} */
  end(id) {
    this.reached.delete(id);
    return this.take();
  }

  /** Takes the spans that every leg has passed. @returns {ReturnType<TurnLines['add']>} */
  take() {
    const isPast = (/** @type {Span} */ { phase, endNs }) =>
      [...this.reached.values()].every((leg) => leg.phase > phase || (leg.phase === phase && leg.toNs >= endNs));
    const passed = this.spans.filter(isPast).sort((a, b) => a.phase - b.phase || a.endNs - b.endNs);
    this.spans = this.spans.filter((span) => !passed.includes(span));
    return passed.flatMap(({ servers }) => {
      const shown = [...this.labels].flatMap(([id, leg]) => {
        const server = servers.get(id);
        return server === undefined ? [] : [{ leg, sample: sampleOf(server) }];
      });
      const toNs = Math.max(...shown.map(({ sample }) => sample.toNs));
      return shown.map((row) => ({ ...row, toNs }));
    });
  }
}
