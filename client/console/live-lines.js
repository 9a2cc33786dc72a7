// The live lines of a run: one line per second, its columns as a table of rows, and the header above them. Pure.
// The one thing to know: on a narrow terminal the columns of the highest rank are left out.

import { clock, compactCount, count, duration, megabytes, NOT_MEASURED, wholePercent } from '../words/format.js';
import { sendsMore } from '../measure/leg-figures.js';
import { shortReplies } from '../words/replies.js';
import { pad } from './terminal-text.js';

/**
 * @typedef {import('../measure/sample.js').Sample} Sample
 * @typedef {import('./terminal-text.js').Tone} Tone
 * @typedef {import('./terminal-text.js').Style} Style
 * @typedef {{ seconds: number, leg: string, sample: Sample, unanswered: number }} Row  seconds since the start of the
 *   leg; unanswered: those that had the time for an answer
 * @typedef {{ name: string, group: string, width: number, rank: number, left?: boolean, text: (row: Row) => string,
 *   tone?: (row: Row) => Tone | null, only?: keyof Features }} Column  rank: the lower, the longer it is kept on a
 *   narrow terminal; only: a run without that has no such column
 * @typedef {{ openLoop?: boolean, kinds?: boolean, polls?: boolean }} Features  of a run: its requests are due by a
 *   rate; its replies have kinds; its engines poll before they sleep (busyPoll)
 */

const gap = 2;
/** Longer names of legs are cut in the lines, in their middle. */
export const LEG_WIDTH = 14;
const shortestRateNs = 250e6;

/** @param {Row} row @param {number} count @param {(n: number) => string} text */
function perSecond({ sample: { fromNs, toNs } }, count, text) {
  const ns = toNs - fromNs;
  return ns < shortestRateNs ? NOT_MEASURED : text((count * 1e9) / ns);
}

/** @param {Row} row @returns {string} received, or what was sent where that tells more */
function bytesPerSecond(row) {
  const { bytesSent, bytesReceived } = row.sample.counters;
  if (!sendsMore(bytesSent, bytesReceived)) return perSecond(row, bytesReceived, megabytes);
  return perSecond(row, bytesSent, (bytes) => `↑${megabytes(bytes)}`);
}

/** @param {Row} row @param {'p50' | 'p99'} name */
function responseTime({ sample }, name) {
  const line = sample.histograms.responseTime;
  return line ? duration(line[name]) : NOT_MEASURED;
}

/** @param {Record<string, number>} causes */
const total = (causes) => Object.values(causes).reduce((sum, n) => sum + n, 0);

/** Attempts in progress, and those whose turn has not come under connectRate. @param {Sample} sample */
const toBeOpened = ({ gauges }) => gauges.connecting + gauges.queued;

/** @type {Record<string, Tone>} */
const phaseTones = { ramp: 'cyan', steady: 'green', drain: 'yellow' };

/** @type {readonly Column[]} */
export const columns = Object.freeze(
  /** @type {Column[]} */ ([
    { name: 'time', group: '', width: 5, rank: 0, text: ({ seconds }) => clock(seconds), tone: () => 'dim' },
    { name: 'leg', group: '', width: LEG_WIDTH, rank: 15, left: true, text: ({ leg }) => leg },
    {
      name: 'phase',
      group: '',
      width: 6,
      rank: 2.5,
      left: true,
      text: ({ sample }) => sample.phase,
      tone: ({ sample }) => phaseTones[sample.phase],
    },
    {
      name: 'connecting',
      group: 'connections',
      width: 10,
      rank: 10,
      text: ({ sample }) => count(toBeOpened(sample)),
      tone: ({ sample }) => (toBeOpened(sample) > 0 ? null : 'dim'),
    },
    {
      name: 'open',
      group: 'connections',
      width: 6,
      rank: 1,
      text: ({ sample }) => count(sample.gauges.open),
      tone: () => 'bold',
    },
    {
      name: 'unanswered',
      group: 'connections',
      width: 10,
      rank: 6,
      text: ({ unanswered }) => count(unanswered),
      tone: ({ unanswered }) => (unanswered > 0 ? 'yellow' : 'dim'),
    },
    {
      name: 'requested',
      group: 'connections',
      width: 9,
      rank: 7,
      text: ({ sample }) => count(sample.gauges.requested),
    },
    {
      name: '/s',
      group: 'transfers',
      width: 7,
      rank: 2,
      text: (row) => perSecond(row, row.sample.counters.transfers, compactCount),
      tone: () => 'bold',
    },
    { name: 'MB/s', group: 'transfers', width: 6, rank: 11, text: bytesPerSecond },
    { name: 'p50', group: 'transfers', width: 7, rank: 3, text: (row) => responseTime(row, 'p50') },
    { name: 'p99', group: 'transfers', width: 7, rank: 3, text: (row) => responseTime(row, 'p99') },
    {
      name: 'replies',
      group: 'transfers',
      width: 11,
      rank: 3.4,
      only: 'kinds',
      text: ({ sample }) => shortReplies(sample.statuses)?.text ?? NOT_MEASURED,
      tone: ({ sample }) => (shortReplies(sample.statuses)?.unwanted ? 'red' : null),
    },
    {
      name: 'due/s',
      group: 'open loop',
      width: 7,
      rank: 8,
      only: 'openLoop',
      text: (row) => perSecond(row, row.sample.counters.due, compactCount),
    },
    {
      name: 'late',
      group: 'open loop',
      width: 6,
      rank: 3.6,
      only: 'openLoop',
      text: ({ sample }) => compactCount(sample.counters.late),
      tone: ({ sample }) => (sample.counters.late > 0 ? 'yellow' : 'dim'),
    },
    {
      name: 'waiting',
      group: 'open loop',
      width: 7,
      rank: 3.5,
      only: 'openLoop',
      text: ({ sample }) => compactCount(sample.gauges.waiting),
      tone: ({ sample }) => (sample.gauges.waiting > 0 ? 'yellow' : 'dim'),
    },
    {
      name: 'rejects',
      group: ' ',
      width: 7,
      rank: 4,
      text: ({ sample }) => compactCount(total(sample.rejects)),
      tone: ({ sample }) => (total(sample.rejects) > 0 ? 'red' : 'dim'),
    },
    {
      name: 'errors',
      group: ' ',
      width: 6,
      rank: 5,
      text: ({ sample }) => compactCount(total(sample.errors)),
      tone: ({ sample }) => (total(sample.errors) > 0 ? 'red' : 'dim'),
    },
    {
      name: 'back-off',
      group: ' ',
      width: 8,
      rank: 12,
      text: ({ sample }) => count(sample.gauges.backingOff),
      tone: ({ sample }) => (sample.gauges.backingOff > 0 ? 'yellow' : 'dim'),
    },
    {
      name: 'client',
      group: 'CPU',
      width: 6,
      rank: 14,
      text: (row) => perSecond(row, row.sample.client.cpuSeconds, wholePercent),
      tone: ({ sample }) => (sample.limitedBy === 'client' ? 'yellow' : null),
    },
    {
      name: 'polled',
      group: 'CPU',
      width: 6,
      rank: 13.5,
      only: 'polls',
      text: (row) => perSecond(row, row.sample.client.idlePollSeconds ?? 0, wholePercent),
    },
    {
      name: 'server',
      group: 'CPU',
      width: 6,
      rank: 13,
      text: (row) => (row.sample.server ? perSecond(row, row.sample.server.cpuSeconds, wholePercent) : NOT_MEASURED),
      tone: ({ sample }) => (sample.limitedBy === 'server' ? 'yellow' : null),
    },
    {
      name: 'limit',
      group: 'CPU',
      width: 7,
      rank: 14.5,
      left: true,
      text: ({ sample: { limitedBy } }) => (limitedBy === 'none' ? '-' : limitedBy),
      // on few cores the machine is the usual limit, and no alarm
      tone: ({ sample: { limitedBy } }) => (limitedBy === 'client' || limitedBy === 'server' ? 'yellow' : 'dim'),
    },
  ]),
);

/**
 * @param {number} width characters of a line @param {Features} [features]
 * @returns {Column[]} those that fit, by rank
 */
export function columnsFor(width, features = {}) {
  const offered = columns.filter(({ only }) => only === undefined || features[only]);
  let left = width + gap;
  const shown = new Set();
  for (const column of [...offered].sort((a, b) => a.rank - b.rank)) {
    if (shown.size > 0 && column.width + gap > left) continue;
    left -= column.width + gap;
    shown.add(column);
  }
  return columns.filter((column) => shown.has(column));
}

/**
 * @param {number} width @param {Style} style @param {Features} [features]
 * @returns {string[]} two lines: the groups, the columns
 */
export function header(width, style, features) {
  const shown = columnsFor(width, features);
  /** @type {{ group: string, width: number }[]} */
  const groups = [];
  for (const column of shown) {
    const before = groups.at(-1);
    if (before && before.group === column.group) before.width += gap + column.width;
    else groups.push({ group: column.group, width: column.width });
  }
  const above = groups.map(({ group, width: wide }) => {
    if (group.trim() === '') return ' '.repeat(wide);
    // half a word tells less than none: the column has its own name
    const title = group.length > wide ? '' : group;
    if (title === '') return ' '.repeat(wide);
    const rule = wide - title.length - 2;
    return rule < 2
      ? title.padStart(wide)
      : `${'─'.repeat(Math.floor(rule / 2))} ${title} ${'─'.repeat(Math.ceil(rule / 2))}`;
  });
  const names = shown.map((column) => pad(column.name, column.width, column.left));
  return [style('dim', above.join(' '.repeat(gap)).trimEnd()), style('bold', names.join(' '.repeat(gap)).trimEnd())];
}

/** @param {Row} row @param {number} width @param {Style} style @param {Features} [features] @returns {string} */
export function line(row, width, style, features) {
  return columnsFor(width, features)
    .map((column) => {
      const text = pad(column.text(row), column.width, column.left);
      const tone = column.tone?.(row);
      return tone ? style(tone, text) : text;
    })
    .join(' '.repeat(gap))
    .trimEnd();
}
