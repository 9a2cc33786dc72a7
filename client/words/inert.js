// Makes text from outside (a server under test, a target, a build, another host) harmless for terminals and the logs of
// CI jobs. Set-up loads this file in an old Node, too.

/**
 * C0 except tab and line feed, DEL, C1, and Unicode's line separators and bidirectional controls.
 */
// eslint-disable-next-line no-control-regex
const CONTROLS = /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;
/** GitHub's workflow commands: `::error::` and the like at the start of a line, after any blanks. */
const WORKFLOW_COMMAND = /^([^\S\n]*):(?=:[a-z].*::)/gim;
/** `##[error]` and `##vso[...]` anywhere in a line: GitHub's older commands, and Azure's. */
const LOGGING_COMMAND = /##(?=\w*\[)/g;

/**
 * @param {string} character
 * @returns {string} such as `\x1b`; beyond ASCII an escape of JSON, so that a JSON text keeps its meaning
 */
function escapeOf(character) {
  if (character === '\r') return '\\r';
  const code = character.charCodeAt(0);
  const hex = code.toString(16);
  return code < 0x7f ? '\\x' + hex.padStart(2, '0') : '\\u' + hex.padStart(4, '0');
}

/** @param {string} text @returns {string} the text with visible control characters, except tab and line feed */
export const printable = (text) => text.replace(CONTROLS, escapeOf);

/** @param {string} text whole lines @returns {string} printable text without commands for the log of a CI job */
export const inert = (text) =>
  printable(text).replace(WORKFLOW_COMMAND, '$1\\x3a').replace(LOGGING_COMMAND, '#\\u0023');
