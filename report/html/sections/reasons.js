/** Why connections were rejected or slow, and who was the limit: leg by leg in words, then the kernel's counters. */
import { isBackgroundLoad } from '../../../client/results/background-load.js';
import { causesSeen, causesText, ERROR_WORDS, REJECT_WORDS } from '../../model/charts/words.js';
import { noSecondSyn } from '../../model/leg-results.js';
import { areMany, grouped } from '../../model/leg-order.js';
import { html } from '../html.js';
import { kneeReasons, kneeWords } from '../../model/knee.js';
import { sharesMachine } from '../../model/placement.js';
import { count, duration, percent } from '../../model/units.js';
import { counters } from './counters.js';
import { folded, groupedRows, legClass, rowHead } from './leg-name.js';

/** @typedef {import('../../types.js').Facts} Facts */
/** @typedef {import('../html.js').Fragment} Fragment */

const FEW_CORES = 4;
const SIDES = ['machine', 'client', 'server'];
/** More than so many are told by their extremes. */
const MOST_LISTED = 3;

/** @param {Facts} facts @returns {string[]} sides that were the limit for some of the steady state */
const limiting = ({ limits }) => SIDES.filter((side) => (limits?.[side] ?? 0) > 0);

/** @param {Facts} facts @param {string} text @returns {Fragment} a bar of the sides' parts of the steady state */
const shareBar = (facts, text) =>
  html`<div class="shares" role="img" aria-label="${text}">${limiting(facts).map(
    (side) => html`<i class="share-${side}" style="width:${((facts.limits?.[side] ?? 0) * 100).toFixed(2)}%"></i>`,
  )}</div>`;

/** Who was the limit, for which part of the steady state. @param {Facts} facts */
function limitBar(facts) {
  const { limits } = facts;
  if (!limits) return null;
  const parts = limiting(facts);
  const rest = limits.none > 0 && parts.length ? `, no side ${percent(limits.none)}` : '';
  const text = parts.length
    ? `Limit: ${parts.map((side) => `the ${side} for ${percent(limits[side])}`).join(', ')}${rest} of the steady state.`
    : 'No side was at its limit in the steady state.';
  return html`${shareBar(facts, text)}<p class="small">${text}</p>`;
}

/** @param {number[]} shares of a core @returns {string} each of a few, the extremes of many */
function sharesText(shares) {
  if (shares.length <= MOST_LISTED) return shares.map((share) => percent(share, 2)).join(', ');
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

/** @param {Facts} facts @returns {Fragment[]} each thread and process */
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

/** What brings a reject about. @type {Record<string, (facts: Facts, connectTimeoutNs?: number) => string>} */
const REJECT_REASONS = {
  refused: () => 'refused: nobody listened on the port',
  reset: () => 'reset: the server, or something before it, ended the handshake',
  timeout: ({ kernel, serverKernel }, ns) =>
    `timeout: no answer${ns ? ` within ${duration(ns)}` : ' in time'}${
      (serverKernel ?? kernel).TcpExtListenOverflows ? ', while accept queues were full' : ''
    }`,
  unreachable: () => 'unreachable: no way to the server’s address',
  greeting: () => 'greeting: the server took the connection and did not welcome it as the protocol says',
  local: () => 'client limit: this side had no port, descriptor or memory left',
};

/** @param {Facts} facts @param {number} [connectTimeoutNs] @returns {string | null} */
function rejectText(facts, connectTimeoutNs) {
  if (!facts.rejectsTotal) return null;
  const seen = causesSeen(facts.rejects, REJECT_WORDS).sort((a, b) => facts.rejects[b] - facts.rejects[a]);
  const words = seen.map((cause) => REJECT_REASONS[cause]?.(facts, connectTimeoutNs) ?? REJECT_WORDS[cause] ?? cause);
  const total = facts.rejectsTotal === 1 ? 'One reject' : `${count(facts.rejectsTotal)} rejects`;
  if (words.length === 1) return `${total}, ${words[0]}.`;
  return `${total}: ${seen.map((cause, i) => `${count(facts.rejects[cause])} ${words[i]}`).join('; ')}.`;
}

/** @param {Facts} facts @returns {string | null} */
function errorText(facts) {
  if (!facts.errorsTotal) return null;
  const causes = causesText(facts.errors, ERROR_WORDS, count);
  return `${count(facts.errorsTotal)} open connections ended or were spoiled: ${causes}.`;
}

/** @param {Facts} facts @returns {string | null} connects that took as long as another SYN */
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

/** @param {Facts} facts @returns {string | null} */
function tcpText({ rtt, tcp }) {
  if (!rtt) return null;
  const share = tcp?.retransmitted ? percent(tcp.retransmitted / tcp.sampled) : 'None';
  const again = tcp?.sampled
    ? ` ${share} of the ${count(tcp.sampled)} readings found a connection that had sent something again.`
    : '';
  return `TCP’s round trip: p50 ${duration(rtt.p50)}, p99 ${duration(rtt.p99)}.${again}`;
}

/** @param {Facts} facts @param {number} [connectTimeoutNs] @returns {string[]} nothing where all went well */
const happenedTo = (facts, connectTimeoutNs) =>
  [rejectText(facts, connectTimeoutNs), errorText(facts), connectText(facts)].filter((text) => text !== null);

/** @param {Facts} facts @param {number} [connectTimeoutNs] @returns {Fragment} */
function legReasons(facts, connectTimeoutNs) {
  const knee = kneeWords(facts);
  const why = kneeReasons(facts);
  const happened = happenedTo(facts, connectTimeoutNs);
  const waited = noSecondSyn(facts) ? ', lost or made to wait for a second SYN' : ' or lost';
  const quiet = facts.neverAnswered
    ? `No connection was rejected or lost, and ${count(facts.neverAnswered)} were never answered.`
    : `No connection was rejected${waited}.`;
  const said = happened.length ? happened : [quiet];
  return html`<li class="reason ${legClass(facts.colour)}"><h3>${facts.label}</h3>${limitBar(facts)}${cores(facts)}${said.map(
    (sentence) => html`<p>${sentence}</p>`,
  )}${facts.ceilings.map((sentence) => html`<p>Announced before the run: ${sentence}</p>`)}${
    knee ? html`<p><b>${knee[0].toUpperCase() + knee.slice(1)}</b>${why ? `: ${why}.` : '.'}</p>` : null
  }<p>${tcpText(facts)}</p></li>`;
}

/**
 * Many legs below each other: who was the limit, what happened, TCP's round trip.
 * @param {Facts[]} ran @param {number} [connectTimeoutNs] @returns {Fragment}
 */
function rowsOf(ran, connectTimeoutNs) {
  const knees = ran.some(kneeWords);
  const row = (/** @type {Facts} */ f) => {
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
 * @param {Facts[]} ran @param {import('../../types.js').Run} run @returns {string}
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
 * @param {Facts[]} facts
 * @param {import('../../types.js').Run} run
 * @returns {Fragment | null}
 */
export function reasons(facts, run) {
  const { environment, scenario } = run;
  const many = areMany(facts);
  const ran = (many ? grouped(facts).flatMap((group) => group.facts) : facts).filter((f) => f.ran);
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
