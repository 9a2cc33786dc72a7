// Formats a leg's samples as a HdrHistogram log (.hlog, format 1.3), which other tools read, merge and plot.
// Each sample is an interval in seconds since the leg's start, tagged with its phase. Values are ns; Interval_Max,
// which readers only display, is in ms as usual.
// Format: HistogramLogWriter of https://github.com/HdrHistogram/HdrHistogram

/** @import { HistogramLine } from '../measure/histogram.js' */

/**
 * @typedef {{ phase: string, fromNs: number, toNs: number,
 *   histograms: Record<string, HistogramLine | null | undefined> }} Interval  the part of a sample that is formatted
 */

const NS_PER_SECOND = 1e9;
const NS_PER_MS = 1e6;

/** @param {number} ns @returns {string} */
const seconds = (ns) => (ns / NS_PER_SECOND).toFixed(3);

/**
 * @param {{ title: string, startMs: number }} about startMs: the leg's start, ms since the epoch
 * @returns {string} the header lines
 */
export const histogramLogHead = ({ title, startMs }) =>
  [
    `#[${title.replace(/[\r\n]+/g, ' ')}; values in ns]`,
    '#[Histogram log format version 1.3]',
    `#[StartTime: ${(startMs / 1000).toFixed(3)} (seconds since epoch), ${new Date(startMs).toISOString()}]`,
    `#[BaseTime: ${(startMs / 1000).toFixed(3)} (seconds since epoch)]`,
    '"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"',
    '',
  ].join('\n');

/**
 * @param {Interval} sample
 * @param {string} name of the histogram, such as responseTime
 * @returns {string | null} its line; null: the sample has no such histogram
 */
export function histogramLogLine({ phase, fromNs, toNs, histograms }, name) {
  const line = histograms[name];
  if (!line) return null;
  const span = `${seconds(fromNs)},${seconds(toNs - fromNs)}`;
  return `Tag=${phase},${span},${(line.max / NS_PER_MS).toFixed(3)},${line.hdr}\n`;
}
