/** Texts for the language and the model of a leg's server, from its manifest. */
import { modelText } from '../../client/words/figures.js';

/** @import { PageLeg } from '../types.js' */

/** @type {Record<string, string>} */
const LANGUAGES = { c: 'C', go: 'Go', rust: 'Rust', java: 'Java', python: 'Python', node: 'Node.js' };

/** @param {string} language as manifests have it @returns {string} */
export const languageName = (language) => LANGUAGES[language] ?? language;

/** @param {PageLeg} results @returns {string | undefined} "C: one connection at a time, blocking" */
export function serverText({ summary: { serverModel } }) {
  return serverModel && `${languageName(serverModel.language)}: ${modelText({ serverModel })}`;
}
