/** The options of a scenario's protocol, in one line: what is sent, and how a reply ends. Pure. */
import { count, counted, duration, payload } from '../../../client/words/format.js';

const LONGEST_TEXT = 60;
/** These repeat other options in another form. */
const HIDDEN = ['content', 'delimiterContent'];

/** @param {string} text @returns {string} quoted where it has spaces or control characters, cut where it is long */
function shownText(text) {
  const short = text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT)}…` : text;
  return /^[!-~…]+$/.test(short) ? short : JSON.stringify(short);
}

/** @param {string} key @param {unknown} value @returns {string} */
function optionText(key, value) {
  if (typeof value === 'string') return `${key} ${shownText(value)}`;
  if (typeof value === 'number' && key.endsWith('Bytes')) return `${key.slice(0, -5)} ${payload(value)}`;
  if (typeof value === 'number' && key.endsWith('Ns')) return `${key.slice(0, -2)} ${duration(value)}`;
  if (typeof value === 'number') return `${key} ${count(value)}`;
  if (typeof value === 'boolean') return value ? key : `no ${key}`;
  if (key === 'requests') return counted(/** @type {unknown[]} */ (value).length, 'request');
  if (Array.isArray(value)) return `${key} ${value.join(' ')}`;
  const names = Object.entries(Object(value)).map(([name, text]) => `${name}: ${shownText(String(text))}`);
  return names.length > 0 ? `${key} ${names.join('; ')}` : '';
}

/** @param {any} load a scenario @returns {string | undefined} such as "memcached (ratio 9:1, keys 10,000)" */
export function protocolText(load) {
  const name = load?.protocol;
  const options = Object.entries(load?.protocolOptions ?? {})
    .filter(([key]) => !HIDDEN.includes(key))
    .map(([key, value]) => optionText(key, value))
    .filter((text) => text !== '');
  return options.length > 0 ? `${name} (${options.join(', ')})` : name;
}
