// Measures a leg whose server has been opened, from the start of its workers to the end of the drain: takes their
// samples and writes samples.ndjson. A bounded number of samples is kept for the summary (measure/sample-series.js), so
// a long leg needs no more memory than a leg of half an hour.
import path from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { legWarnings } from '../judge/disturbances.js';
import { SampleSeries } from '../measure/sample-series.js';
import { engineTls } from '../scenario/keys/tls.js';
import { LinesFile } from '../store/lines-file.js';
import { formatEndpoint } from '../words/endpoint.js';
import { endpointsOf } from './cluster/assignment.js';
import { LegWorkers } from './cluster/primary.js';
import { EarlyEnd } from './early-end.js';
import { LegMeter } from './leg-meter.js';
import { ReadingQueue } from './reading-queue.js';

/**
 * @import { Logger } from 'pino'
 * @import { Sample, Slices, Warning } from '../../config/types.js'
 * @import { LegCourse } from '../console/run-course.js'
 * @import { LegEnd } from '../measure/leg-summary.js'
 * @import { Merged } from '../measure/sample-merge.js'
 * @import { Leg } from '../plan/plan.js'
 * @import { LegGroup } from './cluster/leg-group.js'
 * @import { Outcome } from './cluster/leg-outcome.js'
 * @import { WorkerSource } from './cluster/worker-handle.js'
 * @import { RunContext } from './leg.js'
 * @import { ClientReading } from './leg-meter.js'
 * @import { ServerReading } from './server-meter.js'
 * @import { ServerUnderTest } from './server-under-test.js'
 */

/**
 * @typedef {object} Options
 * @property {string} folder  of the leg
 * @property {Logger} log
 * @property {(warning: Warning, isOwn?: boolean) => void} warn  isOwn: false for a warning that the outcome of the
 *   workers also has
 * @property {LegGroup} [group]  this leg and those measured side by side with it
 */

const SAMPLES_PER_COLLECTION = 30;
/** How long a wrapper of the workers may take to write its results and end. */
const WRAPPER_MS = 5000;

export class LegMeasurement {
  /** @param {RunContext} run @param {Leg} leg @param {ServerUnderTest} server @param {Options} options */
  constructor(run, leg, server, { folder, log, warn, group }) {
    this.run = run;
    this.leg = leg;
    this.server = server;
    this.log = log;
    this.warn = warn;
    this.group = group;
    /** @type {LinesFile<Sample>} */
    this.samples = new LinesFile(run.folder, path.join(leg.id, 'samples.ndjson'));
    this.series = new SampleSeries();
    this.phase = 'start';
    /** @type {Outcome | null} */
    this.outcome = null;
    /** The part of the summary that comes from other hosts. @type {Partial<LegEnd>} */
    this.elsewhere = {};
    this.earlyEnd = new EarlyEnd(run.scenario.stopOn, warn);
    const source = run.place.workersFor(leg, {
      warn,
      markIncomplete: (failure) => this.workers.outcome.markIncomplete(failure),
    });
    this.workers = this.workersFrom(source, folder);
    this.meter = new LegMeter(leg, server, { client: source.meter(server.pids), warn });
    /** @type {ReadingQueue<{ merged: Merged, clientReading: ClientReading | null }, ServerReading>} */
    this.waiting = new ReadingQueue(
      ({ merged, clientReading }, reading) => this.take(this.meter.sampleOf(merged, clientReading, reading)),
      () => this.workers.kill(),
    );
  }

  /** @param {WorkerSource} source @param {string} folder @returns {LegWorkers} not started yet */
  workersFrom(source, folder) {
    const { run, leg, server, group } = this;
    const { instances } = server;
    return new LegWorkers({
      ...{ settings: leg.settings, leg, folder, group, source },
      t0Ns: run.t0.monotonicNs,
      logging: run.scenario.transferLog !== 'none',
      instances: instances.map((instance) => ({
        endpoints: endpointsOf(instance, leg.sources, instances.length),
        tls: instance.tls ? engineTls(instance.tls, instance.address) : null,
      })),
    })
      .on('warning', (/** @type {Warning} */ warning) => this.warn(warning, false))
      .on('slices', (/** @type {Slices} */ slices) => this.changeSlices(slices))
      .on('worker', (event) => this.log.info(event, `worker ${event.worker} ${event.event}`))
      .on('start', (/** @type {bigint} */ startNs) => this.started(startNs))
      .on('merged', (/** @type {Merged} */ merged) => this.read(merged));
  }

  /** Runs the workers against the server. @returns {Promise<Outcome>} */
  async execute() {
    const { run, leg, workers, log } = this;
    const ticker = setInterval(() => this.tick(), 1000);
    try {
      const ended = await workers.run();
      await this.waiting.settled();
      this.outcome = this.earlyEnd.outcomeOf(ended);
      for (const { worker, stderr } of await workers.workers.wrappersEnd(WRAPPER_MS)) {
        for (const line of stderr.trim().split('\n')) log.info({ source: 'worker', worker }, line);
      }
    } finally {
      clearInterval(ticker);
      run.display.workersEnd(leg);
      this.meter.close();
      this.elsewhere = await run.place.legEnded(leg);
    }
    return this.outcome;
  }

  /** @returns {Warning[]} disturbances of the leg, which only the whole series of samples shows */
  disturbances() {
    const { leg, phase, outcome } = this;
    const { endedBy } = /** @type {Outcome} */ (outcome);
    return legWarnings(this.series.samples(), { settings: leg.settings, leg, endedBy, phase });
  }

  /** The leg's end, as far as it is known now. @returns {Partial<LegEnd>} */
  get end() {
    const { outcome, workers, earlyEnd } = this;
    return {
      ...this.elsewhere,
      endedBy: outcome?.endedBy,
      failure: outcome?.failure,
      stopped: outcome?.endedBy === 'stop-on' ? earlyEnd.stopped : undefined,
      startNs: outcome?.startNs ?? workers.clock.startedNs ?? undefined,
    };
  }

  /** Kills the workers and takes the samples that still wait for a reading. */
  endNow() {
    this.workers.endNow();
    this.waiting.flush();
  }

  /** @param {Slices} slices */
  changeSlices(slices) {
    this.leg.slices = slices;
    this.run.planChanges();
    this.meter.changeSlices(slices);
    this.run.display.slicesChange(this.leg);
  }

  /** @param {bigint} startNs */
  started(startNs) {
    const startedNs = Number(startNs - this.run.t0.monotonicNs);
    const targets = this.server.instances.map(({ address, port }) => formatEndpoint({ host: address, port }));
    this.log.info({ startNs: startedNs, targets }, 'leg starts');
    this.meter.begin(startNs);
    const lead = Number(startNs - process.hrtime.bigint()) / 1e6;
    this.run.display.workersStart(this.leg, lead, () => this.course());
  }

  /** Reads server and client; the sample is taken once the server's reading has come. @param {Merged} merged */
  read(merged) {
    const reading = this.meter.readServer(merged);
    this.waiting.add({ merged, clientReading: this.meter.readClient(merged) }, reading);
  }

  /** @param {Sample} sample */
  take(sample) {
    const { samples, workers } = this;
    samples.add(sample);
    this.series.add(sample);
    if (sample.phase !== this.phase && sample.toNs > sample.fromNs) {
      this.phase = sample.phase;
      this.log.info({ phase: sample.phase, atNs: sample.fromNs }, `phase ${sample.phase}`);
    }
    this.run.display.sample(this.leg, sample);
    this.group?.observe(workers, sample);
    this.earlyEnd.follow(sample, workers);
    if (samples.count % SAMPLES_PER_COLLECTION === 0) forceGc();
  }

  /** Tells the display once a second which workers are behind; of legs side by side, only the first does. */
  tick() {
    const { workers } = this;
    const isFirst = (this.leg.slices?.index ?? 0) === 0;
    if (isFirst && workers.clock.startNs !== null) this.run.display.tick(workers.clock.sinceStart(), workers.behind());
  }

  /** @returns {LegCourse} how far the leg has come */
  course() {
    const { workers } = this;
    return {
      phases: workers.leg,
      atNs: workers.clock.sinceStart(),
      drainEndsNs: workers.isOver ? workers.endNs : null,
    };
  }
}

/** @type {(() => void) | null} */
let collector = null;

/**
 * Collects this process's garbage now. V8 would let the little garbage of each second grow for minutes: measured with
 * 2,000 connections, the client's memory rose by 15 MB a minute without this call and by 3 with it. A run reports the
 * client's memory, and the soak test finds leaks by its slope; both need it level.
 */
function forceGc() {
  if (collector === null) {
    setFlagsFromString('--expose-gc');
    collector = /** @type {() => void} */ (runInNewContext('gc'));
  }
  collector();
}
