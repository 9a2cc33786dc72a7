/**
 * What the manifest says of a leg's server, in words: its language, its model, and how many connections it serves at
 * once. Pure. A server with few places is quick for those it serves: that must never look like speed.
 */
import { count } from './units.js';

/** @typedef {import('../types.js').Facts} Facts */

/** Fewer of those asked for, unanswered, do not make the others' response times look too good. */
export const MANY_UNANSWERED = 0.01;

/** @type {Record<string, string>} */
const LANGUAGES = { c: 'C', go: 'Go', rust: 'Rust', java: 'Java', python: 'Python', node: 'Node.js' };

/** @param {string} language as manifests have it @returns {string} */
export const languageName = (language) => LANGUAGES[language] ?? language;

/** @param {Facts} f @returns {string | undefined} such as "C: one connection at a time, blocking calls" */
export function modelText({ serverModel }) {
  return serverModel && `${languageName(serverModel.language)}: ${serverModel.model}`;
}

/** @param {Facts} f @returns {string | undefined} such as "16 threads"; undefined where the manifest is not known */
export function atOnceText({ serverModel }) {
  if (!serverModel) return undefined;
  const { concurrent, by } = serverModel;
  if (concurrent === 'unbounded') return 'unbounded';
  return by ? `${count(concurrent)} ${by}` : count(concurrent);
}

/** @param {Facts} f @returns {string | undefined} of a server that has fewer places than were asked for */
export function placesText({ serverModel, requested = Infinity, peakRequested = requested, alongProfile }) {
  const most = alongProfile ? peakRequested : requested;
  if (!serverModel || serverModel.concurrent === 'unbounded' || serverModel.concurrent >= most) return undefined;
  const { concurrent, by } = serverModel;
  return `serves ${count(concurrent)} at once${by ? ` (${by})` : ''}`;
}

/**
 * Where connections end as planned, whatever is open has only just been opened, or is closed already.
 * @param {Facts} f @returns {number | undefined} connections that were left without an answer, where one was due
 */
export function leftOf(f) {
  if (f.heldOnly) return undefined;
  return f.lives || f.workload === 'reconnect' || f.workload === 'once' ? f.neverAnswered : f.unanswered;
}

/**
 * @param {Facts} f
 * @returns {string | undefined} such as "serves 1 at once: 999 of 1,000 unanswered"; undefined where nearly all were
 *   answered
 */
export function servedOnlySome(f) {
  // Where fewer are asked for than before, those that nobody answers do not leave.
  const [left, requested] = [leftOf(f) ?? 0, Math.max(f.requested ?? 0, f.alongProfile ? (f.open ?? 0) : 0)];
  if (!(left > requested * MANY_UNANSWERED)) return undefined;
  const places = placesText(f);
  return `${places ? `${places}: ` : ''}${count(left)} of ${count(requested)} unanswered`;
}
