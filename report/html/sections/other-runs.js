/** What index.html has more than the page of the newest run: the list of runs, the history of their cases, and a link to it. */

/** In a page the list of other runs takes this place. */
export const OTHER_RUNS = '<!--other-runs-->';
/** In the contents of a page a link to the history takes this place. */
export const TO_HISTORY = '<!--to-history-->';

/** @param {string} page of the newest run @param {string} others the sections of runsSection() @returns {string} index.html */
export function indexOf(page, others) {
  const toHistory = others.includes('<section id="history"') ? '<li><a href="#history">History</a></li>' : '';
  return page.replace(TO_HISTORY, toHistory).replace(OTHER_RUNS, () => others);
}
