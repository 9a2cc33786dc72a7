/** A folded table of every figure that the table of totals does not have. */
import { causesSeen, ERROR_WORDS, REJECT_WORDS } from '../../model/charts/words.js';
import { areMany } from '../../model/leg-order.js';
import { html } from '../html.js';
import { isKnown } from '../../../client/measure/leg-figures.js';
import { meanText, placesText, switchesText } from '../../../client/words/figures.js';
import { endingText } from '../../../client/words/endings.js';
import { boundsText } from '../../../client/words/intervals.js';
import { clientPartOfText, sampledText } from '../../../client/words/timestamps.js';
import { serverText } from '../../model/server-words.js';
import { bytes, coreShare, count, duration, percent } from '../../../client/words/format.js';
import { columnHead, rowHead } from './leg-name.js';

/** @typedef {import('../../types.js').LegResults} LegResults */
/** @typedef {[code: string, name: string, of: (f: LegResults) => string]} Row */

/** @param {LegResults[]} results @param {'rejects' | 'errors'} kind @param {Record<string, string>} words @returns {Row[]} */
function causeRows(results, kind, words) {
  /** @type {Record<string, number>} */
  const all = {};
  for (const f of results) {
    for (const [cause, n] of Object.entries(f[kind])) all[cause] = (all[cause] ?? 0) + n;
  }
  const title = kind === 'rejects' ? 'Rejects' : 'Errors';
  return causesSeen(all, words).map((cause) => [
    `${kind}-${cause}`,
    `${title}: ${words[cause] ?? cause}`,
    (f) => count(f[kind][cause] ?? 0),
  ]);
}

/** Fewer values than these have no percentiles. */
const FEWEST_VALUES = 20;

/** @param {import('../../types.js').Percentiles | undefined} times @returns {string} */
function spreadText(times) {
  if (!times) return '–';
  if (times.count >= FEWEST_VALUES) return `${duration(times.p50)} / ${duration(times.p99)} / ${duration(times.max)}`;
  return times.count === 1
    ? `once: ${duration(times.max)}`
    : `${count(times.count)} values: ${duration(times.min)} to ${duration(times.max)}`;
}

/** @param {string} name @param {'connect' | 'handshake' | 'resumption' | 'recovery' | 'service'} key @returns {Row} */
const spreadRow = (name, key) => [key, `${name} p50 / p99 / max`, (f) => spreadText(f[key])];

/** @param {string} name @param {'sendDelayNs' | 'networkAndServerNs' | 'receiveDelayNs' | 'connectionWaitNs'} key @returns {Row} */
const partRow = (name, key) => [
  `timestamps-${key}`,
  `${name} p50 / p99 / max`,
  ({ timestamps: { [key]: times } = {} }) =>
    times ? `${duration(times.p50)} / ${duration(times.p99)} / ${duration(times.max)}` : '–',
];

/** Of the transfers that kernel timestamps split. @param {LegResults[]} results @returns {Row[]} */
const timestampRows = (results) => [
  ['timestamps', 'Transfers with kernel timestamps', (f) => sampledText(f.timestamps) ?? '–'],
  [
    'client-part',
    "Response time: the client's part of p50 / p99",
    (f) => `${clientPartOfText(f.timestamps, 'p50') ?? '–'} / ${clientPartOfText(f.timestamps, 'p99') ?? '–'}`,
  ],
  ...(results.some((f) => f.timestamps?.connectionWaitNs)
    ? [partRow('Wait for a connection', 'connectionWaitNs')]
    : []),
  partRow('Send delay', 'sendDelayNs'),
  partRow('Network and server', 'networkAndServerNs'),
  partRow('Receive delay', 'receiveDelayNs'),
];

/** @param {LegResults} results @returns {string} over the seconds of the steady state */
const intervalsText = ({ response, failedShare }) =>
  ['p50', 'p99']
    .map((name) => {
      const bounds = isKnown(failedShare, Number(name.slice(1))) && response?.intervals?.[name];
      return bounds ? boundsText(bounds, duration, 'seconds') : '–';
    })
    .join('; ');

/** @param {LegResults[]} results @returns {Row[]} every figure that the table of totals does not have */
function detailRows(results) {
  const some = (/** @type {(f: LegResults) => unknown} */ has, /** @type {Row[]} */ ...rows) =>
    results.some(has) ? rows : [];
  const statuses = [...new Set(results.flatMap((f) => Object.keys(f.statuses)))];
  const counters = [...new Set(results.flatMap((f) => Object.keys(f.kernel)))].filter((name) =>
    results.some((f) => f.kernel[name]),
  );
  return [
    [
      'attempts',
      'Attempts (opened + rejected + abandoned)',
      (f) => `${count(f.attempts)} (${count(f.opened)} + ${count(f.rejected)} + ${count(f.abandoned)})`,
    ],
    ['peak-open', 'Peak open', (f) => count(f.peakOpen)],
    ...some(
      (f) => f.lostWithWorker,
      ['lost-with-worker', 'Open connections lost with a worker of the client', (f) => count(f.lostWithWorker)],
    ),
    ...causeRows(results, 'rejects', REJECT_WORDS),
    ...causeRows(results, 'errors', ERROR_WORDS),
    ['transfers', 'Transfers completed', (f) => count(f.transfers)],
    ...statuses.map(
      (status) =>
        /** @type {Row} */ ([`replies-${status}`, `Replies: ${status}`, (f) => count(f.statuses[status] ?? 0)]),
    ),
    ['failed', 'Transfers failed', (f) => count(f.failed)],
    ['unfinished', 'Transfers unfinished at the end', (f) => count(f.unfinished)],
    ...some(
      (f) => !f.closed,
      ['due', 'Requests due / sent late / unsent', (f) => `${count(f.due)} / ${count(f.late)} / ${count(f.unsent)}`],
    ),
    ['failed-share', 'Failed or unfinished share', (f) => percent(f.failedShare)],
    ['bytes', 'Payload sent / received', (f) => `${bytes(f.bytesSent)} / ${bytes(f.bytesReceived)}`],
    [
      'response',
      'Response time: mean ± standard deviation',
      (f) => (f.response ? meanText(f.response, f.failedShare) : '–'),
    ],
    ...some(
      (f) => f.switches,
      ['context-switches', 'Context switches of the server per second', (f) => switchesText(f.switches) ?? '–'],
    ),
    ...some(
      (f) => f.response?.intervals,
      ['response-intervals', 'Response time: 95 % intervals of p50; p99', (f) => intervalsText(f)],
    ),
    ['response-min', 'Response time: minimum', (f) => duration(f.response?.min)],
    ...some((f) => f.service, spreadRow('Service time (from sent)', 'service')),
    ...some((f) => f.timestamps, ...timestampRows(results)),
    ['saturation', 'Connections ÷ throughput', (f) => f.saturation?.text ?? '–'],
    spreadRow('Connect time', 'connect'),
    ...some((f) => f.handshake, spreadRow('Handshake time (TLS)', 'handshake')),
    ...some((f) => f.resumption, spreadRow('Resumed handshakes', 'resumption')),
    spreadRow('Recovery time', 'recovery'),
    [
      'per-connection',
      `Transfers per ${results.some((f) => f.reopened) ? 'slot' : 'connection'} min / p1 / p50 / max`,
      (f) =>
        f.perConnection
          ? [f.perConnection.min, f.perConnection.p1, f.perConnection.p50, f.perConnection.max].map(count).join(' / ')
          : '–',
    ],
    ['client-cpu', 'Client CPU, of one core', (f) => coreShare(f.clientCpuSeconds, f.seconds)],
    ...some(
      (f) => f.idlePollSeconds,
      [
        'idle-polling',
        'Client CPU spent on idle polling (busyPoll), of one core',
        (f) => coreShare(f.idlePollSeconds, f.seconds),
      ],
    ),
    ['server-cpu', 'Server CPU, of one core', (f) => coreShare(f.serverCpuSeconds, f.seconds)],
    ['memory', 'Peak memory, client / server', (f) => `${bytes(f.clientRss)} / ${bytes(f.serverRss)}`],
    ['threads', 'Server threads / processes', (f) => `${count(f.serverThreads)} / ${count(f.serverProcesses)}`],
    ['limited-by', 'Limited by', (f) => f.limitedBy ?? '–'],
    ...some(
      (f) => f.serverModel,
      ['server-model', 'Server', (f) => serverText(f) ?? '–'],
      ['serves-at-once', 'Connections it serves at once', (f) => placesText(f) ?? '–'],
    ),
    ['ended', 'Ended', (f) => endingText(f.endedBy)],
    ['log', 'Transfer log rows / missing', (f) => `${count(f.logRows)} / ${count(f.logMissing)}`],
    ...counters.map((name) => /** @type {Row} */ ([name, `Kernel: ${name}`, (f) => count(f.kernel[name])])),
  ];
}

/**
 * @param {LegResults[]} ran
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
