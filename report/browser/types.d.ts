/** Types of the page's script: the chart model, and the part of chart.js that it uses. */

import type {
  Axis,
  Chart,
  ChartLeg,
  ChartModel,
  Dataset,
  FlameGraph,
  Frame,
  PageField,
  Panel,
  Point,
  Role,
  Unit,
} from '../types.js';
import type { Palette } from '../model/palette.js';

export type { Axis, ChartLeg, ChartModel, Dataset, FlameGraph, Frame, PageField, Panel, Palette, Point, Role, Unit };
/** A chart of the model; the page has chart.js as `Chart`. */
export type ModelChart = Chart;
export type Mark = NonNullable<Panel['marks']>[number];
export type ColouredMark = Mark & { colour: string };

/** A point; connection, status: of a single transfer. */
export interface DrawnPoint {
  x: number;
  y: number;
  n?: number;
  connection?: number;
  status?: number;
}
/** chart.js options for the look of a role. */
export interface Look {
  showLine?: boolean;
  borderColor?: string;
  borderWidth?: number;
  borderDash?: number[];
  backgroundColor?: string;
  fill?: string;
  stepped?: 'after' | false;
  order?: number;
  stack?: string;
  inflateAmount?: number;
  barThickness?: string;
  categoryPercentage?: number;
  barPercentage?: number;
  pointRadius?: number | ((context: PointContext) => number);
  pointStyle?: string;
  pointBorderWidth?: number | ((context: PointContext) => number);
  pointHoverRadius?: number;
  pointBackgroundColor?: (context: PointContext) => string;
}
export interface DrawnDataset
  extends
    Omit<Look, 'borderColor' | 'backgroundColor'>,
    Pick<
      Dataset,
      'label' | 'role' | 'cause' | 'total' | 'hollow' | 'disturbed' | 'intervals' | 'heat' | 'share' | 'spread'
    > {
  borderColor: string;
  backgroundColor: string;
  endMark?: string;
  data: DrawnPoint[];
  clip: number | { left: number; right: number; top: number; bottom: number };
}
/** n: the number of transfers of each point. */
export type CountedDataset = Omit<DrawnDataset, 'data'> & { data: (DrawnPoint & { n: number })[] };
export type HeatDataset = CountedDataset & { heat: NonNullable<Dataset['heat']> };
export interface PointContext {
  dataset: DrawnDataset;
  dataIndex: number;
}
/** A point or bar on the canvas, px. */
export interface DrawnElement {
  x: number;
  y: number;
  base: number;
  width: number;
  skip?: boolean;
}
export interface DrawnMeta {
  index: number;
  data: DrawnElement[];
}
/** A point of a dataset that is under the pointer. */
export interface Item {
  element: DrawnElement;
  datasetIndex: number;
  index: number;
}
/** An item of a tooltip. */
export interface TooltipItem {
  chart: Drawn;
  element: DrawnElement;
  dataset: DrawnDataset;
  dataIndex: number;
  raw: DrawnPoint;
}
/** The tooltip model of chart.js. */
export interface Tooltip {
  opacity: number;
  title: string[];
  body: { lines: string[] }[];
  dataPoints: TooltipItem[];
  caretX: number;
  caretY: number;
}
export interface DrawnScale {
  chart: { width: number };
  /** The chart's width without its padding, px. */
  maxWidth: number;
  type: string;
  min: number;
  max: number;
  ticks: { value: number }[];
  getPixelForValue(value: number): number;
  getValueForPixel(pixel: number): number;
}
/** Options of the page's plugins. */
export interface PluginOptions {
  /** isFirst: the row shows the names of the phases. */
  phases: { phases: ChartLeg | null; isFirst: boolean; theme: Palette };
  gaps: { gaps?: Panel['gaps']; theme: Palette };
  marks: { marks: ColouredMark[]; atEnd?: boolean };
  ends: { isOn?: boolean };
  brackets: { brackets: (NonNullable<Panel['brackets']>[number] & { colour: string })[] };
  limits: { limits?: Panel['limits']; theme: Palette; legColour: string };
  /** Empty unless the chart is a track. */
  tracks: Pick<Panel, 'gapLabel' | 'side'> & {
    phases: ChartLeg | null;
    gaps: NonNullable<Panel['gaps']>;
    perDoubling: number;
    theme: Palette;
  };
}
/** A chart on its canvas, made by chart.js. */
export interface Drawn {
  canvas: HTMLCanvasElement;
  ctx: CanvasRenderingContext2D;
  width: number;
  height: number;
  currentDevicePixelRatio: number;
  chartArea: { left: number; right: number; top: number; bottom: number };
  scales: { x: DrawnScale; y: DrawnScale };
  data: { datasets: DrawnDataset[] };
  options: { scales: Record<'x' | 'y', { min?: number; max?: number }>; plugins: PluginOptions };
  tooltip: { setActiveElements(items: Item[], at: { x: number; y: number }): void };
  /** y of the pointer, or of the values read with keys, px; set by the page. */
  pointerY?: number;
  getDatasetMeta(index: number): DrawnMeta;
  getSortedVisibleDatasetMetas(): DrawnMeta[];
  setActiveElements(items: Item[]): void;
  update(mode: 'none'): void;
  draw(): void;
  destroy(): void;
}
/** The default export of chart.js. Its options are made at run time from the model. */
export interface ChartClass {
  new (canvas: HTMLCanvasElement, config: object): Drawn;
  getChart(canvas: HTMLCanvasElement | string): Drawn | undefined;
  instances: Record<string, Drawn>;
  defaults: { font: { family: string } };
  Interaction: { modes: Record<string, (drawn: Drawn, event: { x: number; y: number }) => Item[]> };
}
