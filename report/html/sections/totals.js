/** The table of totals: rejects, errors and unanswered stand on one line with the response times they qualify. */
import { causesSeen, ERROR_WORDS, REJECT_WORDS } from '../../model/charts/words.js';
import { beyondMax } from '../../model/leg-results.js';
import { areMany, grouped } from '../../model/leg-order.js';
import { html } from '../html.js';
import { placesText } from '../../../client/results/leg-figures.js';
import { endingText } from '../../../client/results/phrases/endings.js';
import { repliesText, unwantedText } from '../../../client/results/phrases/replies.js';
import { scopeText } from '../../model/scope.js';
import { modelText } from '../../model/server-words.js';
import { bytes, count, duration, percent, plain, rate, throughput } from '../../../client/results/format.js';
import { columnHead, folded, groupedRows, only, rowHead } from './leg-name.js';

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

/** Once closes each connection when it has its answer: what counts is how many had one. @type {Column} */
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

/** ... of connections that took up an earlier session. @type {[string, Column[]]} */
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
/** ... and what one that was asked took. @type {[string, Column[]]} */
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
  // of few legs the overview says it, and the table would be wider than the page
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
  /** @type {[string, Column[]]} as above: of few legs the overview has the service times */
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
  return [[name, [ANSWERED, ...columns]], times];
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
  return rowHead(results, some && results.fewPlaces ? html`<span class="said bad">${some}</span>` : null);
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
      html`<tr>${legHead(f)}${shown.map(([group, columns]) =>
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
      ? html`<p class="lead foot">* Only of the connections that were served.</p>`
      : null
  }`;
}

/** @param {LegResults[]} results @returns {Array<[string, (f: LegResults) => string]>} every other figure, one row each */
function detailRows(results) {
  const seen = (/** @type {'rejects' | 'errors'} */ kind, /** @type {Record<string, string>} */ words) => {
    const all = results.reduce((sum, f) => {
      for (const [cause, n] of Object.entries(f[kind])) sum[cause] = (sum[cause] ?? 0) + n;
      return sum;
    }, /** @type {Record<string, number>} */ ({}));
    return causesSeen(all, words).map(
      (cause) =>
        /** @type {[string, (f: LegResults) => string]} */ ([
          `${kind === 'rejects' ? 'Rejects' : 'Errors'}: ${words[cause] ?? cause}`,
          (f) => count(f[kind][cause] ?? 0),
        ]),
    );
  };
  /** @param {string} name @param {'connect' | 'handshake' | 'resumption' | 'recovery' | 'service'} key */
  const spread = (name, key) =>
    /** @type {[string, (f: LegResults) => string]} */ ([
      `${name} p50 / p99 / max`,
      (f) => (f[key] ? `${duration(f[key].p50)} / ${duration(f[key].p99)} / ${duration(f[key].max)}` : '–'),
    ]);
  const kernel = [...new Set(results.flatMap((f) => Object.keys(f.kernel)))].filter((name) =>
    results.some((f) => f.kernel[name]),
  );
  return [
    [
      'Attempts (opened + rejected + abandoned)',
      (f) => `${count(f.attempts)} (${count(f.opened)} + ${count(f.rejected)} + ${count(f.abandoned)})`,
    ],
    ['Most open at a time', (f) => count(f.peakOpen)],
    ...(results.some((f) => f.lostWithWorker)
      ? [
          /** @type {[string, (f: LegResults) => string]} */ ([
            'Open connections that went with a worker of the client',
            (f) => count(f.lostWithWorker),
          ]),
        ]
      : []),
    ...seen('rejects', REJECT_WORDS),
    ...seen('errors', ERROR_WORDS),
    ['Transfers completed', (f) => count(f.transfers)],
    ...[...new Set(results.flatMap((f) => Object.keys(f.statuses)))].map(
      (status) =>
        /** @type {[string, (f: LegResults) => string]} */ ([
          `Replies: ${status}`,
          (f) => count(f.statuses[status] ?? 0),
        ]),
    ),
    ['Transfers failed', (f) => count(f.failed)],
    ['Transfers unfinished at the end', (f) => count(f.unfinished)],
    ...(results.every((f) => f.closed)
      ? []
      : [
          /** @type {[string, (f: LegResults) => string]} */ ([
            'Requests due / sent late / unsent',
            (f) => `${count(f.due)} / ${count(f.late)} / ${count(f.unsent)}`,
          ]),
        ]),
    ['Failed or unfinished share beside the percentiles', (f) => percent(f.failedShare)],
    ['Payload sent / received', (f) => `${bytes(f.bytesSent)} / ${bytes(f.bytesReceived)}`],
    ['Response time min / mean', (f) => `${duration(f.response?.min)} / ${duration(f.response?.mean)}`],
    ...(results.some((f) => f.service) ? [spread('Service time (from sent)', 'service')] : []),
    ['Open ÷ throughput, beside p50', (f) => f.saturation?.text ?? '–'],
    spread('Connect time', 'connect'),
    ...(results.some((f) => f.handshake) ? [spread('Handshake time (TLS)', 'handshake')] : []),
    ...(results.some((f) => f.resumption) ? [spread('Resumed handshakes', 'resumption')] : []),
    spread('Recovery time', 'recovery'),
    [
      `Transfers per connection${results.some((f) => f.reopened) ? ', with those opened in its place,' : ''} min / p1 / p50 / max`,
      (f) =>
        f.perConnection
          ? [f.perConnection.min, f.perConnection.p1, f.perConnection.p50, f.perConnection.max].map(count).join(' / ')
          : '–',
    ],
    [
      'Client CPU, cores in use',
      (f) => (f.clientCpuSeconds === undefined || !f.seconds ? '–' : plain(f.clientCpuSeconds / f.seconds)),
    ],
    ...(results.some((f) => f.idlePollSeconds)
      ? [
          /** @type {[string, (f: LegResults) => string]} */ ([
            'of it idle polling (busyPoll)',
            (f) => (f.idlePollSeconds === undefined || !f.seconds ? '–' : plain(f.idlePollSeconds / f.seconds)),
          ]),
        ]
      : []),
    [
      'Server CPU, cores in use',
      (f) => (f.serverCpuSeconds === undefined || !f.seconds ? '–' : plain(f.serverCpuSeconds / f.seconds)),
    ],
    ['Peak memory, client / server', (f) => `${bytes(f.clientRss)} / ${bytes(f.serverRss)}`],
    ['Server threads / processes', (f) => `${count(f.serverThreads)} / ${count(f.serverProcesses)}`],
    ['Limited by', (f) => f.limitedBy ?? '–'],
    ...(results.some((f) => f.serverModel)
      ? /** @type {Array<[string, (f: LegResults) => string]>} */ ([
          ['Server', (f) => modelText(f) ?? '–'],
          ['Connections it serves at once', (f) => placesText(f) ?? '–'],
        ])
      : []),
    ['Ended', (f) => endingText(f.endedBy)],
    ['Transfer log rows / missing', (f) => `${count(f.logRows)} / ${count(f.logMissing)}`],
    ...kernel.map(
      (name) => /** @type {[string, (f: LegResults) => string]} */ ([`Kernel: ${name}`, (f) => count(f.kernel[name])]),
    ),
  ];
}

/**
 * @param {LegResults[]} ran
 * @returns {import('../html.js').Fragment} figures below each other, legs side by side; many legs the other way
 */
function everyOther(ran) {
  const figures = detailRows(ran);
  const [head, rows] = areMany(ran)
    ? [
        figures.map(([name]) => html`<th scope="col">${name}</th>`),
        ran.map((f) => html`<tr>${rowHead(f)}${figures.map(([, of]) => html`<td>${of(f)}</td>`)}</tr>`),
      ]
    : [
        ran.map(columnHead),
        figures.map(
          ([name, of]) =>
            html`<tr><th scope="row">${name}</th>${ran.map((f) => html`<td data-name="${f.label}">${of(f)}</td>`)}</tr>`,
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
  return html`<section id="totals" aria-labelledby="totals-title"><h2 id="totals-title">Totals</h2>
<p class="lead">${
    results.some((f) => f.workload === 'once')
      ? 'All over the whole leg'
      : results.some((f) => f.churns)
        ? `Connections over the whole leg, and rates and response time: ${scopeText(results)}. Reopened counts what was planned; lost would be errors`
        : `Connections over the whole leg, open and unanswered at its end before the drain; response time and throughput: ${scopeText(results)}`
  }. A percentile is “&gt; max” where more transfers failed there, or stayed unfinished at its end, than it leaves room for.</p>
${areMany(results) ? folded(results, headline(results, loop, legGroups)) : headline(results, loop, legGroups)}${details}</section>`;
}
