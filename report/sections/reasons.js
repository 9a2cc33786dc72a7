/** Why connections were rejected or slow, and who was the limit: leg by leg in words, then the kernel's counters. */
import { html } from '../html.js';
import { kneeReasons, kneeWords } from '../knee.js';
import { bytes, count, duration, percent } from '../units.js';
import { countersMoved, KERNEL_WORDS } from './kernel-words.js';

/** @typedef {import('../types.js').Facts} Facts */

const PAGE_BYTES = 4096;
const SIDES = ['machine', 'client', 'server'];
/** More than so many are told by their extremes. */
const MOST_LISTED = 8;

/** Who was the limit, for which part of the steady state. @param {Facts} facts */
function limitBar({ limits }) {
  if (!limits) return null;
  const parts = SIDES.filter((side) => limits[side] > 0);
  const text = parts.length
    ? `Limited by ${parts.map((side) => `the ${side} ${percent(limits[side])}`).join(', ')} of the steady state.`
    : 'No side was at its limit in the steady state.';
  return html`<div class="shares" role="img" aria-label="${text}">${parts.map(
    (side) => html`<i class="share-${side}" style="width:${(limits[side] * 100).toFixed(2)}%"></i>`,
  )}</div><p class="small">${text}</p>`;
}

/** @param {number[]} shares of a core @returns {string} each, or the extremes of many */
function sharesText(shares) {
  if (shares.length <= MOST_LISTED) return shares.map((share) => percent(share)).join(', ');
  const sorted = [...shares].sort((a, b) => a - b);
  return `${percent(sorted[0])} to ${percent(sorted[sorted.length - 1])}, median ${percent(sorted[sorted.length >> 1])}`;
}

/** @param {Facts} facts @returns {import('../html.js').Fragment | null} each thread and process */
function cores({ engines, processCpu }) {
  const lines = [
    engines?.length
      ? `${count(engines.length)} engine thread${engines.length > 1 ? 's' : ''}: on a core ${sharesText(
          engines.map(({ cpu }) => cpu),
        )} of the time, waiting for one ${sharesText(engines.map(({ wait }) => wait))}`
      : null,
    processCpu?.length
      ? `${count(processCpu.length)} server process${processCpu.length > 1 ? 'es' : ''}, of a core: ${sharesText(processCpu)}`
      : null,
  ].filter(Boolean);
  return lines.length ? html`<ul class="small">${lines.map((line) => html`<li>${line}</li>`)}</ul>` : null;
}

/** @param {Facts} facts @returns {string | null} connects that waited for another SYN */
function connectText({ connectSteps, connect }) {
  if (!connectSteps?.length) return null;
  const late = connectSteps.reduce((sum, { connections }) => sum + connections, 0);
  const steps = connectSteps
    .filter(({ connections }) => connections > 0)
    .map(({ atNs, connections }) => `${count(connections)} after ${duration(atNs)}`);
  return `${count(late)} of ${count(connect?.count)} connects had to wait for another SYN: ${steps.join(', ')}. The accept queue
was full, the kernel dropped the SYN and the client’s sent it again at those times.`;
}

/** @param {Facts} facts @returns {string | null} */
function tcpText({ rtt, tcp }) {
  if (!rtt) return null;
  const again = tcp?.sampled
    ? ` ${tcp.retransmitted ? percent(tcp.retransmitted / tcp.sampled) : 'None'} of ${count(tcp.sampled)} readings were of a connection that had sent something again.`
    : '';
  return `TCP’s round trip: p50 ${duration(rtt.p50)}, p99 ${duration(rtt.p99)}.${again}`;
}

/** @param {Facts} facts @returns {string[]} of the leg’s warnings, those about the server and its limits */
const ceilings = ({ warnings }) => warnings.filter((warning) => /server|descriptor|thread|process/i.test(warning));

/** @param {Facts} facts @returns {import('../html.js').Fragment} */
function legReasons(facts) {
  const knee = kneeWords(facts);
  const reasons = kneeReasons(facts);
  const sentences = [connectText(facts), tcpText(facts)].filter(Boolean);
  return html`<li class="reason leg-${facts.index % 8}"><h3>${facts.label}</h3>${limitBar(facts)}${cores(facts)}${
    knee ? html`<p><b>${knee[0].toUpperCase() + knee.slice(1)}</b>${reasons ? `: ${reasons}.` : '.'}</p>` : null
  }${sentences.map((sentence) => html`<p>${sentence}</p>`)}${
    ceilings(facts).length ? html`<ul>${ceilings(facts).map((warning) => html`<li>${warning}</li>`)}</ul>` : null
  }</li>`;
}

/**
 * @param {Facts[]} ran
 * @param {(f: Facts) => Record<string, number> | undefined} of
 * @param {string} where
 * @param {any} [memPages] tcp_mem
 * @returns {import('../html.js').Fragment | null}
 */
function counters(ran, of, where, memPages) {
  const readings = ran.map((f) => of(f) ?? {});
  const moved = countersMoved(readings);
  const memory = readings.some((kernel) => kernel.TcpMemPages > 0);
  if (!moved.length && !memory) return null;
  const pages = (/** @type {number | undefined} */ n) => (n === undefined ? '–' : bytes(n * PAGE_BYTES));
  const rows = moved.map(
    (name) => html`<tr><th scope="row">${KERNEL_WORDS[name]?.[0] ?? name}<span>${KERNEL_WORDS[name]?.[1] ?? ''}</span></th>${readings.map(
      (kernel) => html`<td>${count(kernel[name] ?? 0)}</td>`,
    )}</tr>`,
  );
  const memoryRow = memory
    ? html`<tr><th scope="row">most memory TCP held<span>${
        memPages
          ? `Of the whole machine; under pressure from ${pages(memPages.pressure)}, dropping from ${pages(memPages.high)} (net.ipv4.tcp_mem).`
          : 'Of the whole machine.'
      }</span></th>${readings.map((kernel) => html`<td>${pages(kernel.TcpMemPages)}</td>`)}</tr>`
    : null;
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Kernel counters, ${where}"><table class="counters"><thead><tr><td>Counted by the kernel, ${where}</td>${ran.map(
    (f) => html`<th scope="col" class="leg leg-${f.index % 8}"><i class="chip"></i>${f.label}</th>`,
  )}</tr></thead><tbody>${rows}${memoryRow}</tbody></table></div>`;
}

/**
 * @param {Facts[]} facts
 * @param {Record<string, any> | null} environment
 * @returns {import('../html.js').Fragment | null}
 */
export function reasons(facts, environment) {
  const ran = facts.filter((f) => f.ran);
  if (ran.length === 0) return null;
  const few = (environment?.cores ?? Infinity) <= 4 && ran.some((f) => (f.limits?.machine ?? 0) > 0.5);
  const tables = [
    counters(
      ran,
      (f) => f.kernel,
      'in the client’s network namespace, by everything in it, over the leg',
      environment?.tcp?.memPages,
    ),
    ran.some((f) => f.serverKernel)
      ? counters(ran, (f) => f.serverKernel, 'in the server’s own network namespace, over the leg')
      : null,
  ];
  return html`<section id="reasons" aria-labelledby="reasons-title"><h2 id="reasons-title">Why</h2>
<p class="lead">What held each leg back, and what happened to connections below the sockets.${
    few ? ' Client and server share few cores here, so the machine is the limit: the usual case, and no alarm.' : ''
  } Waiting is time in which a thread was ready to run and had no core.</p>
<ul class="cards reasons n${Math.min(ran.length, 4)}">${ran.map(legReasons)}</ul>${tables}</section>`;
}
