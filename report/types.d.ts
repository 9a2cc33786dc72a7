/** Shapes the report reads and makes. Read: samples.ndjson and summary.json; made: the chart model in the page. */

export type RampStep = import('../config/types.js').Step;
export type Ramp = import('../client/words/knee.js').Ramp;
export type Sample = import('../config/types.js').Sample;
export type Percentiles = import('../config/types.js').Times;
/** An engine thread: shares of its time on a core, and ready but waiting for one. */
export type Engine = import('../config/types.js').Figures['client']['engines'][number];
/** One leg as the report reads it. summary is null when the leg never began. */
export interface Leg {
  id: string;
  label: string;
  /** Of its case: without the round. */
  caseLabel?: string;
  index: number;
  samples: Sample[];
  cutLines: number;
  summary: import('../config/types.js').LegSummary | null;
  planned: import('../client/plan/plan.js').Leg | null;
}
export interface Run {
  id: string;
  folder: string;
  summary: import('../config/types.js').RunSummary;
  plan: import('../client/plan/plan.js').Plan | null;
  scenario: import('../client/scenario/scenario.js').Scenario | null;
  environment: Record<string, any> | null;
  legs: Leg[];
  unreadable: string[];
}
/** Of the server's manifest. */
export type ServerModel = NonNullable<import('../config/types.js').LegSummary['serverModel']>;
/** Something the page says: code and tests use code and data, people read text. */
export interface Remark {
  code: string;
  data: Record<string, any>;
  text: string;
}
/** What is known of one leg, each figure absent when it was not measured. Percentiles of the steady state when there was one. */
export interface LegResults {
  id: string;
  label: string;
  index: number;
  /** Its place among the colours, dashes and marks that tell legs apart. */
  colour: number;
  /** Its place among the dashes and marks; differs from the colour where legs of one server are drawn together. */
  mark: number;
  /** Of its case: the same in each round. */
  caseLabel: string;
  /** Of a case: how many rounds its figures are the medians of, and their 95 % intervals. */
  rounds?: number;
  intervals?: Record<string, [number, number]>;
  /** Whether the charts show it before a reader has chosen. */
  drawn: boolean;
  /** Its place in a list of all legs. */
  place: number;
  /** Of a server with several: as in the leg's summary. */
  instances?: import('../config/types.js').Instance[];
  /** Of a run over several hosts: as in the leg's summary. */
  agents?: import('../config/types.js').Agent[];
  /** Of a test or a sweep: the server's label, and what tells the leg from its others. */
  series?: string;
  axes?: import('../config/types.js').Axes;
  /** Name of the scenario's test that it belongs to. */
  test?: string;
  /** Context switches of the server's threads, a second; absent where they are not known. */
  switches?: { voluntary: number; involuntary: number };
  /** False where connections close for good at the end of their lifetime. */
  reopens?: boolean;
  /** Of a request. */
  payloadBytes?: number;
  /** Where each request draws its size from here to payloadBytes. */
  payloadMinBytes?: number | null;
  /** Of the scenario, ns; absent where that is not known. */
  connectTimeoutNs?: number;
  serverModel?: ServerModel;
  ran: boolean;
  complete: boolean;
  endedBy: string;
  message?: string;
  /** What of the leg is missing. */
  missing: Remark[];
  round: number;
  startNs: number;
  /** Absent without a warm-up. */
  warmupFromNs?: number;
  steadyFromNs: number;
  steadyToNs: number;
  endNs: number;
  requested?: number;
  /** Whether the number of connections follows a profile: then requested and open are those at its end. */
  followsProfile: boolean;
  /** The most that were requested at a time; the same as requested, unless it follows a profile. */
  peakRequested?: number;
  open?: number;
  peakOpen?: number;
  opened?: number;
  reopened?: number;
  lost?: number;
  /** Open connections lost because a worker of the client died; neither lost nor an error. */
  lostWithWorker: number;
  unanswered?: number;
  neverAnswered?: number;
  /** What became of each connection requested; absent where that was not recorded. */
  account?: import('../client/measure/account.js').Account;
  /** Whether fewer connections were open than requested. */
  heldTooFew: boolean;
  /** Connections that were left without a reply. */
  leftUnserved?: number;
  /** In words, if so many were left without a reply that response times say little. */
  servedOnlySome?: string;
  /** In words, of a server that serves fewer connections at once than were requested. */
  fewPlaces?: string;
  attempts?: number;
  rejected?: number;
  abandoned?: number;
  rejects: Record<string, number>;
  errors: Record<string, number>;
  rejectsTotal?: number;
  /** Whole replies by their kind, such as 2xx. */
  statuses: Record<string, number>;
  /** Of them those in the span of response times. */
  replies: Record<string, number>;
  errorsTotal?: number;
  transfers?: number;
  failed?: number;
  unfinished?: number;
  bytesSent?: number;
  bytesReceived?: number;
  /** The span of response times and rates, in words. */
  covers: 'steady state' | 'warm-up' | 'ramp' | 'whole leg';
  seconds: number;
  perSecond?: number;
  bytesPerSecond?: number;
  bytesSentPerSecond?: number;
  /** Whether what was sent tells more than what came back. */
  sendsMore: boolean;
  /** Whether transfers have no replies. */
  oneWay: boolean;
  response?: Percentiles;
  /** Open loop: from when a request was sent; response: from when it was due. */
  service?: Percentiles;
  timestamps?: import('../client/measure/timestamps.js').Timestamps;
  due?: number;
  late?: number;
  /** Whether so many requests were sent late that it matters. */
  manyLate?: boolean;
  /** Whether the p99 response time is mostly waiting for a free connection. */
  lateness?: boolean;
  unsent?: number;
  connect?: Percentiles;
  /** Over TLS, after the connect. */
  handshake?: Percentiles;
  /** ... of connections that resumed a session; handshake has the others. */
  resumption?: Percentiles;
  recovery?: Percentiles;
  perConnection?: { min: number; p1: number; p50: number; max: number };
  failedShare: number;
  clientCpuSeconds?: number;
  /** The part of it spent on idle polling (busyPoll). */
  idlePollSeconds?: number;
  serverCpuSeconds?: number;
  clientRss?: number;
  serverRss?: number;
  serverThreads?: number;
  serverProcesses?: number;
  limitedBy?: string;
  logRows?: number;
  logMissing?: number;
  kernel: Record<string, number>;
  serverKernel?: Record<string, number>;
  ramp?: Ramp;
  limits?: Record<string, number>;
  engines?: Engine[];
  processCpu?: number[];
  /** Business work of each request, as the scenario has it: 5ms-10ms. */
  work?: string;
  /** The number of processes given to the server; if more than one, a further process starts and supervises them. */
  plannedProcesses?: number;
  connectSteps?: Array<{ retry: number; atNs: number; connections: number }>;
  rtt?: Percentiles;
  tcp?: { sampled: number; retransmitted: number };
  opensPerSecond?: number;
  attemptsPerSecond?: number;
  /** What the plan says of limits that this leg's server will meet; code: of the limit. */
  ceilings: Array<{ code?: string; text: string }>;
  warnings: import('../client/words/warnings.js').Warning[];
  /** In how many of its rounds other programs used the machine; of a leg 0 or 1. */
  disturbed: number;
  saturation: Saturation | null;
  closed: boolean;
  pauseNs: number;
  /** Whether connections are closed and reopened as planned all the time. */
  churns: boolean;
  pipeline: number;
  workload: string;
  /** Whether connections were only held, without requests. */
  heldOnly: boolean;
}
export interface Saturation extends Remark {
  code: 'saturated' | 'differs' | NotSaturated;
  data: {
    /** The connections over the throughput. */
    quotientNs: number;
    /** Whether those are all open ones, or only those that were answered. */
    of: 'open' | 'answered';
    connections: number;
    p50Ns: number;
  };
}
/** Why the quotient agrees with p50 although the leg was not saturated. */
export type NotSaturated =
  'server-work' | 'client-limit' | 'no-limit' | 'background-load' | 'server-unknown' | 'server-idle';

export type Point = [x: number, y: number | null, n?: number];
export interface Dataset {
  role: string;
  label: string;
  points: Array<any>;
  leg?: number;
  cause?: string;
  total?: number;
  end?: string;
  /** Of a heat map: rows for a factor of ten (row 0 begins at 1 ns); of each point its column's width in s, its first row with any, and counts from there on. */
  heat?: { perDecade: number; widths: number[]; columns: number[][] };
  /** Points, by their places, of legs that served only some of their connections. */
  hollow?: number[];
  /** Likewise of those while which other programs used the machine. */
  disturbed?: number[];
  /** Of a line whose points are of several legs: its place among the colours, dashes and marks, instead of its leg's. */
  color?: number;
  /** Of each point the 95 % interval over rounds; null where there is none. */
  intervals?: Array<[number, number] | null>;
}
export interface Panel {
  leg: number | null;
  title?: string;
  note?: Remark;
  strong?: boolean;
  /** How much of it happened: the legs with the most are shown whatever a reader has chosen. */
  amount?: number;
  /** Shown whatever a reader has chosen. */
  own?: boolean;
  empty?: string;
  alt: string;
  datasets: Dataset[];
  x?: any;
  y?: any;
  phases?: boolean;
  gaps?: Array<[number, number]>;
  limits?: Array<[number, number, string]>;
  cores?: number;
  /** Thin labelled lines across the figure: at a value of x, or of y. */
  marks?: Array<{ axis: 'x' | 'y'; at: number; label: string; leg?: number }>;
}
export interface Axis {
  type: 'linear' | 'log' | 'percentile' | 'time' | 'share';
  unit: string;
  min?: number;
  max?: number;
  /** Places of the ticks, as far as there is room; left out: round values. */
  ticks?: number[];
  title?: string;
}
export interface Chart {
  id: string;
  title: string;
  lead: string;
  layout: 'panels' | 'overlay';
  x: Axis;
  y: Axis;
  kind: 'line' | 'bar';
  legend: Array<{ role: string; label: string; cause?: string; leg?: number }>;
  panels: Panel[];
  /** What the lead says in words, where it differs from run to run. */
  data?: Record<string, any>;
  /** Why there is nothing to draw. */
  empty?: Remark;
  small?: boolean;
  section?: string;
  /** It is beside the answer, and not among the others of its section. */
  picture?: boolean;
  /** So few legs have any of it that all of them are shown, whatever a reader has chosen. */
  own?: boolean;
  /** Of a section whose charts share a legend: this one has other lines, and its own legend. */
  ownLines?: true;
}
