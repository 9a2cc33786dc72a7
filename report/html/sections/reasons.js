/** Why connections were rejected or slow, and who was the limit: leg by leg in words, then the kernel's counters. */
import { isBackgroundLoad } from '../../../client/results/background-load.js';
import { causesSeen, causesText, ERROR_WORDS, REJECT_WORDS } from '../../model/charts/words.js';
import { noSecondSyn } from '../../model/leg-results.js';
import { areMany, grouped } from '../../model/leg-order.js';
import { html } from '../html.js';
import { causeName, REJECT_MEANINGS } from '../../../client/results/phrases/causes.js';
import { kneeReasons, kneeText } from '../../../client/results/phrases/knee.js';
import { sharesMachine } from '../../model/placement.js';
import { count, duration, percent } from '../../../client/results/format.js';
import { counters } from './counters.js';
import { folded, groupedRows, legClass, rowHead } from './leg-name.js';

/** @typedef {import('../../types.js').LegResults} LegResults */
/** @typedef {import('../html.js').Fragment} Fragment */

const FEW_CORES = 4;
const SIDES = ['machine', 'client', 'server'];
/** More than so many are told by their extremes. */
const MAX_LISTED = 3;

/** @param {LegResults} results @returns {string[]} sides that were the limit for some of the steady state */
const limiting = ({ limits }) => SIDES.filter((side) => (limits?.[side] ?? 0) > 0);

/** @param {LegResults} results @param {string} text @returns {Fragment} a bar of the sides' parts of the steady state */
const shareBar = (results, text) =>
  html`<div class="shares" role="img" aria-label="${text}">${limiting(results).map(
    (side) => html`<i class="share-${side}" style="width:${((results.limits?.[side] ?? 0) * 100).toFixed(2)}%"></i>`,
  )}</div>`;

/** Who was the limit, for which part of the steady state. @param {LegResults} results */
function limitBar(results) {
  const { limits } = results;
  if (!limits) return null;
  const parts = limiting(results);
  const rest = limits.none > 0 && parts.length ? `, no side ${percent(limits.none)}` : '';
  const text = parts.length
    ? `Limit: ${parts.map((side) => `the ${side} for ${percent(limits[side])}`).join(', ')}${rest} of the steady state.`
    : 'No side was at its limit in the steady state.';
  return html`${shareBar(results, text)}<p class="small">${text}</p>`;
}

/** @param {number[]} shares of a core @returns {string} each of a few, the extremes of many */
function sharesText(shares) {
  if (shares.length <= MAX_LISTED) return shares.map((share) => percent(share, 2)).join(', ');
  const sorted = [...shares].sort((a, b) => a - b);
  const [least, most] = [sorted[0], sorted[sorted.length - 1]].map((share) => percent(share, 2));
  return least === most ? `${least} each` : `${least} to ${most}`;
}

/**
 * A small column each: on a core below, waiting for one above it. Readable with one and with 32.
 * @param {Array<{ cpu: number, wait?: number }>} threads @param {string} text @param {string} side
 */
function columns(threads, text, side) {
  const most = threads.reduce((sum, { cpu, wait = 0 }) => Math.max(sum, cpu + wait), 1);
  const high = (/** @type {number} */ share) => `height:${((share / most) * 100).toFixed(1)}%`;
  return html`<div class="threads ${side}"><div class="columns" role="img" aria-label="${text}">${threads.map(
    ({ cpu, wait = 0 }) => html`<i><s style="${high(wait)}"></s><b style="${high(cpu)}"></b></i>`,
  )}</div><p class="small">${text}</p></div>`;
}

/** @param {LegResults} results @returns {Fragment[]} each thread and process */
function cores({ engines, processCpu, serverProcesses = 0, plannedProcesses = 0 }) {
  const drawn = [];
  if (engines?.length) {
    const [cpu, wait] = [engines.map((one) => one.cpu), engines.map((one) => one.wait)];
    const name = engines.length > 1 ? `${count(engines.length)} engine threads` : 'The engine thread';
    const spun = engines.map((one) => one.idlePoll ?? 0);
    const looked = spun.some((share) => share > 0)
      ? ` (${sharesText(spun)} looking for replies in vain: busyPoll)`
      : '';
    drawn.push(
      columns(
        engines,
        `${name}: ${sharesText(cpu)} of the time on a core${looked}, ${sharesText(wait)} waiting for one`,
        'of-client',
      ),
    );
  }
  if (processCpu?.length) {
    // One more that serves nobody: it has started the others and watches them.
    const watched = plannedProcesses > 1 && serverProcesses === plannedProcesses + 1;
    const serving = watched ? plannedProcesses : Math.max(serverProcesses, processCpu.length);
    const shown = processCpu.slice(0, serving);
    const name =
      serving > shown.length
        ? `The busiest ${count(shown.length)} of ${count(serving)} server processes`
        : serving > 1
          ? `${count(serving)} server processes`
          : 'The server’s process';
    const text = `${name}: ${sharesText(shown)} of a core${watched ? '; another one only watches them' : ''}`;
    drawn.push(
      columns(
        shown.map((cpu) => ({ cpu })),
        text,
        'of-server',
      ),
    );
  }
  return drawn;
}

/**
 * @param {string} cause of a reject @param {LegResults} results @param {number} [connectTimeoutNs]
 * @returns {string} its name, and what it means
 */
function rejectReason(cause, { kernel, serverKernel }, connectTimeoutNs) {
  const meaning =
    cause === 'timeout' && connectTimeoutNs ? `no answer within ${duration(connectTimeoutNs)}` : REJECT_MEANINGS[cause];
  const full = cause === 'timeout' && (serverKernel ?? kernel).TcpExtListenOverflows > 0;
  const name = causeName(cause);
  return meaning ? `${name}: ${meaning}${full ? ', while accept queues were full' : ''}` : name;
}

/** @param {LegResults} results @param {number} [connectTimeoutNs] @returns {string | null} */
function rejectText(results, connectTimeoutNs) {
  if (!results.rejectsTotal) return null;
  const seen = causesSeen(results.rejects, REJECT_WORDS).sort((a, b) => results.rejects[b] - results.rejects[a]);
  const words = seen.map((cause) => rejectReason(cause, results, connectTimeoutNs));
  const total = results.rejectsTotal === 1 ? 'One reject' : `${count(results.rejectsTotal)} rejects`;
  if (words.length === 1) return `${total}, ${words[0]}.`;
  return `${total}: ${seen.map((cause, i) => `${count(results.rejects[cause])} ${words[i]}`).join('; ')}.`;
}

/** @param {LegResults} results @returns {string | null} */
function errorText(results) {
  if (!results.errorsTotal) return null;
  const causes = causesText(results.errors, ERROR_WORDS, count);
  return `${count(results.errorsTotal)} open connections ended or were spoiled: ${causes}.`;
}

/** @param {LegResults} results @returns {string | null} connects that took as long as another SYN */
function connectText({ connectSteps, connect, kernel, serverKernel }) {
  if (!connectSteps?.length) return null;
  const late = connectSteps.reduce((sum, { connections }) => sum + connections, 0);
  const steps = connectSteps
    .filter(({ connections }) => connections > 0)
    .map(({ atNs, connections }) => `${count(connections)} from ${duration(atNs)} on`);
  const begin = `${count(late)} of ${count(connect?.count)} connects took ${duration(connectSteps[0].atNs)} or more: ${steps.join(', ')}.`;
  if (kernel.TcpExtTCPSynRetrans === 0)
    return `${begin} No SYN was sent again: they waited for the machine, not for the network.`;
  const listening = serverKernel ?? kernel;
  return listening.TcpExtListenOverflows || listening.TcpExtListenDrops
    ? `${begin} The accept queue was full, the kernel dropped the SYN and sent it again at those times.`
    : `${begin} Their SYN had no answer and was sent again at those times: mostly a full accept queue at the server.`;
}

/** @param {LegResults} results @returns {string | null} */
function tcpText({ rtt, tcp }) {
  if (!rtt) return null;
  const share = tcp?.retransmitted ? percent(tcp.retransmitted / tcp.sampled) : 'None';
  const again = tcp?.sampled
    ? ` ${share} of the ${count(tcp.sampled)} readings found a connection that had sent something again.`
    : '';
  return `TCP’s round trip: p50 ${duration(rtt.p50)}, p99 ${duration(rtt.p99)}.${again}`;
}

/** @param {LegResults} results @param {number} [connectTimeoutNs] @returns {string[]} nothing where all went well */
const happenedTo = (results, connectTimeoutNs) =>
  [rejectText(results, connectTimeoutNs), errorText(results), connectText(results)].filter((text) => text !== null);

/** @param {LegResults} results @param {number} [connectTimeoutNs] @returns {Fragment} */
function legReasons(results, connectTimeoutNs) {
  const knee = kneeText(results.ramp);
  const why = kneeReasons(results.ramp);
  const happened = happenedTo(results, connectTimeoutNs);
  const waited = noSecondSyn(results) ? ', lost or made to wait for a second SYN' : ' or lost';
  const quiet = results.neverAnswered
    ? `No connection was rejected or lost, and ${count(results.neverAnswered)} were never answered.`
    : `No connection was rejected${waited}.`;
  const said = happened.length ? happened : [quiet];
  return html`<li class="reason ${legClass(results.colour)}"><h3>${results.label}</h3>${limitBar(results)}${cores(results)}${said.map(
    (sentence) => html`<p>${sentence}</p>`,
  )}${results.ceilings.map((sentence) => html`<p>Announced before the run: ${sentence}</p>`)}${
    knee ? html`<p><b>${knee[0].toUpperCase() + knee.slice(1)}</b>${why ? `: ${why}.` : '.'}</p>` : null
  }<p>${tcpText(results)}</p></li>`;
}

/**
 * Many legs below each other: who was the limit, what happened, TCP's round trip.
 * @param {LegResults[]} ran @param {number} [connectTimeoutNs] @returns {Fragment}
 */
function rowsOf(ran, connectTimeoutNs) {
  const knees = ran.some((f) => kneeText(f.ramp));
  const row = (/** @type {LegResults} */ f) => {
    const limits = limiting(f)
      .map((side) => `${side} ${percent(f.limits?.[side] ?? 0, 2)}`)
      .join(', ');
    const text = f.limits ? limits || 'no side' : '–';
    const at = f.ramp?.knee?.requested;
    const knee = at === undefined ? (f.ramp?.knee === null ? 'none' : '–') : count(at);
    const said = [...happenedTo(f, connectTimeoutNs), ...f.ceilings.map((one) => `Announced before the run: ${one}`)];
    return html`<tr>${rowHead(f)}<td class="limit ${legClass(f.colour)}">${f.limits ? shareBar(f, text) : null}<span>${text}</span></td>${
      knees ? html`<td class="knee-at">${knee}</td>` : null
    }<td class="rtt">${f.rtt ? `${duration(f.rtt.p50)} / ${duration(f.rtt.p99)}` : '–'}</td><td class="told">${
      said.length
        ? said.map((sentence) => html`<p>${sentence}</p>`)
        : html`<span class="quiet">nothing rejected or lost</span>`
    }</td></tr>`;
  };
  return html`<div class="scroll" tabindex="0" role="region" aria-label="What happened to each server’s connections"><table class="why"><thead><tr><td></td>
<th scope="col" class="limit">who was the limit</th>${knees ? html`<th scope="col">knee at</th>` : null}<th scope="col">TCP’s round trip p50 / p99</th><th scope="col" class="told">what happened</th></tr></thead><tbody>${groupedRows(grouped(ran), knees ? 5 : 4, row)}</tbody></table></div>`;
}

/**
 * That the machine is the limit is no alarm, where client and server share it and nobody else.
 * @param {LegResults[]} ran @param {import('../../types.js').Run} run @returns {string}
 */
function machineText(ran, run) {
  const limited = ran.filter((f) => (f.limits?.machine ?? 0) >= 0.5);
  if (limited.length === 0) return '';
  const shared = limited.filter((f) => f.warnings.some(isBackgroundLoad));
  const programs = 'other programs took their part of the machine: see the warnings';
  if (shared.length)
    return shared.length === limited.length
      ? ` Here ${programs}.`
      : ` In ${shared.map((f) => f.label).join(', ')} ${programs}.`;
  const cores = run.environment?.cores;
  return sharesMachine(run) && cores <= FEW_CORES
    ? ` Client and server share ${count(cores)} ${cores === 1 ? 'core' : 'cores'} here: that the machine is the limit is the usual case.`
    : '';
}

/**
 * @param {LegResults[]} results
 * @param {import('../../types.js').Run} run
 * @returns {Fragment | null}
 */
export function reasons(results, run) {
  const { environment, scenario } = run;
  const many = areMany(results);
  const ran = (many ? grouped(results).flatMap((group) => group.results) : results).filter((f) => f.ran);
  if (ran.length === 0) return null;
  const cards = html`<ul class="cards reasons n${Math.min(ran.length, 4)}">${ran.map((f) => legReasons(f, scenario?.connectTimeoutNs))}</ul>`;
  const tables = [
    counters(
      ran,
      (f) => f.kernel,
      'of the whole network namespace of this machine, not only of this run',
      environment?.tcp?.memPages,
    ),
    ran.some((f) => f.serverKernel)
      ? counters(ran, (f) => f.serverKernel, 'of the whole network namespace of the server, another one')
      : null,
  ];
  return html`<section id="reasons" aria-labelledby="reasons-title"><h2 id="reasons-title">Why connections were rejected or slow</h2>
<p class="lead">What happened to each leg’s connections, and which side was the limit.${machineText(ran, run)} Waiting is time in which a thread was ready to run and had no core.</p>
${many ? html`${folded(ran, rowsOf(ran, scenario?.connectTimeoutNs))}<details><summary>Each server in words, thread by thread</summary>${cards}</details>` : cards}${tables}</section>`;
}
