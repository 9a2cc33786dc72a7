/** The report as the live page shows it at the end of a run, from a server that then ends. Pure. */
import { html } from '../html/html.js';

/**
 * A browser opens no file from a page that was served: links to other pages of the folder are left out of the contents, and are plain text elsewhere.
 * @param {string} text the page @param {string} path its file
 * @returns {string} the same, with a notice above its title that names the file
 */
export function servedReport(text, path) {
  const scripts = text.indexOf('<script');
  const end = scripts < 0 ? text.length : scripts;
  const notice = html`<div class="top"><p class="notice" role="note" id="served" data-code="served">The run is over, and its live page has ended: this page cannot be loaded again from here. It is the file <code>${path}</code>, in which the links to other runs work.</p></div>`;
  const shown = text
    .slice(0, end)
    .replace(/<li><a href="\.\/[^"]*"[^>]*>[^<]*<\/a><\/li>/g, '')
    .replace(/ href="\.\/[^"]*"/g, '')
    .replace('<header ', () => `${notice}<header `);
  return shown + text.slice(end);
}
