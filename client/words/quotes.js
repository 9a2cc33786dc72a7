// Texts for quotes: bytes from the server that explain a failure.

/** @import { Quote } from '../../config/types.js' */

/** When the server sent the bytes, by the kind of the quote. @type {Readonly<Record<Quote['kind'], string>>} */
const OCCASIONS = {
  reset: 'before it reset a connection',
  closed: 'before it closed a connection',
  timeout: 'at the beginning of a reply that timed out',
  corrupt: 'in a wrong reply',
  protocol: 'in a message that cannot be parsed',
  other: 'before a connection broke',
  greeting: 'in place of a greeting',
  '4xx': 'in a reply of 4xx',
  '5xx': 'in a reply of 5xx',
  error: 'in an error reply',
  'wrong-status': 'in a reply with a status that was not expected',
  'wrong-body': 'in a reply without the text that was expected',
  redirect: 'as the target of a redirect',
};

/** @param {Quote} quote @returns {string} such as "before it closed a connection that was idle" */
export const quoteOccasion = ({ kind, state }) => {
  if (state !== 'idle') return OCCASIONS[kind];
  if (kind === 'protocol') return 'in bytes that no request asked for';
  return ['reset', 'closed', 'other'].includes(kind)
    ? `${OCCASIONS[kind]} that was idle`
    : `${OCCASIONS[kind]}, on an idle connection`;
};

/** @param {string} text escaped @returns {string} the text with a blank for each line break */
const inOneLine = (text) =>
  text
    .replace(/\\(.)/g, (escape, character) => ('rnt'.includes(character) ? ' ' : escape))
    .replace(/ +/g, ' ')
    .trim();

/** The first line of an escaped text. */
const LINE = /^(?:[^\\]|\\[^nr]|\\r(?!\\n))*/;

/** Kinds that quote the status line and the body of a reply. */
const REPLY_KINDS = ['4xx', '5xx', 'wrong-status', 'wrong-body'];

/** @param {Quote} quote @returns {string} in quotation marks: the whole reply, or the first line of other bytes */
export function quoteText({ kind, text }) {
  if (REPLY_KINDS.includes(kind)) return `"${inOneLine(text)}"`;
  const line = LINE.exec(text)?.[0] || text;
  return `"${line}${/^(\\r|\\n)*$/.test(text.slice(line.length)) ? '' : ' ...'}"`;
}
