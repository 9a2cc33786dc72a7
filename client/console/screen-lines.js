// The lines of the screen of a run, about 14 at the bottom of a terminal, redrawn each second: the progress of the run;
// a row for each server, or a few lines about the only one; and the latest events.

import { isMuch } from '../judge/disturbances.js';
import { isAbove } from '../judge/figure-values.js';
import { compactCount, count, duration, NOT_MEASURED, percent } from '../words/format.js';
import { fateBar, fateKey } from './fate-bar.js';
import { histogramLine } from './histogram-line.js';
import { courseBar, phaseText } from './run-course.js';
import { shortened, shortLabels } from './shorten-labels.js';
import { sparkline } from './sparkline.js';
import { lengthOf, pad, unstyled } from './terminal-text.js';
import { fitting, headLines, joined } from './text-table.js';

/**
 * @import { Value } from '../judge/figures.js'
 * @import { Histogram } from '../measure/histogram.js'
 * @import { Point, ShownServer } from './board.js'
 * @import { RunCourse } from './run-course.js'
 * @import { Style, Tone } from './terminal-text.js'
 */

/**
 * @typedef {object} Screen
 * @property {string} name  of the scenario
 * @property {RunCourse | null} course  null while nothing is measured
 * @property {string} [doing]  what the run does instead, or why no figures come
 * @property {boolean} mayEndEarlier
 * @property {{ requested: number, of: number } | null} ramp
 * @property {{ cores: number, of: number } | null} others  cores that other programs use
 * @property {ShownServer[]} servers
 * @property {Histogram} times  response times so far, for a run of one server
 * @property {string[]} events  the latest events
 * @property {string} foot  keys that can be typed, and the page
 */

/** Most lines of the screen. */
const MAX_LINES = 14;
/** Longest name of a server, in wide and in narrow terminals. */
const MAX_NAME = 24;
const NAME_WIDTH = 16;
const SHARE_WIDTH = 6;
const VALUE_WIDTH = 7;
/** Most seconds that a sparkline covers; a narrow one has several seconds in a character. */
const SPARK_S = 60;
const MARKED = /** @type {const} */ (['p50', 'p99']);

/** @param {Value} value a time @returns {string} */
const timeText = (value) =>
  isAbove(value) ? (value.above > 0 ? `>${duration(value.above, 2)}` : NOT_MEASURED) : duration(Number(value), 3);

/** @param {Value} value @returns {string} */
const rateText = (value) => (typeof value === 'number' ? compactCount(value) : NOT_MEASURED);

/** @param {ShownServer} server @returns {string} share of its connections that are served */
function servedShare({ account }) {
  if (account === undefined || account.requested === 0) return '';
  const share = account.served / account.requested;
  if (share === 1) return 'all';
  return share >= 0.01 ? `${Math.floor(share * 100)} %` : percent(share, 1);
}

/**
 * @param {Point[]} points of seconds @param {(point: Point) => number | undefined} valueIn
 * @param {number} width characters @param {number} [highest] value of the tallest character
 * @returns {string} the latest value to the right; a character has the mean of its seconds
 */
function sparkOf(points, valueIn, width, highest) {
  const [first, last] = [points[0]?.at ?? 0, points.at(-1)?.at ?? 0];
  const each = Math.max(1, Math.ceil(Math.min(SPARK_S, last - first + 1) / width));
  const end = Math.ceil(last / each);
  const values = Array.from({ length: width }, (_, i) => {
    const to = (end - width + 1 + i) * each;
    const secondValues = points.flatMap((point) =>
      point.at > to - each && point.at <= to ? (valueIn(point) ?? []) : [],
    );
    return secondValues.length === 0 ? undefined : secondValues.reduce((sum, n) => sum + n, 0) / secondValues.length;
  });
  return sparkline(values, highest);
}

/** @param {string | null} bar @returns {boolean} whether the bar has room; true without a bar */
const hasBar = (bar) => bar === null || /[━─]/.test(bar);

/** @param {Screen} screen @param {number} width @param {Style} style @returns {string} */
function firstLine({ name, course, doing, mayEndEarlier, ramp, others }, width, style) {
  const title = shortened(name, MAX_NAME);
  const climbed = course?.phase === 'ramp' && ramp ? ` ${count(ramp.requested)} of ${count(ramp.of)}` : '';
  const phase = doing ?? (course === null ? 'starting the servers' : phaseText(course) + climbed);
  const cores = others && `${others.cores.toFixed(1)} of ${others.of} cores`;
  const left = `${style('bold', title)}  ${phase}  `;
  const texts = cores === null ? [''] : [`  ● other programs use ${cores}`, `  ● others: ${cores}`, ''];
  const bars = texts.map(
    (text) => course && courseBar(course, width - lengthOf(left) - text.length, style, mayEndEarlier),
  );
  const fits = texts.findIndex((text, i) => lengthOf(left + (bars[i] ?? '')) + text.length <= width && hasBar(bars[i]));
  const at = fits < 0 ? texts.length - 1 : fits;
  return left + (bars[at] ?? '') + style(isMuch(others) ? 'yellow' : 'dim', texts[at]);
}

/**
 * @typedef {{ title: string, width: number, rank?: number, left?: boolean, text: (server: ShownServer) => string,
 *   tone?: (server: ShownServer) => Tone | null }} Column  text: as wide as the column, if it has styles
 */

/** @param {ShownServer} server @returns {Tone} */
const failureTone = ({ failures }) => (failures > 0 ? 'red' : 'dim');

/** @param {ShownServer} server @param {string} name @returns {number | undefined} */
function known({ valueOf }, name) {
  const value = valueOf(name);
  return typeof value === 'number' ? value : undefined;
}

/**
 * @param {ShownServer[]} servers  @param {number} width @param {Style} style @param {boolean} areAllCurrent
 * @returns {Column[]}
 */
function columnsOf(servers, width, style, areAllCurrent) {
  const names = shortLabels(
    servers.map(({ label }) => label),
    width < 100 ? NAME_WIDTH : MAX_NAME,
  );
  const nameWidth = Math.max('server'.length, ...[...names.values()].map((name) => name.length));
  const bar = width < 100 ? 8 : width < 160 ? 10 : 20;
  const spark = width < 100 ? 12 : width < 160 ? 20 : 30;
  const countWidth = Math.max(5, ...servers.map(({ account }) => count(account?.served).length));
  return [
    {
      ...{ title: 'server', width: nameWidth + (areAllCurrent ? 0 : 2), left: true },
      text: ({ label, isCurrent }) => `${areAllCurrent ? '' : isCurrent ? '▸ ' : '  '}${names.get(label)}`,
      tone: ({ hasBegun }) => (hasBegun ? null : 'dim'),
    },
    {
      ...{ title: 'served of requested', width: countWidth + bar + SHARE_WIDTH + 2, left: true },
      text: (server) => {
        const { account } = server;
        if (account === undefined) return '';
        const share = servedShare(server).padEnd(SHARE_WIDTH);
        return `${count(account.served).padStart(countWidth)} ${fateBar(account, bar, style)} ${share}`;
      },
    },
    {
      ...{ title: 'answered/s', width: spark + VALUE_WIDTH, left: true },
      text: (server) => {
        const drawn = sparkOf(server.points, ({ rate }) => rate, spark);
        return `${style('cyan', drawn)}${rateText(server.valueOf('rate')).padStart(VALUE_WIDTH)}`;
      },
    },
    { title: 'p50', width: VALUE_WIDTH, rank: 3, text: ({ valueOf }) => timeText(valueOf('p50')) },
    { title: 'p99', width: VALUE_WIDTH, rank: 1, text: ({ valueOf }) => timeText(valueOf('p99')) },
    {
      ...{ title: 'failed', width: VALUE_WIDTH },
      text: ({ failures, hasBegun }) => (hasBegun ? compactCount(failures) : ''),
      tone: failureTone,
    },
    {
      ...{ title: 'CPU/transfer', width: 'CPU/transfer'.length, rank: 2 },
      text: (server) => duration(known(server, 'server CPU per transfer')),
    },
  ];
}

/**
 * @param {ShownServer[]} servers @param {number} rows
 * @returns {ShownServer[]} the most important servers, in their order: servers that are measured now come first, then
 *   those with a problem, then by name
 */
function chosenServers(servers, rows) {
  if (servers.length <= rows) return servers;
  const areAllCurrent = servers.every(({ isCurrent, hasBegun }) => isCurrent || !hasBegun);
  const rank = (/** @type {ShownServer} */ { isCurrent, hasProblem, hasBegun }) =>
    !areAllCurrent && isCurrent ? 0 : hasProblem ? 1 : hasBegun ? 2 : 3;
  const kept = [...servers]
    .sort((a, b) => rank(a) - rank(b) || a.label.localeCompare(b.label, 'en', { numeric: true }))
    .slice(0, rows - 1);
  return servers.filter((server) => kept.includes(server));
}

/** @param {ShownServer[]} servers @param {number} maxLines @param {number} width @param {Style} style */
function tableLines(servers, maxLines, width, style) {
  const shown = chosenServers(servers, maxLines - 1);
  const areAllCurrent = servers.every(({ isCurrent }) => isCurrent) || servers.every(({ isCurrent }) => !isCurrent);
  const columns = fitting(columnsOf(shown, width, style, areAllCurrent), width - 1);
  const rows = shown.map((server) =>
    joined(
      columns.map(({ width: wide, left, text, tone }) => {
        const cellTone = tone?.(server);
        const cell = text(server);
        if (lengthOf(cell) !== cell.length) return cell + ' '.repeat(Math.max(0, wide - lengthOf(cell)));
        return pad(cell, wide, left, (cut) => (cellTone ? style(cellTone, cut) : cut));
      }),
    ),
  );
  const more = servers.length - shown.length;
  return [...headLines(columns, style, 'dim'), ...rows, ...(more > 0 ? [style('dim', `… ${count(more)} more`)] : [])];
}

/** @param {ShownServer} server @param {Histogram} times @param {number} width @param {Style} style */
function serverLines(server, times, width, style) {
  const { label, account, points, failures, valueOf } = server;
  const titles = ['answered/s', 'p99', 'served'].map((title) => title.padEnd('answered/s'.length));
  const room = Math.min(SPARK_S, width - titles[0].length - 30);
  const cost = known(server, 'server CPU per transfer');
  const name = shortened(label, MAX_NAME).padEnd(titles[0].length);
  const failed = style(failureTone(server), `failed ${compactCount(failures)}`);
  const bar = account === undefined ? '' : fateBar(account, Math.max(8, room - name.length + titles[0].length), style);
  const served = account === undefined ? '' : `${count(account.served)} of ${count(account.requested)}`;
  const sparks = [
    [sparkOf(points, ({ rate }) => rate, room), rateText(valueOf('rate'))],
    [sparkOf(points, ({ p99 }) => p99, room), `${timeText(valueOf('p99'))}   p50 ${timeText(valueOf('p50'))}`],
    [
      sparkOf(points, (point) => point.served, room, account?.requested),
      cost === undefined ? '' : `CPU/transfer ${duration(cost)}`,
    ],
  ];
  const marks =
    times.count === 0
      ? []
      : times.percentiles(MARKED.map((mark) => Number(mark.slice(1)))).map((value, i) => ({ name: MARKED[i], value }));
  return [
    `${style('bold', name)}  ${bar} ${served}  ${failed}`,
    ...sparks.map(([drawn, text], i) => `${titles[i]}  ${style('cyan', drawn)} ${text}`),
    histogramLine(times, marks, width, style)?.trimStart() ?? '',
  ];
}

/**
 * @param {Screen} screen
 * @param {{ columns: number, rows: number }} terminal
 * @param {Style} style
 * @returns {string[]} lines that fit into the terminal
 */
export function screenLines(screen, { columns, rows }, style) {
  const { servers, times, events, foot } = screen;
  const width = columns - 2;
  const maxLines = Math.max(1, Math.min(MAX_LINES, rows - 1));
  const accounts = servers.flatMap(({ account }) => account ?? []);
  const fates = fateKey(accounts, style);
  const key = fates === '' ? '' : `${fates}${style('dim', '   times are of those served')}`;
  const below = [key, ...events, style('dim', foot)].filter((line) => line !== '');
  // on a low terminal, rows of servers are left out before events
  const room = Math.max(3, maxLines - 2 - below.length);
  const middle =
    servers.length === 1 ? serverLines(servers[0], times, width, style) : tableLines(servers, room, width, style);
  return ['', ...[firstLine(screen, width, style), ...middle, ...below].map((line) => ` ${cut(line, width)}`)].slice(
    0,
    maxLines,
  );
}

/** @param {string} line @param {number} width @returns {string} cut, and without styles, if it is wider */
const cut = (line, width) => (lengthOf(line) <= width ? line : pad(unstyled(line), width, true));
