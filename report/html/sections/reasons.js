/** Why connections were rejected or slow, and which side was the limit: leg by leg in words. */
import { areMany, grouped } from '../../model/leg-order.js';
import {
  enginesRemark,
  legRemarks,
  limitingSides,
  limitRemark,
  machineRemark,
  processesRemark,
  rowRemarks,
} from '../../model/reasons.js';
import { html } from '../html.js';
import { kneeCell, kneeText } from '../../../client/words/knee.js';
import { duration, percent } from '../../../client/words/format.js';
import { groupedRows, legClass, rowHead } from './leg-name.js';

/** @typedef {import('../../types.js').PageLeg} PageLeg */
/** @typedef {import('../html.js').Fragment} Fragment */

/** @param {import('../../types.js').Remark | null} remark @returns {Fragment | null} */
function paragraph(remark) {
  if (!remark) return null;
  const [, head, rest] = /^(Knee[^:]*)(.*)$/.exec(remark.text) ?? [];
  return html`<p data-code="${remark.code}">${head ? html`<b>${head}</b>${rest}` : remark.text}</p>`;
}

/** @param {PageLeg} results @param {string} text @returns {Fragment} a bar of the sides' parts of the steady state */
const shareBar = (results, text) =>
  html`<div class="shares" role="img" aria-label="${text}">${limitingSides(results).map(
    (side) =>
      html`<i class="share-${side}" style="width:${((results.summary.limitShares?.[side] ?? 0) * 100).toFixed(2)}%"></i>`,
  )}</div>`;

/** @param {PageLeg} results @returns {Fragment | null} which side was the limit, for which part of the steady state */
function limitBar(results) {
  const remark = limitRemark(results);
  if (!remark) return null;
  return html`${shareBar(results, remark.text)}<p class="small" data-code="${remark.code}">${remark.text}</p>`;
}

/**
 * A small column each: on a core below, waiting for one above it. Readable with one and with 32.
 * @param {import('../../types.js').Remark | null} remark with the shares @param {string} side
 */
function columns(remark, side) {
  if (!remark) return null;
  const { cpu, wait = [] } = /** @type {{ cpu: number[], wait?: number[] }} */ (remark.data);
  const most = cpu.reduce((sum, share, i) => Math.max(sum, share + (wait[i] ?? 0)), 1);
  const high = (/** @type {number} */ share) => `height:${((share / most) * 100).toFixed(1)}%`;
  return html`<div class="threads ${side}" data-code="${remark.code}"><div class="columns" role="img" aria-label="${remark.text}">${cpu.map(
    (share, i) => html`<i><s style="${high(wait[i] ?? 0)}"></s><b style="${high(share)}"></b></i>`,
  )}</div><p class="small">${remark.text}</p></div>`;
}

/** @param {PageLeg} results @param {number} [connectTimeoutNs] @returns {Fragment} */
const legReasons = (results, connectTimeoutNs) =>
  html`<li class="reason ${legClass(results.colour)}"><h3>${results.label}</h3>${limitBar(results)}${columns(
    enginesRemark(results),
    'of-client',
  )}${columns(processesRemark(results), 'of-server')}${legRemarks(results, connectTimeoutNs).map(paragraph)}</li>`;

/**
 * Many legs below each other: which side was the limit, what happened, TCP's round-trip time.
 * @param {PageLeg[]} ran @returns {Fragment}
 */
function rowsOf(ran) {
  const knees = ran.some((f) => kneeText(f.summary.ramp));
  const row = (/** @type {PageLeg} */ f) => {
    const limits = limitingSides(f)
      .map((side) => `${side} ${percent(f.summary.limitShares?.[side] ?? 0, 2)}`)
      .join(', ');
    const text = f.summary.limitShares ? limits || 'no side' : '–';
    const remarks = rowRemarks(f, f.settings.connectTimeoutNs);
    return html`<tr data-leg="${f.label}">${rowHead(f)}<td class="limit ${legClass(f.colour)}">${f.summary.limitShares ? shareBar(f, text) : null}<span>${text}</span></td>${
      knees ? html`<td class="knee-at">${kneeCell(f.summary.ramp) ?? '–'}</td>` : null
    }<td class="rtt">${f.summary.rttNs ? [f.summary.rttNs.min, f.summary.rttNs.p50, f.summary.rttNs.p99].map((ns) => duration(ns)).join(' / ') : '–'}</td><td class="remarks">${
      remarks.length ? remarks.map(paragraph) : html`<span class="quiet">nothing rejected or lost</span>`
    }</td></tr>`;
  };
  return html`<div class="scroll" tabindex="0" role="region" aria-label="What happened to each server’s connections"><table class="why"><thead><tr><td></td>
<th scope="col" class="limit">limit</th>${knees ? html`<th scope="col">knee at</th>` : null}<th scope="col">TCP round-trip time, with the wait for a reply: least / p50 / p99</th><th scope="col" class="remarks">what happened</th></tr></thead><tbody>${groupedRows(grouped(ran), knees ? 5 : 4, row)}</tbody></table></div>`;
}

/**
 * @param {PageLeg[]} results @param {import('../../types.js').Run} run
 * @returns {Fragment | null} null where none ran
 */
export function reasons(results, run) {
  const many = areMany(results);
  const ran = (many ? grouped(results).flatMap((group) => group.results) : results).filter((f) => f.ran);
  if (ran.length === 0) return null;
  const cards = html`<ul class="reasons">${ran.map((f) => legReasons(f, f.settings.connectTimeoutNs))}</ul>`;
  const machine = machineRemark(ran, run);
  return html`<p class="lead">${machine ? html`<span data-code="${machine.code}">${machine.text}</span> ` : null}Waiting means that a thread was ready to run, but no core was free.</p>
${many ? html`${rowsOf(ran)}<details><summary>Each server in words, thread by thread</summary>${cards}</details>` : cards}`;
}
