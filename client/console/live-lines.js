// The live lines of a run, and the header above them. A line covers a leg, or a server that takes turns, for one or a
// few seconds, with a column for each figure that has `live`. On a narrow terminal columns are left out by rank:
// failures last, and the name of one of several servers never.

import { cellText, isAbove, markOf } from '../judge/figure-values.js';
import { figures, LIVE_LINES } from '../judge/figures.js';
import { clock, compactCount, count, duration, NOT_MEASURED } from '../words/format.js';
import { pad } from './terminal-text.js';
import { fitting, headLines, joined } from './text-table.js';

/**
 * @import { Sample } from '../../config/types.js'
 * @import { Figure, Need, Value } from '../judge/figures.js'
 * @import { Style, Tone } from './terminal-text.js'
 */

/**
 * @typedef {{ seconds: number, leg: string, sample: Sample }} Row  seconds since the start of the run's first leg
 * @typedef {{ features?: ReadonlySet<Need>, areMany?: boolean, nameWidth?: number }} Shape  features: of the run;
 *   areMany: there are several legs, so each line has a name; nameWidth: of the longest name
 * @typedef {{ title: string, group: string, width: number, rank: number, left?: boolean, text: (row: Row) => string,
 *   tone: (row: Row) => Tone | null, needs?: Need }} Column  rank: the lowest is left out last on a narrow terminal;
 *   needs: only runs that have it have the column
 */

/** Longer names of legs are cut in their middle. */
export const LEG_WIDTH = 14;
/** Width of a time of an hour, or of ten minutes with tenths. */
export const TIME_WIDTH = 7;
/** A shorter sample has no rates. */
const SHORTEST_RATE_NS = 250e6;
/** Needs of columns that are left out if a run lacks them. @type {readonly Need[]} */
const OPTIONAL = ['open loop', 'kinds of replies'];
/** The order of the groups of columns. */
const GROUPS = ['connections', 'transfers', 'open loop', 'failures', 'CPU'];

/** @type {Record<string, Tone>} */
const phaseTones = { ramp: 'cyan', steady: 'green', drain: 'yellow' };
/** @type {Record<NonNullable<Figure['mark']>, Tone>} */
const MARK_TONES = { bad: 'red', warning: 'yellow' };

/** @param {Figure} figure @param {Value} value @param {number} width @returns {string} */
function valueText({ unit }, value, width) {
  // the column is too narrow for more digits
  if (isAbove(value) && value.above > 0) return `>${duration(value.above, 2)}`;
  if (typeof value !== 'number') return cellText({ unit }, value);
  if (unit === 'rate') return compactCount(value);
  if (unit !== 'count') return cellText({ unit }, value);
  return count(value).length > width ? compactCount(value) : count(value);
}

/**
 * @param {string} text of a number with decimals, perhaps after a sign
 * @param {number} width
 * @returns {string} with as many decimals as there is room for
 */
function fitted(text, width) {
  const [, sign = '', number = ''] = /^([^\d]?)(\d+\.\d+)$/.exec(text) ?? [];
  if (number === '' || text.length <= width) return text;
  const room = width - sign.length;
  const short = Number(number).toFixed(Math.max(0, room - number.indexOf('.') - 1));
  return Number(short) > 0 ? `${sign}${short}` : `${sign}<${10 ** (3 - room)}`;
}

/**
 * @param {Figure} figure
 * @param {Sample} sample
 * @returns {boolean} whether the sample is too short for a figure of that unit
 */
const isTooShort = ({ unit }, { fromNs, toNs }) =>
  ['rate', 'throughput', 'cpu'].includes(unit) && toNs - fromNs < SHORTEST_RATE_NS;

/** @param {Figure} figure @param {Sample} sample @returns {Tone | null} */
function toneOf(figure, { limitedBy, ...sample }) {
  const value = figure.ofSample?.({ limitedBy, ...sample });
  // on few cores the machine is usually the limit: no reason for a colour
  if (figure.unit === 'side') return value === 'client' || value === 'server' ? 'yellow' : 'dim';
  if (figure.unit === 'cpu') return limitedBy === figure.group ? 'yellow' : null;
  const mark = markOf(figure, value);
  if (mark) return MARK_TONES[mark];
  return figure.mark ? 'dim' : figure.live?.isBold ? 'bold' : null;
}

/** @param {Figure} figure @returns {Column[]} one; empty if the live lines do not show the figure */
function columnOf(figure) {
  const { name, title = name, column = title, group, unit, live, needs } = figure;
  if (live === undefined) return [];
  return [
    {
      ...{ title: live.title ?? column, group: live.group ?? group, width: live.width, rank: LIVE_LINES.indexOf(name) },
      ...(needs && OPTIONAL.includes(needs) ? { needs } : {}),
      ...(unit === 'side' ? { left: true } : {}),
      text: ({ sample }) =>
        isTooShort(figure, sample)
          ? NOT_MEASURED
          : fitted(live.text?.(sample) ?? valueText(figure, figure.ofSample?.(sample), live.width), live.width),
      tone: ({ sample }) => toneOf(figure, sample),
    },
  ];
}

/**
 * @param {string} title
 * @param {number} width
 * @param {number} rank
 * @param {Pick<Column, 'text' | 'tone'>} cells
 * @returns {Column} that identifies a line
 */
const head = (title, width, rank, cells) => ({ title, group: '', width, rank, left: rank !== -1, ...cells });

/** @param {number} seconds @returns {string} with tenths unless it is a whole second */
export function clockText(seconds) {
  const tenths = Math.round(10 * seconds);
  return `${clock(Math.floor(tenths / 10))}${tenths % 10 === 0 ? '' : `.${tenths % 10}`}`;
}

/** @param {Shape} shape @returns {Column[]} with several servers, the name comes first and is always kept */
function headColumns({ areMany = false, nameWidth = LEG_WIDTH }) {
  const time = head('time', TIME_WIDTH, -1, { text: ({ seconds }) => clockText(seconds), tone: () => 'dim' });
  const width = Math.min(LEG_WIDTH, Math.max(nameWidth, 'server'.length));
  const server = head('server', width, areMany ? -0.5 : LIVE_LINES.length, {
    text: ({ leg }) => leg,
    tone: () => null,
  });
  const phase = head('phase', 6, LIVE_LINES.indexOf('unanswered') + 0.5, {
    text: ({ sample }) => sample.phase,
    tone: ({ sample }) => phaseTones[sample.phase] ?? null,
  });
  return areMany ? [server, time, phase] : [time, server, phase];
}

/** @type {readonly Column[]} */
const columns = Object.freeze(
  figures.flatMap(columnOf).sort((a, b) => GROUPS.indexOf(a.group) - GROUPS.indexOf(b.group)),
);

/**
 * @param {number} width characters of a line @param {Shape} shape
 * @returns {Column[]} columns that fit, by rank
 */
function columnsFor(width, { features = new Set(), ...shape }) {
  const offered = columns.filter(({ needs }) => needs === undefined || features.has(needs));
  return fitting([...headColumns(shape), ...offered], width);
}

/**
 * @param {number} width @param {Style} style @param {Shape} [shape]
 * @returns {string[]} a line of groups, a line of columns
 */
export const header = (width, style, shape = {}) => headLines(columnsFor(width, shape), style);

/**
 * @param {Row} row
 * @param {number} width
 * @param {Style} style
 * @param {Shape} [shape]
 * @returns {string}
 */
export function line(row, width, style, shape = {}) {
  const cells = columnsFor(width, shape).map((column) => {
    const tone = column.tone(row);
    return pad(column.text(row), column.width, column.left, (text) => (tone ? style(tone, text) : text));
  });
  return joined(cells);
}
