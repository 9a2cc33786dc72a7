// What a run prints, and as events for the readers of its live page.
// Whatever fails here ends the live page, never the run.

import { columnsFor } from '../console/live-lines.js';
import { featuresOf, RunDisplay } from '../console/run-display.js';
import { answerOf } from '../judge/headline.js';
import { probeOf } from '../judge/search/index.js';
import { legName } from '../words/leg-name.js';
import { probeLine } from '../words/search.js';
import { endedCells } from './ended-cells.js';

/** Those that the page has in its own words: the leg is the head of its row. */
const OWN_COLUMNS = ['leg'];

/**
 * @typedef {import('../plan/plan.js').Leg} Leg
 * @typedef {import('../measure/sample.js').Sample} Sample
 *
 * @typedef {object} Model  of the charts; the report has it
 * @property {(leg: Leg) => string | null} begin  returns the leg that is not shown any more
 * @property {() => object} skeleton
 * @property {(leg: string, sample: Sample, startNs: number) => object} take
 *
 * @typedef {{ server: import('./live-server.js').LiveServer, model: Model, figuresOf: (skeleton: any) => string }} Live
 */

/**
 * @param {import('../scenario/scenario.js').Scenario} scenario
 * @returns {import('../console/live-lines.js').Column[]} of the table of the latest figures: those of the
 *   console, the most important first
 */
export function liveColumns(scenario) {
  return columnsFor(Infinity, featuresOf(scenario))
    .filter(({ name }) => !OWN_COLUMNS.includes(name))
    .sort((a, b) => a.rank - b.rank);
}

/** The display of a run that has a live page. */
export class LiveDisplay extends RunDisplay {
  /**
   * @param {NodeJS.WriteStream} stream
   * @param {ConstructorParameters<typeof RunDisplay>[1]} options
   * @param {Live} live
   */
  constructor(stream, options, live) {
    super(stream, options);
    this.columns = liveColumns(options.scenario);
    /** Null: it has failed. @type {Live | null} */
    this.live = live;
    this.server = live.server;
    this.startNs = 0;
    /** Of the current leg. */
    this.label = '';
    this.hasEnded = false;
  }

  /** @param {(live: Live) => void} tell */
  tell(tell) {
    if (this.live === null) return;
    try {
      tell(this.live);
    } catch (error) {
      this.live = null;
      this.server.end({ code: 'failed', parts: [] }, null);
      this.runWarning(`the live page has ended, the run continues: ${/** @type {Error} */ (error).stack}`);
    }
  }

  /** @param {string} text @param {'problem' | 'remark'} kind */
  note(text, kind) {
    this.tell(({ server }) => server.stream.publish('note', { text, kind }));
  }

  /** @override @param {string} id @param {string | null} remark */
  runBegins(id, remark) {
    super.runBegins(id, remark);
    this.tell(({ server }) => server.stream.publish('run', { run: id, legs: this.legsText() }, { key: 'run' }));
  }

  /** @returns {string} how many legs there are, as far as that is known */
  legsText() {
    const { plan } = this;
    const { mostLegs } = plan.search ?? plan.compareAt ?? {};
    return mostLegs === undefined ? String(plan.legs.length) : `up to ${mostLegs}`;
  }

  /** @override @param {Leg} leg @param {import('../words/endpoint.js').Endpoint[]} endpoints */
  legBegins(leg, endpoints) {
    super.legBegins(leg, endpoints);
    this.label = legName(leg, this.plan.legs);
    this.tell(({ server: { stream }, model, figuresOf }) => {
      const gone = model.begin(leg);
      if (gone !== null) stream.forget(gone);
      const skeleton = model.skeleton();
      const place = this.plan.legs.indexOf(leg) + 1;
      const text = `leg ${place} of ${this.legsText()}: ${this.label}`;
      stream.publish('legs', { ...skeleton, text, html: figuresOf(skeleton) }, { key: 'legs' });
    });
  }

  /** @override @param {number} leadMs @param {() => import('../console/bar.js').BarState} barState @param {number} startNs */
  workersStart(leadMs, barState, startNs) {
    super.workersStart(leadMs, barState, startNs);
    this.startNs = startNs;
  }

  /** @override @param {Leg} leg @param {Sample} sample @param {{ last: boolean }} when */
  sample(leg, sample, when) {
    super.sample(leg, sample, when);
    this.tell(({ server, model }) => {
      const row = this.rowOf(leg, sample);
      const cells = this.columns.map((column) => ({ text: column.text(row), tone: column.tone?.(row) ?? null }));
      const points = { ...model.take(leg.id, sample, this.startNs), second: sample.second, cells };
      server.stream.publish('sample', points, { group: leg.id });
    });
  }

  /** @override @param {import('../../config/types.js').LegSummary} summary */
  legEnds(summary) {
    super.legEnds(summary);
    const { find } = this.scenario;
    const probe = find ? probeOf(find, summary) : undefined;
    if (probe) this.note(`${this.label}: ${probeLine(probe)}`, 'remark');
    const ended = { leg: summary.id, cells: endedCells(this.columns, summary, probe) };
    this.tell(({ server }) => server.stream.publish('ended', ended, { group: summary.id }));
  }

  /** @override @param {Leg} leg @param {import('../words/warnings.js').Warning} failure */
  legFails(leg, failure) {
    super.legFails(leg, failure);
    this.note(`${leg.label}: ${failure.text}`, 'problem');
  }

  /** @override @param {string} text @param {Leg} [leg] */
  legWarning(text, leg) {
    super.legWarning(text, leg);
    this.note(`${leg?.label ?? this.label}: ${text}`, 'remark');
  }

  /** @override @param {import('../../config/types.js').RunSummary} summary @param {Parameters<RunDisplay['results']>[1]} where */
  results(summary, where) {
    super.results(summary, where);
    const parts = answerOf(summary).map(({ severity, text }) => ({ severity, text }));
    const { folder, page } = where;
    this.endLive({ code: summary.endedBy, parts, folder, page }, page);
  }

  /** @param {object} data @param {string | null} page */
  endLive(data, page) {
    if (this.hasEnded) return;
    this.hasEnded = true;
    this.tell(({ server }) => server.end(data, page));
  }

  /** The run is over, also where it has failed. @returns {Promise<void>} when the readers have what they may have */
  close() {
    this.endLive({ code: 'failed', parts: [], page: null }, null);
    return this.server.close();
  }
}
