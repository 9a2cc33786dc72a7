/** Shapes the report reads and makes. Read: samples.ndjson and summary.json; made: the chart model in the page. */

import type { ShownCase } from '../client/judge/value-of.js';
import type { Plan, PlannedLeg } from '../client/measure/settings.js';
import type { Scenario } from '../client/scenario/scenario.js';
import type { Environment } from '../client/store/environment.js';
import type { ConnectionField, Density, Figures, LegSummary, RunSummary, Sample, Step } from '../config/types.js';
export type { Sample };

export type RampStep = Step;
/** One leg as the report reads it. summary is null when the leg never began. */
export interface Leg {
  id: string;
  label: string;
  /** Of its case: without the round. */
  caseLabel?: string;
  index: number;
  samples: Sample[];
  /** Of its transfers; null: no log of them was converted, or it took turns with others. */
  density: Density | null;
  /** What became of its connections; null: no log of its transfers was converted. */
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
  unreadable: string[];
}
/** Something the page says: code and tests use code and data, people read text. */
export interface Remark {
  code: string;
  data: Record<string, any>;
  text: string;
}
/** What the page knows of a leg, or of a case with several rounds. */
export interface PageLeg {
  /** Of a case: of the leg that stands for it in the charts over time. */
  id: string;
  /** With the round, where there are several. */
  label: string;
  /** Of its case: the same in each round. */
  caseLabel: string;
  index: number;
  /** Its place among the colours. */
  colour: number;
  /**
   * As the run wrote it: of a case, the summary of the leg that served the fewest connections; of a leg that never
   * began, what the plan says of it.
   */
  summary: Partial<LegSummary> & Pick<LegSummary, 'axes' | 'round' | 'complete' | 'warnings'>;
  /** What its figures are read from: the leg, or all legs of a case. */
  shown: ShownCase;
  /** Of the summary: those of the span that rates and response times cover. */
  figures?: Figures;
  /** Whether it left samples, and so counts of them. */
  ran: boolean;
  planned: PlannedLeg | null;
  /** What of the scenario holds in this leg; empty where that is not known. */
  settings: Partial<Scenario>;
  workload: string;
  /** Whether it is a closed loop. */
  closed: boolean;
  /** The steady state has no length where it was not reached. */
  phases: { warmupFromNs?: number; steadyFromNs: number; steadyToNs: number; endNs: number };
  /** What of the leg is missing. */
  missing: Remark[];
  /** What the plan says of limits that this leg's server will meet; code: of the limit. */
  ceilings: Array<{ code?: string; text: string }>;
  saturation: Saturation | null;
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

/** n: a count; of a single transfer, n is its connection. */
export type Point = [x: number, y: number | null, n?: number, status?: number];
export interface Dataset {
  role: string;
  label: string;
  points: Point[];
  cause?: string;
  total?: number;
  end?: string;
  /** Of a heat map: rows for each doubling (row 0 begins at 1 ns); the greatest count; of each point its column's width in s, and of what was answered, and failed, the first row with any and counts from there on. */
  heat?: { perDoubling: number; most: number; widths: number[]; columns: number[][]; failed: number[][] };
  /** Points, by their places, of legs that served only some of their connections. */
  hollow?: number[];
  /** Likewise of those while which other programs used the machine. */
  disturbed?: number[];
  /** Its place among the colours; left out: that of the leg of its panel. */
  color?: number;
  /** Its place among the dashes and marks; left out: that of its colour. */
  mark?: number;
  /** Of each point the 95 % interval over rounds; null where there is none. */
  intervals?: Array<[number, number] | null>;
  /** Each value holds since the point before. */
  isStepped?: true;
  /** Of bars: what they take of the distance between two places; left out: all of it. */
  share?: number;
  /** Points at the same place are drawn side by side, over so much of the x axis. */
  spread?: number;
}
export interface Panel {
  /** Its place among the legs of the model; null: of several, or of none of them. */
  leg: number | null;
  title?: string;
  note?: Remark;
  strong?: boolean;
  /** Why there is nothing to draw: it has no plot. */
  empty?: string;
  alt: string;
  datasets: Dataset[];
  phases?: boolean;
  gaps?: Array<[number, number]>;
  limits?: Array<[number, number, string]>;
  /** Of a track: what its longest gap is called. */
  gapLabel?: string;
  /** Beside a heat map, on its axis: the histogram of what is measured, in its rows, and values that are named. */
  side?: { title: string; counts: number[]; values: Array<{ label: string; at: number }> };
  /** Thin labelled lines across the figure: at a value of x, or of y. */
  marks?: Array<{ axis: 'x' | 'y'; at: number; label: string; color?: number; isFailure?: true }>;
  /** Of a chart whose panels are below one another on the same x axis: what differs from the chart. */
  kind?: Chart['kind'];
  y?: Axis;
  /** Words at its right; role: of a swatch. */
  aside?: { head: string; items: Array<{ label: string; role?: string }> };
  /** Below the x axis, from and to a value of it: an end that is missing is not known. */
  brackets?: Array<{ color: number; row: number; from?: number; to?: number }>;
}
/** A leg that is drawn over time; times in s from its start. */
export interface ChartLeg {
  id: string;
  label: string;
  color: number;
  /** The ramp ends. */
  ramp: number;
  /** The warm-up ends. */
  warm: number;
  steady: number;
  end: number;
}
/** What a page draws. */
export interface ChartModel {
  legs: ChartLeg[];
  charts: Chart[];
}
/** The connections of a leg at the end of a span of time; times in ns since its start. */
export interface FieldState {
  fromNs: number;
  toNs: number;
  requested: number;
  /** Those that got a reply in the span or before it, and have not failed since. */
  answered: number;
  /** As of config/schema/connections.json. */
  cells: string;
}
/** What became of every connection of a server. */
export interface PageField {
  label: string;
  colour: number;
  connections: number;
  /** Connections a cell. */
  each: number;
  states: FieldState[];
  /** Of each cell, about how many replies a connection got in the steady state. */
  totals?: number[];
  /** What is said of a square in a fate that differs from leg to leg. */
  words: { unanswered: string; unasked: string };
  /** Whether what is not in the log is not known. */
  isUnknown: boolean;
  answered: string;
  isShort: boolean;
  replies: string | null;
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
  unit: string;
  min?: number;
  max?: number;
  /** Places of the ticks, as far as there is room; left out: round values. */
  ticks?: number[];
  title?: string;
  /** Another chart below has the same. */
  isHidden?: true;
}
export interface Chart {
  id: string;
  title: string;
  lead: string;
  x: Axis;
  y: Axis;
  kind: 'line' | 'bar';
  legend: Array<{ role: string; label: string; cause?: string }>;
  panels: Panel[];
  /** What the lead says in words, where it differs from run to run. */
  data?: Record<string, any>;
  /** Why there is nothing to draw. */
  empty?: Remark;
  /** Which legs are drawn, where some are left out. */
  leftOut?: Remark;
  /**
   * main: at the top of the page; track: above these, of one server, below one another on one time axis; absent: in its
   * part of the page.
   */
  section?: 'main' | 'track';
  part?: 'sweep' | 'limits' | 'time' | 'times' | 'failures' | 'machine';
  /** Whether the values at a place lie on one another, as bars always do. */
  isStacked?: true;
  /** Lines, and marks across, are named at their right end instead of in a legend. */
  endLabels?: true;
}
