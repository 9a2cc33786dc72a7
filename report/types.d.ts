/** Types of the report: what it reads from a run folder, and the chart model of the page. */

import type { CallTree } from '../client/judge/explained/call-tree.js';
import type { ShownCase } from '../client/judge/value-of.js';
import type { Plan, PlannedLeg } from '../client/measure/settings.js';
import type { Scenario } from '../client/scenario/scenario.js';
import type { Environment } from '../client/store/environment.js';
import type { ConnectionField, Density, Figures, LegSummary, RunSummary, Sample, Step } from '../config/types.js';
export type { Sample };

export type RampStep = Step;
/** A leg as the report reads it. summary is null if the leg never began. */
export interface Leg {
  id: string;
  label: string;
  /** The label of its case, without the round. */
  caseLabel?: string;
  index: number;
  samples: Sample[];
  /** Null if no log of its transfers was converted, or it took turns with other legs. */
  density: Density | null;
  /** Null if no log of its transfers was converted. */
  connectionField: ConnectionField | null;
  cutLines: number;
  summary: LegSummary | null;
  planned: PlannedLeg | null;
}
export interface Run {
  id: string;
  folder: string;
  summary: RunSummary;
  plan: Plan | null;
  scenario: Scenario | null;
  environment: Partial<Environment> | null;
  legs: Leg[];
  /** Call trees of servers that were profiled; null or absent without them. */
  profiles?: ProfileTree[] | null;
  unreadable: string[];
}
/** A sentence of the page. Programs and tests use code and data, people read the text. */
export interface Remark {
  code: string;
  data: Record<string, any>;
  text: string;
}
/** The page's view of a leg, or of a case with several rounds. */
export interface PageLeg {
  /** Of a case: the id of the leg that charts over time show. */
  id: string;
  /** With the round if there are several. */
  label: string;
  /** The label of its case, the same in each round. */
  caseLabel: string;
  index: number;
  /** Place in the palette. */
  colour: number;
  /**
   * The leg's summary; of a case, that of the leg that served the fewest connections; for a leg that never began, made
   * from the plan.
   */
  summary: Partial<LegSummary> & Pick<LegSummary, 'axes' | 'round' | 'complete' | 'warnings'>;
  /** The source of its figures: the leg, or all legs of the case. */
  shown: ShownCase;
  /** The figures of the span that rates and response times cover. */
  figures?: Figures;
  /** Whether it has samples. */
  ran: boolean;
  planned: PlannedLeg | null;
  /** The leg's settings; empty if unknown. */
  settings: Partial<Scenario>;
  workload: string;
  /** Whether it is a closed loop. */
  closed: boolean;
  /** The steady state has no length if it was not reached. */
  phases: { warmupFromNs?: number; steadyFromNs: number; steadyToNs: number; endNs: number };
  /** The missing parts of the leg. */
  missing: Remark[];
  /** The limits that, according to the plan, this leg's server meets. */
  ceilings: Array<{ code?: string; text: string }>;
  saturation: Saturation | null;
}
export interface Saturation extends Remark {
  code: 'saturated' | 'differs' | NotSaturated;
  data: {
    /** Connections divided by throughput. */
    quotientNs: number;
    /** Which connections: all open ones, or only those with a reply. */
    of: 'open' | 'answered';
    connections: number;
    p50Ns: number;
  };
}
/** Why the quotient agrees with p50 although the leg was not saturated. */
export type NotSaturated =
  'server-work' | 'client-limit' | 'no-limit' | 'background-load' | 'server-unknown' | 'server-idle';

/** Ids of the charts. Links, `charts` of findings and tests name them. */
export type ChartId =
  | 'bytes'
  | 'connect'
  | 'connections'
  | 'cores'
  | 'cpu'
  | 'errors'
  | 'failures'
  | 'handshake'
  | 'heat'
  | 'kernel'
  | 'load'
  | 'memory'
  | 'opens'
  | 'percentiles'
  | 'ramp-cpu'
  | 'ramp-served'
  | 'ramp-throughput'
  | 'recovery'
  | 'rejects'
  | 'response'
  | 'response-by-size'
  | 'resumption'
  | 'rtt'
  | 'sent'
  | 'service'
  | 'steps'
  | 'time-parts'
  | 'transfers'
  | `search-${number}`
  | `sweep-${string}`;
/** How the values of an axis are written: a key of FORMATS in browser/scales.js. */
export type Unit =
  | 'bytes'
  | 'connections'
  | 'cores'
  | 'count'
  | 'duration'
  | 'payload'
  | 'percentile'
  | 'rate'
  | 's'
  | 'share'
  | 'throughput';
/** A state of connections, of which charts draw a stack. */
export type Fate = 'served' | 'idle' | 'unanswered' | 'connecting' | 'lost' | 'closed';
/** How a dataset is drawn: a key of LOOKS in browser/datasets.js. */
export type Role =
  | Fate
  | 'answered'
  | 'beyond'
  | 'cause'
  | 'client'
  | 'clientCores'
  | 'cloud'
  | 'connectionWait'
  | 'curve'
  | 'due'
  | 'event'
  | 'failed'
  | 'failures'
  | 'heat'
  | 'held'
  | 'knee'
  | 'leg'
  | 'line'
  | 'machine'
  | 'max'
  | 'mean'
  | 'missed'
  | 'networkAndServer'
  | 'otherCores'
  | 'p50'
  | 'p90'
  | 'p99'
  | 'pages'
  | 'receiveDelay'
  | 'requested'
  | 'second'
  | 'sendDelay'
  | 'server'
  | 'serverCores'
  | 'tail'
  | 'thin'
  | 'trend'
  | 'whole';
/** The classes of a swatch in browser/style/chart.css. */
export type SwatchRole = Role | `fate ${Fate}` | `heat-${number}` | `limit-${'client' | 'server' | 'machine'}`;

/** n: a count; for a single transfer, its connection. */
export type Point = [x: number, y: number | null, n?: number, status?: number];
export interface Dataset {
  role: Role;
  label: string;
  points: Point[];
  cause?: string;
  total?: number;
  end?: string;
  /**
   * Of a heat map. perDoubling: rows for each doubling (row 0 begins at 1 ns); largest: the largest count; widths: of each
   * point's column, s; columns, failed: for each point, the first row that is not empty, then the counts from it on.
   */
  heat?: { perDoubling: number; largest: number; widths: number[]; columns: number[][]; failed: number[][] };
  /** Indexes of the points of legs that served only some of their connections. */
  hollow?: number[];
  /** Indexes of the points during which other programs used the machine. */
  disturbed?: number[];
  /** Place in the palette; default: that of the panel's leg. */
  color?: number;
  /** Place among the dashes and marks; default: that of the colour. */
  mark?: number;
  /** The 95 % interval of each point over rounds; null if there is none. */
  intervals?: Array<[number, number] | null>;
  /** Whether each value holds since the previous point. */
  isStepped?: true;
  /** Width of bars, as a share of the distance between two places; default: 1. */
  share?: number;
  /** Width on the x axis over which points at the same place are drawn side by side. */
  spread?: number;
}
export interface Panel {
  /** Index of its leg in the model; null if it shows several legs, or none. */
  leg: number | null;
  title?: string;
  note?: Remark;
  strong?: boolean;
  /** Why the panel has no plot. */
  empty?: string;
  alt: string;
  datasets: Dataset[];
  phases?: boolean;
  gaps?: Array<[number, number]>;
  limits?: Array<[number, number, string]>;
  /** Label of the longest gap of a track. */
  gapLabel?: string;
  /** Beside a heat map, on its axis: the histogram of the measured span, by row, and labelled values. */
  side?: { title: string; counts: number[]; values: Array<{ label: string; at: number }> };
  /** Thin labelled lines across the plot, at a value of x or y. */
  marks?: Array<{ axis: 'x' | 'y'; at: number; label: string; color?: number; isFailure?: true }>;
  /** In a chart whose panels share an x axis: the kind and y axis of this panel. */
  kind?: Chart['kind'];
  y?: Axis;
  /** Text to the right of the plot; role: of a swatch. */
  aside?: { head: string; items: Array<{ label: string; role?: SwatchRole }> };
  /** Brackets below the x axis, between two values of it; an absent end is unknown. */
  brackets?: Array<{ color: number; row: number; from?: number; to?: number }>;
}
/** A leg that is drawn over time; times in s since its start. */
export interface ChartLeg {
  id: string;
  label: string;
  color: number;
  /** End of the ramp. */
  ramp: number;
  /** End of the warm-up. */
  warm: number;
  steady: number;
  end: number;
}
/** The charts of a page. */
export interface ChartModel {
  legs: ChartLeg[];
  charts: Chart[];
}
/** The connections of a leg at the end of a span of time; times in ns since its start. */
export interface FieldState {
  fromNs: number;
  toNs: number;
  requested: number;
  /** Connections that got a reply during or before the span, and have not failed since. */
  answered: number;
  /** As in config/schema/connections.json. */
  cells: string;
}
/** The states of all connections of a server. */
export interface PageField {
  label: string;
  colour: number;
  connections: number;
  /** Connections per cell. */
  each: number;
  states: FieldState[];
  /** Approximate replies per connection in the steady state, by cell. */
  totals?: number[];
  /** Texts for states whose meaning depends on the leg. */
  words: { unanswered: string; unasked: string };
  /** Whether the log misses transfers, so that connections without rows are unknown. */
  isUnknown: boolean;
  answered: string;
  isShort: boolean;
  replies: string | null;
  alt: string;
}
/** The call tree of a server, or of a server and that with which it is compared; as in profiles.json. */
export interface ProfileTree extends CallTree {
  case: string;
  against?: string;
}
/**
 * A function within what called it; x and width: its place, in ns of CPU time per request; tone: from -1 to 1, less or
 * more than on the other side; of one side, its own CPU time. ns: CPU time per request of each side, with what it calls.
 */
export type Frame = [index: number, depth: number, x: number, width: number, tone: number, ...ns: number[]];
/** A flame graph; its first frame is the whole. */
export interface FlameGraph {
  case: string;
  /** Labels of the server, and of that with which it is compared. */
  sides: string[];
  /** CPU time of a tone of 1, ns. */
  largest: number;
  /** Names, and names with places. */
  functions: string[][];
  /** In depth-first order. */
  frames: Frame[];
  alt: string;
}
/** net.ipv4.tcp_mem, in pages. */
export interface TcpMemory {
  pressure: number;
  high: number;
  pageBytes: number;
}
export interface Axis {
  type: 'linear' | 'log' | 'percentile' | 'time';
  unit: Unit;
  min?: number;
  max?: number;
  /** Values of the ticks, as far as there is room; default: round values. */
  ticks?: number[];
  title?: string;
  /** Hidden, since a chart below has the same axis. */
  isHidden?: true;
}
export interface Chart {
  id: ChartId;
  title: string;
  lead: string;
  x: Axis;
  y: Axis;
  kind: 'line' | 'bar';
  legend: Array<{ role: SwatchRole; label: string; cause?: string }>;
  panels: Panel[];
  /** Values that the lead states, for programs. */
  data?: Record<string, any>;
  /** Why the chart has no data. */
  empty?: Remark;
  /** Which legs are drawn, if some are left out. */
  leftOut?: Remark;
  /**
   * main: at the top of the page; track: at the top, on the common time axis of a single leg's tracks; absent: in its
   * part of the page.
   */
  section?: 'main' | 'track';
  part?: 'sweep' | 'limits' | 'time' | 'times' | 'failures' | 'machine';
  /** Whether values are stacked; bars always are. */
  isStacked?: true;
  /** Whether lines and horizontal marks have their names at their right end instead of in a legend. */
  endLabels?: true;
}
