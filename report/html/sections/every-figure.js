/** A folded table of every figure that the table of totals does not have. */
import { causesOf, causesSeen, ERROR_WORDS, REJECT_WORDS } from '../../model/charts/words.js';
import { areMany } from '../../model/leg-order.js';
import { html } from '../html.js';
import { secondsOf } from '../../../client/measure/leg-figures.js';
import { meanText, placesText, switchesText, timeIntervalText } from '../../../client/words/figures.js';
import { endingText } from '../../../client/words/endings.js';
import { clientPartOfText, sampledText } from '../../../client/words/timestamps.js';
import { serverText } from '../../model/server-words.js';
import { bytes, coreShare, count, duration, percent } from '../../../client/words/format.js';
import { columnHead, rowHead } from './leg-name.js';
import { failedShareOf } from '../../model/page-leg.js';

/** @typedef {import('../../types.js').PageLeg} PageLeg */
/** @typedef {[code: string, name: string, of: (f: PageLeg) => string]} Row */

/** @param {PageLeg[]} results @param {'rejects' | 'errors'} kind @param {Record<string, string>} words @returns {Row[]} */
function causeRows(results, kind, words) {
  /** @type {Record<string, number>} */
  const all = {};
  for (const f of results) {
    for (const [cause, n] of Object.entries(causesOf(f.summary[kind]))) all[cause] = (all[cause] ?? 0) + n;
  }
  const title = kind === 'rejects' ? 'Rejects' : 'Errors';
  return causesSeen(all, words).map((cause) => [
    `${kind}-${cause}`,
    `${title}: ${words[cause] ?? cause}`,
    (f) => count(causesOf(f.summary[kind])[cause] ?? 0),
  ]);
}

/** Fewer values than these have no percentiles. */
const FEWEST_VALUES = 20;

/** @param {import('../../../config/types.js').Times | undefined} times @returns {string} */
function spreadText(times) {
  if (!times) return '–';
  if (times.count >= FEWEST_VALUES) return `${duration(times.p50)} / ${duration(times.p99)} / ${duration(times.max)}`;
  return times.count === 1
    ? `once: ${duration(times.max)}`
    : `${count(times.count)} values: ${duration(times.min)} to ${duration(times.max)}`;
}

/** @param {string} code @param {string} name @param {(f: PageLeg) => import('../../../config/types.js').Times | undefined} of @returns {Row} */
const spreadRow = (code, name, of) => [code, `${name} p50 / p99 / max`, (f) => spreadText(of(f))];

/** @param {string} name @param {'sendDelayNs' | 'networkAndServerNs' | 'receiveDelayNs' | 'connectionWaitNs'} key @returns {Row} */
const partRow = (name, key) => [
  `timestamps-${key}`,
  `${name} p50 / p99 / max`,
  ({ figures }) => {
    const times = figures?.timestamps?.[key];
    return times ? `${duration(times.p50)} / ${duration(times.p99)} / ${duration(times.max)}` : '–';
  },
];

/** Of the transfers that kernel timestamps split. @param {PageLeg[]} results @returns {Row[]} */
const timestampRows = (results) => [
  ['timestamps', 'Transfers with kernel timestamps', (f) => sampledText(f.figures?.timestamps) ?? '–'],
  [
    'client-part',
    "Response time: the client's part of p50 / p99",
    (f) =>
      `${clientPartOfText(f.figures?.timestamps, 'p50') ?? '–'} / ${clientPartOfText(f.figures?.timestamps, 'p99') ?? '–'}`,
  ],
  ...(results.some((f) => f.figures?.timestamps?.connectionWaitNs)
    ? [partRow('Wait for a connection', 'connectionWaitNs')]
    : []),
  partRow('Send delay', 'sendDelayNs'),
  partRow('Network and server', 'networkAndServerNs'),
  partRow('Receive delay', 'receiveDelayNs'),
];

/** @param {PageLeg} results @returns {string} over the seconds of the steady state */
const intervalsText = ({ figures }) =>
  `${timeIntervalText(figures, 'p50', 50) ?? '–'}; ${timeIntervalText(figures, 'p99', 99) ?? '–'}`;

/** @param {PageLeg[]} results @returns {Row[]} every figure that the table of totals does not have */
function detailRows(results) {
  const some = (/** @type {(f: PageLeg) => unknown} */ has, /** @type {Row[]} */ ...rows) =>
    results.some(has) ? rows : [];
  const statuses = [...new Set(results.flatMap((f) => Object.keys(causesOf(f.summary.statuses))))];
  const counters = [...new Set(results.flatMap((f) => Object.keys(f.summary.kernel ?? {})))].filter((name) =>
    results.some((f) => f.summary.kernel?.[name]),
  );
  return [
    [
      'attempts',
      'Attempts (opened + rejected + abandoned)',
      (f) =>
        `${count(f.summary.attempts?.total)} (${count(f.summary.connections?.opened)} + ${count(f.summary.attempts?.rejected)} + ${count(f.summary.attempts?.abandoned)})`,
    ],
    ['peak-open', 'Peak open', (f) => count(f.summary.connections?.peakOpen)],
    ...some(
      (f) => f.summary.connections?.lostWithWorker,
      [
        'lost-with-worker',
        'Open connections lost with a worker of the client',
        (f) => count(f.summary.connections?.lostWithWorker),
      ],
    ),
    ...causeRows(results, 'rejects', REJECT_WORDS),
    ...causeRows(results, 'errors', ERROR_WORDS),
    ['transfers', 'Transfers completed', (f) => count(f.summary.transfers?.count)],
    ...statuses.map(
      (status) =>
        /** @type {Row} */ ([
          `replies-${status}`,
          `Replies: ${status}`,
          (f) => count(f.summary.statuses?.[status] ?? 0),
        ]),
    ),
    ['failed', 'Transfers failed', (f) => count(f.summary.transfers?.failed)],
    ['unfinished', 'Transfers unfinished at the end', (f) => count(f.summary.transfers?.unfinished)],
    ...some(
      (f) => !f.closed,
      [
        'due',
        'Requests due / sent late / unsent',
        (f) => `${count(f.figures?.due)} / ${count(f.figures?.late)} / ${count(f.figures?.unsent)}`,
      ],
    ),
    ['failed-share', 'Failed or unfinished share', (f) => percent(failedShareOf(f))],
    [
      'bytes',
      'Payload sent / received',
      (f) => `${bytes(f.summary.transfers?.bytesSent)} / ${bytes(f.summary.transfers?.bytesReceived)}`,
    ],
    [
      'response',
      'Response time: mean ± standard deviation',
      (f) => (f.figures?.responseTimeNs ? meanText(f.figures?.responseTimeNs, failedShareOf(f)) : '–'),
    ],
    ...some(
      (f) => f.summary.serverUse?.contextSwitchesPerSecond,
      [
        'context-switches',
        'Context switches of the server per second',
        (f) => switchesText(f.summary.serverUse?.contextSwitchesPerSecond) ?? '–',
      ],
    ),
    ...some(
      (f) => f.figures?.responseTimeNs?.intervals,
      ['response-intervals', 'Response time: 95 % intervals of p50; p99', (f) => intervalsText(f)],
    ),
    ['response-min', 'Response time: minimum', (f) => duration(f.figures?.responseTimeNs?.min)],
    ...some(
      (f) => f.figures?.serviceTimeNs,
      spreadRow('service', 'Service time (from sent)', (f) => f.figures?.serviceTimeNs),
    ),
    ...some((f) => f.figures?.timestamps, ...timestampRows(results)),
    ['saturation', 'Connections ÷ throughput', (f) => f.saturation?.text ?? '–'],
    spreadRow('connect', 'Connect time', (f) => f.summary.connectTimeNs),
    ...some(
      (f) => f.summary.handshakeTimeNs,
      spreadRow('handshake', 'Handshake time (TLS)', (f) => f.summary.handshakeTimeNs),
    ),
    ...some(
      (f) => f.summary.resumptionTimeNs,
      spreadRow('resumption', 'Resumed handshakes', (f) => f.summary.resumptionTimeNs),
    ),
    spreadRow('recovery', 'Recovery time', (f) => f.summary.recoveryTimeNs),
    [
      'per-connection',
      `Transfers per ${results.some((f) => f.summary.connections?.reopened) ? 'slot' : 'connection'} min / p1 / p50 / max`,
      (f) =>
        f.summary.steady?.perConnection
          ? [
              f.summary.steady?.perConnection.min,
              f.summary.steady?.perConnection.p1,
              f.summary.steady?.perConnection.p50,
              f.summary.steady?.perConnection.max,
            ]
              .map(count)
              .join(' / ')
          : '–',
    ],
    ['client-cpu', 'Client CPU, of one core', (f) => coreShare(f.figures?.client.cpuSeconds, secondsOf(f.figures))],
    ...some(
      (f) => f.figures?.client.idlePollSeconds,
      [
        'idle-polling',
        'Client CPU spent on idle polling (busyPoll), of one core',
        (f) => coreShare(f.figures?.client.idlePollSeconds, secondsOf(f.figures)),
      ],
    ),
    ['server-cpu', 'Server CPU, of one core', (f) => coreShare(f.figures?.server?.cpuSeconds, secondsOf(f.figures))],
    [
      'memory',
      'Peak memory, client / server',
      (f) => `${bytes(f.summary.client?.peakRssBytes)} / ${bytes(f.summary.serverUse?.peakRssBytes)}`,
    ],
    [
      'threads',
      'Server threads / processes',
      (f) => `${count(f.summary.serverUse?.threads)} / ${count(f.summary.serverUse?.processes)}`,
    ],
    ['limited-by', 'Limited by', (f) => f.summary.limitedBy ?? '–'],
    ...some(
      (f) => f.summary.serverModel,
      ['server-model', 'Server', (f) => serverText(f) ?? '–'],
      ['serves-at-once', 'Connections it serves at once', (f) => placesText(f.summary) ?? '–'],
    ),
    ['ended', 'Ended', (f) => endingText(f.summary.endedBy ?? 'never')],
    ['log', 'Transfer log rows / missing', (f) => `${count(f.summary.log?.rows)} / ${count(f.summary.log?.missing)}`],
    ...counters.map((name) => /** @type {Row} */ ([name, `Kernel: ${name}`, (f) => count(f.summary.kernel?.[name])])),
  ];
}

/**
 * @param {PageLeg[]} ran
 * @returns {import('../html.js').Fragment} a row for each figure and a column for each leg; with many legs the other way round
 */
export function everyOther(ran) {
  const figures = detailRows(ran);
  const [head, rows] = areMany(ran)
    ? [
        figures.map(([, name]) => html`<th scope="col">${name}</th>`),
        ran.map(
          (f) =>
            html`<tr data-leg="${f.label}">${rowHead(f)}${figures.map(([code, , of]) => html`<td data-code="${code}">${of(f)}</td>`)}</tr>`,
        ),
      ]
    : [
        ran.map(columnHead),
        figures.map(
          ([code, name, of]) =>
            html`<tr data-code="${code}"><th scope="row">${name}</th>${ran.map((f) => html`<td data-name="${f.label}">${of(f)}</td>`)}</tr>`,
        ),
      ];
  return html`<details><summary>All other numbers</summary><div class="scroll" tabindex="0" role="region"
aria-label="All other numbers"><table class="details${areMany(ran) ? ' of-many' : ' few'}"><thead><tr><td></td>${head}</tr></thead><tbody>${rows}</tbody></table></div></details>`;
}
