/** The contents of a page: links to its sections and figures, to the list of runs, and to an earlier run of the same load. */
import { html, raw } from '../html.js';

/** @typedef {{ file: string, run: string, startedAt?: string }} OtherRun  file: name of its page in the same folder */

/**
 * @param {string} text of the page's sections @param {RegExp} heading with the id and the finished HTML of the title
 * @returns {Array<{ id: string, title: import('../html.js').Fragment }>}
 */
const headingsOf = (text, heading) => [...text.matchAll(heading)].map(([, id, title]) => ({ id, title: raw(title) }));

/** @param {{ id: string, title: import('../html.js').Fragment }} heading */
const link = ({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`;

/**
 * @param {import('../html.js').Fragment} main the page's sections, each with a heading whose id is its own and "-title"
 * @param {OtherRun} [previous] the last earlier run with the same name and load
 * @returns {import('../html.js').Fragment}
 */
export function contents({ text }, previous) {
  const sections = headingsOf(text, /<h2 id="([\w-]+)-title">(.*?)<\/h2>/g);
  const figures = headingsOf(text, /<h3 id="(figure-[\w-]+)">(.*?)<\/h3>/g);
  return html`<nav id="contents" aria-label="Contents"><ul>${sections.map(link)}<li><a href="./index.html#runs">All runs</a></li>${
    previous === undefined
      ? null
      : html`<li><a href="./${encodeURIComponent(previous.file)}" data-run="${previous.run}" title="${previous.run}">Previous run of this load</a></li>`
  }</ul>${
    figures.length === 0
      ? null
      : html`<details><summary>List of figures</summary><ul>${figures.map(link)}</ul></details>`
  }</nav>`;
}

/** The first stop of the keyboard, seen only when it has the focus. */
export const SKIP_LINK = html`<a class="skip" href="#results">Skip to the results</a>`;

/** Stays in view, since a page of many servers is long. */
export const TO_CONTENTS = html`<a class="to-contents" href="#contents">↑ Contents</a>`;
