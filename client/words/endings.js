// Texts for why a leg or a run ended, for console and page.

/** @import { EndedBy } from '../../config/types.js' */

/** @typedef {EndedBy | 'never'} Ending  never: the leg was not started */

/** @type {Readonly<Record<Ending, string>>} */
export const ENDINGS = Object.freeze({
  plan: 'as planned',
  done: 'all transfers done',
  confident: 'the comparison was decided',
  'stop-on': 'a stopOn condition held',
  interrupted: 'interrupted',
  'server-start': 'the server was not ready',
  'target-lost': 'the target stopped accepting connections',
  'no-transfers': 'no successful transfer was measured',
  inconsistent: 'its figures contradict each other',
  workers: 'worker processes were lost',
  error: 'an error ended it',
  cut: 'the run was killed',
  running: 'in progress',
  never: 'not started',
});

/** @param {string} endedBy of a run @returns {boolean} whether a signal ended it */
export const isInterrupted = (endedBy) => endedBy === 'interrupted';

/** @param {string} endedBy of a leg or a run @returns {string} such as "the server was not ready" */
export const endingText = (endedBy) => /** @type {Record<string, string>} */ (ENDINGS)[endedBy] ?? endedBy;

/**
 * @param {string} text a failure's message
 * @returns {string} its first line, without the clause that introduces the following lines
 */
export const firstLineOf = (text) => text.replace(/\n.*$/s, '\n').replace(/(?:; [^;\n]*:)?\n$/, '');
