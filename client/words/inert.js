// Text of others (a server under test, a target, a build, another host) that is only seen: neither a terminal nor the
// log of a CI job acts upon it. Pure. Set-up loads it in an old Node, too.

/**
 * C0 but tab and line feed, DEL, C1; what separates lines, and what reorders them (the bidirectional controls of
 * Unicode).
 */
// eslint-disable-next-line no-control-regex
const CONTROLS = /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;
/** `::error::` and the like at the start of a line, of which GitHub takes off the blanks. */
const WORKFLOW_COMMAND = /^([^\S\n]*):(?=:[a-z].*::)/gim;
/** `##[error]` and `##vso[...]` anywhere in a line: the older form of GitHub, and that of Azure. */
const LOGGING_COMMAND = /##(?=\w*\[)/g;

/**
 * @param {string} character
 * @returns {string} such as `\x1b`; beyond ASCII as in JSON, whose texts mean the same afterwards
 */
function escapeOf(character) {
  if (character === '\r') return '\\r';
  const code = character.charCodeAt(0);
  const hex = code.toString(16);
  return code < 0x7f ? '\\x' + hex.padStart(2, '0') : '\\u' + hex.padStart(4, '0');
}

/** @param {string} text @returns {string} with its control characters shown, but for tabs and the ends of lines */
export const printable = (text) => text.replace(CONTROLS, escapeOf);

/** @param {string} text whole lines @returns {string} printable, and no command to the log of a CI job */
export const inert = (text) =>
  printable(text).replace(WORKFLOW_COMMAND, '$1\\x3a').replace(LOGGING_COMMAND, '#\\u0023');
