// Warnings of the same kind about several servers, said once. Pure; used by console and page.
// Plan and summary keep every warning; only what a person reads is grouped.

import { adviceText } from './warnings.js';

/** @typedef {import('./warnings.js').Warning} Warning */
/** @typedef {{ code: string, subject: string, text: string }} Said  subject: the servers it is about; '': the run */

/** @param {Warning} warning @returns {string} the labels of the servers it is about; '' where it is about none */
export const subjectOf = ({ data }) => (Array.isArray(data.servers) ? data.servers.join(', ') : '');

/** @param {{ subject: string, text: string }} said @returns {string} */
export const saidText = ({ subject, text }) => (subject === '' ? text : `${subject}: ${text}`);

/** @param {Warning} warning @returns {string} */
export const warningText = (warning) => saidText({ subject: subjectOf(warning), text: adviceText(warning) });

/** @param {Warning} warning @returns {string} the same for two that differ only in servers and numbers */
function kindOf({ code, data }) {
  const withoutNumbers = (/** @type {string} */ key, /** @type {unknown} */ value) =>
    key === 'servers' || typeof value === 'number' ? undefined : value;
  return `${code} ${JSON.stringify(data, withoutNumbers)}`;
}

/**
 * @param {{ warning: Warning, subject: string }[]} warnings
 * @returns {Said[][]} groups in the order of their first; each with one text per subject
 */
export function groupWarnings(warnings) {
  /** @type {Map<string, Said[]>} */
  const groups = new Map();
  for (const { warning, subject } of warnings) {
    const text = adviceText(warning);
    const key = subject === '' ? `run ${warning.code} ${text}` : `server ${kindOf(warning)}`;
    const group = groups.get(key) ?? [];
    const known = group.some((one) => one.subject === subject && one.text === text);
    if (!known) groups.set(key, [...group, { code: warning.code, subject, text }]);
  }
  return [...groups.values()];
}

/**
 * @param {{ warning: Warning, subject: string }[]} warnings
 * @returns {string[]} one sentence a group, which names all subjects
 */
export function groupedBySubject(warnings) {
  return groupWarnings(warnings).map(([first, ...others]) => {
    if (others.length === 0) return saidText(first);
    const same = others.every(({ text }) => text === first.text);
    const names = others.map(({ subject }) => subject).join(', ');
    return `${saidText(first).replace(/[^.!?]$/, '$&.')} The same${same ? '' : ', with other figures,'} for ${names}.`;
  });
}

/**
 * @param {Warning[]} warnings
 * @returns {string[]} one sentence a group, which names all servers it is about
 */
export const groupedTexts = (warnings) =>
  groupedBySubject(warnings.map((warning) => ({ warning, subject: subjectOf(warning) })));
