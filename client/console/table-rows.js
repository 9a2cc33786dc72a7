// Many legs: a row each, with what tells servers apart. Pure.
// The one thing to know: what does not fit is named below the table, and so is who served only some of those requested.
import Table from 'cli-table3';
import {
  areOfRounds,
  borderless,
  clientPart,
  connectTime,
  cpu,
  earlyRemark,
  handshakeTime,
  intervalText,
  lateness,
  mostOpen,
  nothing,
  ran,
  responseTime,
  resumption,
  serviceTime,
  slowest,
  someServedRemark,
  statusesOf,
  transferRate,
  withMark,
} from './cells.js';
import { accountParts } from '../measure/account.js';
import { accountEntries, shownEntries } from '../words/account.js';
import { followsProfile, heldAtEnd, isMeasured, requestedAtEnd } from '../measure/leg-figures.js';
import { servedOnlySome } from '../words/figures.js';
import { incompleteText } from '../words/endings.js';
import { shortReplies } from '../words/replies.js';
import { shortLabels } from './shorten-labels.js';
import { wrap } from './terminal-text.js';
import { bareRate, bytes, count, duration } from '../words/format.js';

/**
 * @typedef {import('./cells.js').LegSummary} LegSummary
 * @typedef {import('./cells.js').MeasuredLeg} MeasuredLeg
 * @typedef {import('./terminal-text.js').Style} Style
 * @typedef {import('./terminal-text.js').Tone} Tone
 * @typedef {{ name: string, group: string, rank: number, left?: boolean, called?: string,
 *   cell: (leg: LegSummary) => string, tone?: (leg: LegSummary) => Tone | null }} Column  rank: the lower, the longer
 *   it is kept on a narrow terminal; called: its name where its group is not above it
 */

const WIDEST_NAME = 40;
const NARROWEST_NAME = 12;
const WIDEST_REMARK = 120;
/** Above columns that are not medians over the rounds. */
const WORST = 'worst round';
/** Above a column of connections that had no reply in the drain either. */
const AFTER = 'after drain';

/** @param {LegSummary[]} legs @returns {number | null} connections requested of each; null: not the same of all */
function requestedOf(legs) {
  if (legs.some(followsProfile)) return null;
  const requested = new Set(legs.flatMap((leg) => (isMeasured(leg) ? [requestedAtEnd(leg)] : [])));
  return requested.size === 1 ? [...requested][0] : null;
}

/** Of the parts of the account: how long each is kept on a narrow terminal. @type {Record<string, number>} */
const ACCOUNT_RANKS = { served: 0.5, unanswered: 1, connecting: 1.1, rejected: 1.2, lost: 1.3, queued: 1.4 };

/**
 * What became of the connections requested, with a column for each part that there is.
 * @param {LegSummary[]} legs @param {Column[]} more of connections, next to the first
 * @returns {Column[]}
 */
function accountColumns(legs, more) {
  const valueOf = (/** @type {LegSummary} */ { account }, /** @type {string} */ part) =>
    account === undefined ? undefined : accountEntries(account).find((one) => one.part === part);
  const shown = accountParts.filter((part) =>
    legs.some(({ account }) => account && shownEntries(account).some((one) => one.part === part)),
  );
  const columns = shown.map((part) => ({
    name: legs.flatMap((leg) => valueOf(leg, part)?.name ?? [])[0],
    group: areOfRounds(legs) ? 'connections at the end, worst round' : 'connections at the end',
    rank: ACCOUNT_RANKS[part] ?? 1.5,
    cell: (/** @type {LegSummary} */ leg) => (leg.account ? count(valueOf(leg, part)?.value) : nothing),
    tone: (/** @type {LegSummary} */ leg) => (valueOf(leg, part)?.bad ? /** @type {Tone} */ ('yellow') : null),
  }));
  return [...columns, ...more];
}

/** @param {string} workload @param {LegSummary[]} legs @returns {Column[]} what became of the connections */
function connections(workload, legs) {
  const [verb, connectionsOf] = /** @type {[string, (leg: MeasuredLeg) => number]} */ (
    workload === 'once' ? ['answered', ({ transfers }) => transfers.count] : ['open', heldAtEnd]
  );
  // of workload once the number answered is a median
  const group = areOfRounds(legs) && workload !== 'once' ? WORST : '';
  const warn =
    (/** @type {(leg: MeasuredLeg) => number} */ of, /** @type {Tone} */ tone) => (/** @type {LegSummary} */ leg) =>
      isMeasured(leg) && of(leg) > 0 ? tone : null;
  /** @type {Column} */
  const reached =
    workload === 'reconnect'
      ? { name: 'opened', group, rank: 7, cell: ran((leg) => count(leg.connections.opened)) }
      : legs.some(followsProfile)
        ? { name: 'most open / requested', group, rank: 7, cell: ran(mostOpen) }
        : {
            name: requestedOf(legs) === null ? `${verb} / requested` : verb,
            group,
            rank: 7,
            cell: ran(
              (leg) =>
                `${count(connectionsOf(leg))}${requestedOf(legs) === null ? ` / ${count(requestedAtEnd(leg))}` : ''}`,
            ),
          };
  const closing = workload === 'reconnect' || workload === 'once';
  const of = (/** @type {MeasuredLeg} */ { connections: { neverAnswered, unansweredAtEnd } }) =>
    closing ? neverAnswered : unansweredAtEnd;
  const left = {
    name: 'unanswered',
    ...(closing ? { group: group === '' ? AFTER : `${AFTER}, ${WORST}`, called: `unanswered ${AFTER}` } : { group }),
    rank: 1,
    cell: ran((leg) => count(of(leg))),
    tone: warn(of, 'yellow'),
  };
  return [
    reached,
    ...(legs.some(({ account }) => account) ? accountColumns(legs, closing ? [left] : []) : [left]),
    {
      name: 'rejects',
      group,
      rank: 5,
      cell: ran(({ rejects }) => count(rejects.total)),
      tone: warn(({ rejects }) => rejects.total, 'red'),
    },
    {
      name: 'errors',
      group,
      rank: 6,
      cell: ran(({ errors }) => count(errors.total)),
      tone: warn(({ errors }) => errors.total, 'red'),
    },
  ];
}

/** @param {LegSummary[]} legs @param {string} workload @param {number} width @returns {Column[]} that tell something */
function columnsOf(legs, workload, width) {
  const most = Math.max(NARROWEST_NAME, Math.min(WIDEST_NAME, Math.floor(width / 4)));
  const names = shortLabels(
    legs.map(({ label }) => label),
    most,
  );
  const languages = new Set(legs.flatMap(({ serverModel }) => serverModel?.language ?? []));
  const marked = legs.some((leg) => servedOnlySome(leg) !== undefined);
  const timed = (/** @type {string} */ text, /** @type {LegSummary} */ leg) => withMark(text, leg, marked);
  /** @type {Column[]} */
  const columns = [
    { name: 'server', group: '', rank: 0, left: true, cell: ({ label }) => names.get(label) ?? label },
    ...(languages.size > 1
      ? [
          {
            name: 'language',
            group: '',
            rank: 8,
            left: true,
            cell: (/** @type {LegSummary} */ { serverModel }) => serverModel?.language ?? nothing,
          },
        ]
      : []),
    ...connections(workload, legs),
    { name: '/s', group: 'transfers', called: 'transfers/s', rank: 4, cell: transferRate },
    {
      name: '95 % CI of /s',
      group: 'transfers',
      rank: 4.1,
      cell: (leg) => intervalText(leg, 'perSecond', bareRate),
    },
    { name: 'p50', group: 'transfers', rank: 2, cell: (leg) => timed(responseTime(leg, 'p50', 50), leg) },
    { name: 'p99', group: 'transfers', rank: 3, cell: (leg) => timed(responseTime(leg, 'p99', 99), leg) },
    {
      name: "client's part",
      group: 'transfers',
      called: "client's part of p50",
      rank: 8.1,
      cell: (leg) => clientPart(leg, 'p50'),
    },
    { name: '95 % CI of p99', group: 'transfers', rank: 4.2, cell: (leg) => intervalText(leg, 'p99Ns', duration) },
    { name: 'max', group: 'transfers', rank: 9, cell: slowest },
    {
      name: 'replies',
      group: 'transfers',
      rank: 3.1,
      cell: (leg) => shortReplies(statusesOf(leg))?.text ?? nothing,
      tone: (leg) => (shortReplies(statusesOf(leg))?.unwanted ? 'red' : null),
    },
    ...(legs.every((leg) => leg.steady?.due === undefined)
      ? []
      : [
          {
            name: 'service p99',
            group: '',
            rank: 3.2,
            cell: (/** @type {LegSummary} */ leg) => serviceTime(leg, 'p99'),
          },
          { name: 'late / unsent', group: areOfRounds(legs) ? WORST : '', rank: 3.4, cell: lateness },
        ]),
    ...(workload === 'continuous'
      ? []
      : [{ name: 'connect p99', group: '', rank: workload === 'reconnect' ? 3.5 : 8.5, cell: connectTime }]),
    { name: 'handshake p99', group: '', rank: workload === 'reconnect' ? 3.6 : 8.6, cell: handshakeTime },
    { name: 'resumed, p99', group: '', rank: workload === 'reconnect' ? 3.7 : 8.7, cell: resumption },
    { name: 'CPU', group: 'server', called: 'server CPU', rank: 10, cell: (leg) => cpu(leg, 'server') },
    {
      name: 'memory',
      group: 'server',
      called: 'server memory',
      rank: 11,
      cell: ({ serverUse }) => (serverUse ? bytes(serverUse.peakRssBytes) : nothing),
    },
    {
      name: 'limited by',
      group: '',
      rank: 12,
      left: true,
      cell: ran(({ limitedBy }) => (limitedBy === 'none' ? '-' : limitedBy)),
    },
  ];
  return columns.filter(({ rank, cell }) => rank === 0 || legs.some((leg) => cell(leg) !== nothing));
}

/** @param {Column} column @param {LegSummary[]} legs @returns {number} with its padding; a group may need more */
const widthOf = ({ name, cell }, legs) => Math.max(name.length, ...legs.map((leg) => cell(leg).length)) + 2;

/** @param {Column[]} columns @returns {Column[][]} neighbours under one title together */
function grouped(columns) {
  /** @type {Column[][]} */
  const groups = [];
  for (const column of columns) {
    const last = groups.at(-1);
    if (last && column.group !== '' && last[0].group === column.group) last.push(column);
    else groups.push([column]);
  }
  return groups;
}

/** @param {Column[]} columns @param {LegSummary[]} legs @returns {number[]} such that titles of groups fit too */
function widthsOf(columns, legs) {
  return grouped(columns).flatMap((group) => {
    const widths = group.map((column) => widthOf(column, legs));
    const lacking = group[0].group.length + 2 - widths.reduce((sum, one) => sum + one, 0);
    widths[0] += Math.max(0, lacking);
    return widths;
  });
}

/** @param {Column[]} columns @param {LegSummary[]} legs @param {number} width @returns {Column[]} those that fit */
function fitting(columns, legs, width) {
  /** @type {Column[]} */
  let shown = [];
  for (const column of [...columns].sort((a, b) => a.rank - b.rank)) {
    const more = columns.filter((one) => one === column || shown.includes(one));
    const taken = widthsOf(more, legs).reduce((sum, one) => sum + one, 0) - 1;
    if (shown.length === 0 || taken <= width) shown = more;
  }
  return shown;
}

/**
 * cli-table3 reckons with a line between the columns that a cell spans, also where none is drawn: so not a row of it.
 * @param {Column[]} columns @param {number[]} widths @returns {string} the titles of groups, each over its whole width
 */
function titles(columns, widths) {
  let at = 0;
  return grouped(columns)
    .map(([{ group, left }, ...others]) => {
      const wide = widths.slice(at, (at += others.length + 1)).reduce((sum, one) => sum + one, 0);
      const rule = wide - group.length - 4;
      const text =
        group === '' || others.length === 0 || rule < 2
          ? group
          : `${'─'.repeat(Math.floor(rule / 2))} ${group} ${'─'.repeat(Math.ceil(rule / 2))}`;
      return ` ${left ? text.padEnd(wide - 2) : text.padStart(wide - 2)} `;
    })
    .join('')
    .trimEnd();
}

/** @param {LegSummary[]} legs @param {string} workload @param {Column[]} left out @param {number} width */
function remarks(legs, workload, left, width) {
  return [
    someServedRemark(legs) === '' ? '' : ` ${someServedRemark(legs)}`,
    earlyRemark(legs) === '' ? '' : ` ${earlyRemark(legs)}`,
    incompleteText(legs) === '' ? '' : ` ${incompleteText(legs)}`,
    left.length > 0
      ? ` Left out at ${width} columns, but in summary.json: ${left
          .map(({ called, name }) => called ?? name)
          .join(', ')}.`
      : '',
  ]
    .filter((text) => text !== '')
    .flatMap((text) => wrap(text, Math.min(width, WIDEST_REMARK)));
}

/**
 * @param {LegSummary[]} legs @param {number} width of the terminal; Infinity when there is none
 * @param {string} workload
 * @param {Style} style
 * @returns {string} lines joined, the last without a line end
 */
export function legRows(legs, width, workload, style) {
  const columns = columnsOf(legs, workload, width);
  const shown = fitting(columns, legs, width);
  const widths = widthsOf(shown, legs);
  const table = new Table({
    ...borderless,
    colWidths: widths,
    colAligns: shown.map(({ left }) => (left ? 'left' : 'right')),
  });
  table.push(shown.map(({ name }) => style('bold', name)));
  for (const leg of legs) {
    table.push(
      shown.map(({ cell, tone }) => {
        const key = tone?.(leg);
        return key ? style(key, cell(leg)) : cell(leg);
      }),
    );
  }
  const requested = workload === 'reconnect' ? null : requestedOf(legs);
  const above = requested === null ? [] : [style('dim', ` ${count(requested)} connections requested of each`)];
  const lines = table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd());
  const below = remarks(
    legs,
    workload,
    columns.filter((column) => !shown.includes(column)),
    width,
  );
  above.push(style('dim', titles(shown, widths)));
  return [...above, ...lines, ...(below.length > 0 ? ['', ...below] : [])].join('\n');
}
