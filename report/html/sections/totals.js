/** The table of totals: rejects, errors and unanswered share a row with the response times they qualify. */
import { causesSeen, ERROR_WORDS, REJECT_WORDS } from '../../model/charts/words.js';
import { beyondMax } from '../../model/leg-results.js';
import { areMany, grouped } from '../../model/leg-order.js';
import { html } from '../html.js';
import { isKnown, meanText, placesText, switchesText } from '../../../client/results/leg-figures.js';
import { endingText } from '../../../client/results/phrases/endings.js';
import { repliesText, unwantedText } from '../../../client/results/phrases/replies.js';
import { scopeText } from '../../model/scope.js';
import { modelText } from '../../model/server-words.js';
import { bytes, count, duration, percent, plain, rate, throughput } from '../../../client/results/format.js';
import { columnHead, legSection, groupedRows, only, rowHead } from './leg-name.js';

/** @typedef {import('../../types.js').LegResults} LegResults */
/** @typedef {{ name: string, of: (f: LegResults) => string, bad?: (f: LegResults) => boolean }} Column */

/** @param {string} name @param {'p50' | 'p90' | 'p99' | 'p99_9' | 'p99_99'} key @param {number} p @returns {Column} */
const percentile = (name, key, p) => ({
  name,
  of: (f) => {
    if (!f.response) return '–';
    return beyondMax(f, p) ? `> ${duration(f.response.max)}` : duration(f.response[key]);
  },
  bad: (f) => Boolean(f.response) && beyondMax(f, p),
});

/**
 * @param {string} name
 * @param {keyof LegResults} key
 * @param {boolean} [bad] whether more than none is worth a mark
 * @returns {Column}
 */
const counted = (name, key, bad) => ({
  name,
  of: (f) => count(/** @type {number} */ (f[key])),
  bad: (f) => Boolean(bad && f[key]),
});

/** @type {Array<[string, Column[]]>} */
const GROUPS = [
  [
    'Connections',
    [
      { name: 'open / requested', of: (f) => `${count(f.open)} / ${count(f.requested)}`, bad: (f) => f.heldTooFew },
      counted('unanswered', 'unanswered', true),
      counted('never answered', 'neverAnswered', true),
      counted('rejects', 'rejectsTotal', true),
      counted('errors', 'errorsTotal', true),
      counted('lost', 'lost', true),
      counted('reopened', 'reopened'),
    ],
  ],
  [
    'Response time',
    [
      percentile('p50', 'p50', 0.5),
      percentile('p90', 'p90', 0.9),
      percentile('p99', 'p99', 0.99),
      percentile('p99.9', 'p99_9', 0.999),
      percentile('p99.99', 'p99_99', 0.9999),
      { name: 'max', of: (f) => duration(f.response?.max) },
    ],
  ],
  [
    'Throughput',
    [
      { name: 'transfers', of: (f) => rate(f.perSecond) },
      { name: 'payload', of: (f) => throughput(f.bytesPerSecond) },
    ],
  ],
];

/** In once a connection closes when it has its reply: what counts is how many had one. @type {Column} */
const ANSWERED = {
  name: 'answered / requested',
  of: (f) => `${count(f.transfers)} / ${count(f.requested)}`,
  bad: (f) => f.transfers !== undefined && f.transfers < (f.requested ?? 0),
};

/** @type {Column} */
const MOST_OPEN = {
  name: 'most open / requested',
  of: (f) => `${count(f.peakOpen)} / ${count(f.peakRequested)}`,
  bad: (f) => f.heldTooFew,
};

/** Where connections open and close all the time what counts is how many were opened. @type {Column[]} */
const LIVED = [
  { name: 'opened', of: (f) => count(f.opened) },
  { name: 'opened/s', of: (f) => rate(f.opensPerSecond) },
];

/** In workload reconnect also how long that took. */
const OPENED = /** @type {Column[]} */ ([
  { name: 'opened', of: (f) => count(f.opened) },
  { name: 'attempts/s', of: (f) => rate(f.attemptsPerSecond) },
  { name: 'opened/s', of: (f) => rate(f.opensPerSecond) },
]);
/** @type {[string, Column[]]} */
const CONNECT = [
  'Connect time',
  [
    { name: 'p50', of: (f) => duration(f.connect?.p50) },
    { name: 'p99', of: (f) => duration(f.connect?.p99) },
  ],
];

/** Over TLS, between the connect and the first request. @type {[string, Column[]]} */
const HANDSHAKE = [
  'Handshake time (TLS)',
  [
    { name: 'p50', of: (f) => duration(f.handshake?.p50) },
    { name: 'p99', of: (f) => duration(f.handshake?.p99) },
    { name: 'max', of: (f) => duration(f.handshake?.max) },
  ],
];

/** ... of connections that resumed an earlier session. @type {[string, Column[]]} */
const RESUMPTION = [
  'Resumed handshakes',
  [
    { name: 'count', of: (f) => count(f.resumption?.count ?? 0) },
    { name: 'p50', of: (f) => duration(f.resumption?.p50) },
    { name: 'p99', of: (f) => duration(f.resumption?.p99) },
  ],
];

/** Open loop: what had to wait for a connection. @type {Column[]} */
const WAITED = [
  { name: 'late', of: (f) => count(f.late), bad: (f) => Boolean(f.late) },
  { name: 'unsent', of: (f) => count(f.unsent), bad: (f) => Boolean(f.unsent) },
];
/** ... and how long a request took once it was sent. @type {[string, Column[]]} */
const SERVICE = [
  'Service time (from sent)',
  [
    { name: 'p50', of: (f) => duration(f.service?.p50) },
    { name: 'p99', of: (f) => duration(f.service?.p99) },
    { name: 'max', of: (f) => duration(f.service?.max) },
    ...WAITED,
  ],
];

/** @type {Column} */
const SENT = { name: 'payload sent', of: (f) => throughput(f.bytesSentPerSecond) };
/** @type {Column} */
const REPLIES = {
  name: 'replies',
  of: (f) => repliesText(f.replies) || '–',
  bad: (f) => unwantedText(f.replies) !== '',
};

/** @param {LegResults[]} results @returns {typeof GROUPS} */
function groupsOf(results) {
  // With few legs the overview has these figures, and the table would be too wide.
  const secured = areMany(results)
    ? [
        ...(results.some((f) => f.handshake) ? [HANDSHAKE] : []),
        ...(results.some((f) => f.resumption) ? [RESUMPTION] : []),
      ]
    : [];
  const more = [
    .../** @type {[string, Column][]} */ (results.some((f) => f.sendsMore) ? [['Throughput', SENT]] : []),
    .../** @type {[string, Column][]} */ (
      results.some((f) => Object.keys(f.replies).length > 0) ? [['Response time', REPLIES]] : []
    ),
  ];
  const groups = [...groupsByWorkload(results), ...secured].map(
    /** @returns {[string, Column[]]} */ ([name, columns]) => [
      name,
      [...columns, ...more.flatMap(([group, column]) => (group === name ? [column] : []))],
    ],
  );
  if (results.every((f) => f.closed)) return groups;
  /** @type {[string, Column[]]} as above: with few legs the overview has the service times */
  const waited = areMany(results) ? SERVICE : ['Requests', WAITED];
  return groups.flatMap((group) => (group[0] === 'Response time' ? [group, waited] : [group]));
}

/** @param {LegResults[]} results @returns {typeof GROUPS} */
function groupsByWorkload(results) {
  if (results.some((f) => f.workload === 'reconnect')) {
    const [[name, [, , ...columns]], ...others] = GROUPS;
    return [[name, [...OPENED, ...columns]], CONNECT, ...others];
  }
  const [[name, [, ...columns]], times, ...others] = GROUPS;
  if (results.some((f) => f.churns && f.workload !== 'reconnect'))
    return [[name, [...LIVED, ...columns.slice(1)]], times, ...others];
  if (results.some((f) => f.followsProfile)) return [[name, [MOST_OPEN, ...columns]], times, ...others];
  if (!results.some((f) => f.workload === 'once')) return GROUPS;
  return [[name, [ANSWERED, ...columns]], times, ...others];
}

/** Where the table is narrow each figure has its own label, so that of two p50 one can tell which is which. @type {Record<string, string>} */
const PREFIXES = {
  'Connect time': 'connect ',
  'Handshake time (TLS)': 'handshake ',
  'Resumed handshakes': 'resumed ',
  'Service time (from sent)': 'service ',
};

/** Groups whose figures tell nothing of connections that were not served. */
const OF_SERVED = ['Response time', 'Service time (from sent)', 'Throughput'];

/** @param {LegResults} results @returns {import('../html.js').Fragment} */
const legHead = (results) => {
  const some = results.servedOnlySome;
  return rowHead(
    results,
    some && results.fewPlaces ? html`<span class="said bad" data-code="served-only-some">${some}</span>` : null,
  );
};

/**
 * @param {LegResults[]} results @param {string} loop
 * @param {Array<{ name: string, results: LegResults[] }>} legGroups the same, as they are listed
 * @returns {import('../html.js').Fragment}
 */
function headline(results, loop, legGroups) {
  const shown = groupsOf(results);
  const groups = shown.map(
    ([name, columns]) =>
      html`<th scope="colgroup" colspan="${columns.length}">${
        name === 'Response time' ? `${name} (${loop})` : name
      }</th>`,
  );
  const names = shown.map(([, columns]) =>
    columns.map((column, i) => html`<th scope="col" class="${i ? '' : 'first'}">${column.name}</th>`),
  );
  const columnCount = shown.reduce((sum, [, columns]) => sum + columns.length, 1);
  const rows = groupedRows(
    legGroups,
    columnCount,
    (f) =>
      html`<tr data-leg="${f.label}">${legHead(f)}${shown.map(([group, columns]) =>
        columns.map(
          (column, i) =>
            html`<td class="${[i ? '' : 'first', column.bad?.(f) ? 'bad' : ''].join(' ').trim()}" data-name="${PREFIXES[group] ?? ''}${column.name}">${f.ran ? column.of(f) : '–'}${
              f.ran && OF_SERVED.includes(group) && column.of(f) !== '–' ? only(f) : null
            }</td>`,
        ),
      )}</tr>`,
  );
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Totals"><table class="totals${areMany(results) ? '' : ' few'}">
<thead><tr><td rowspan="2"></td>${groups}</tr><tr>${names}</tr></thead><tbody>${rows}</tbody></table></div>${
    results.some((f) => f.servedOnlySome)
      ? html`<p class="lead foot" data-code="served-only-some">* Only for the connections that were served.</p>`
      : null
  }`;
}

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

/** @param {string} name @param {'connect' | 'handshake' | 'resumption' | 'recovery' | 'service'} key @returns {Row} */
const spreadRow = (name, key) => [
  key,
  `${name} p50 / p99 / max`,
  (f) => (f[key] ? `${duration(f[key].p50)} / ${duration(f[key].p99)} / ${duration(f[key].max)}` : '–'),
];

/** @param {number | undefined} cpuSeconds @param {number} seconds @returns {string} cores */
const coresText = (cpuSeconds, seconds) => (cpuSeconds === undefined || !seconds ? '–' : plain(cpuSeconds / seconds));

/** @param {LegResults} results @returns {string} over the seconds of the steady state */
const intervalsText = ({ response, failedShare }) =>
  ['p50', 'p99']
    .map((name) => {
      const [low, high] = (isKnown(failedShare, Number(name.slice(1))) && response?.intervals?.[name]) || [];
      return low === undefined ? '–' : `${duration(low)} to ${duration(high)}`;
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
    ['client-cpu', 'Client CPU, cores in use', (f) => coresText(f.clientCpuSeconds, f.seconds)],
    ...some(
      (f) => f.idlePollSeconds,
      ['idle-polling', 'Client CPU, cores idle polling (busyPoll)', (f) => coresText(f.idlePollSeconds, f.seconds)],
    ),
    ['server-cpu', 'Server CPU, cores in use', (f) => coresText(f.serverCpuSeconds, f.seconds)],
    ['memory', 'Peak memory, client / server', (f) => `${bytes(f.clientRss)} / ${bytes(f.serverRss)}`],
    ['threads', 'Server threads / processes', (f) => `${count(f.serverThreads)} / ${count(f.serverProcesses)}`],
    ['limited-by', 'Limited by', (f) => f.limitedBy ?? '–'],
    ...some(
      (f) => f.serverModel,
      ['server-model', 'Server', (f) => modelText(f) ?? '–'],
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
function everyOther(ran) {
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
  return html`<details><summary>Every other figure</summary><div class="scroll" tabindex="0" role="region"
aria-label="Every other figure"><table class="details${areMany(ran) ? ' of-many' : ' few'}"><thead><tr><td></td>${head}</tr></thead><tbody>${rows}</tbody></table></div></details>`;
}

/** @param {LegResults[]} results @param {string} loop @returns {import('../html.js').Fragment} */
export function totals(results, loop) {
  const legGroups = areMany(results) ? grouped(results) : [{ name: '', results }];
  const ran = legGroups.flatMap((group) => group.results).filter((f) => f.ran);
  const details = ran.length ? everyOther(ran) : null;
  const content = html`
<p class="lead">${
    results.some((f) => f.workload === 'once')
      ? 'All figures cover the whole leg'
      : results.some((f) => f.churns)
        ? `Numbers of connections cover the whole leg; rates and response times cover the ${scopeText(results)}. Reopened were closed as planned; lost ended by an error`
        : `Numbers of connections cover the whole leg; open and unanswered are those just before the drain. Response times and throughput cover the ${scopeText(results)}`
  }. A percentile reads “&gt; max” where too many transfers failed or were unfinished for it to be known.</p>
${headline(results, loop, legGroups)}${details}`;
  return legSection(results, { id: 'totals', title: 'Totals' }, content);
}
