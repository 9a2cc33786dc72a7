/**
 * Runs in index.html: filters the list of runs, and shows two that are picked side by side with the command that compares
 * them. The intervals are made by that command, from the run folders.
 */

/** @param {string} tag @param {string} text @returns {HTMLElement} */
function textElement(tag, text) {
  const made = document.createElement(tag);
  made.textContent = text;
  return made;
}

/** Of two runs of many servers, the figures that both have come first. */
const MAX_ROWS = 40;

/** @param {string} word @returns {string} as a shell takes it */
const quoted = (word) => (/^[\w.:-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

/** @param {HTMLElement} place @param {HTMLElement[]} picked items of the list, the newer one first */
function showPicked(place, picked) {
  place.replaceChildren();
  place.hidden = picked.length === 0;
  if (picked.length === 1) place.append(textElement('p', 'Check a second run to see both side by side.'));
  if (picked.length !== 2) return;
  const table = document.createElement('table');
  const rows = picked.map((item) => JSON.parse(item.dataset.figures ?? '{}'));
  const head = ['', ...picked.map((item) => item.dataset.run ?? '')];
  const all = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const common = all.filter((name) => rows.every((row) => row[name] !== undefined));
  const names = [...common, ...all.filter((name) => !common.includes(name))];
  const shown = names.slice(0, MAX_ROWS);
  for (const cells of [head, ...shown.map((name) => [name, ...rows.map((row) => row[name] ?? '–')])]) {
    const line = document.createElement('tr');
    line.append(...cells.map((cell, i) => textElement(i === 0 || cells === head ? 'th' : 'td', cell)));
    table.append(line);
  }
  const command = `npm run compare -- ${picked.map((item) => quoted(item.dataset.run ?? '')).join(' ')}`;
  place.append(table);
  if (shown.length < names.length) place.append(textElement('p', `${names.length - shown.length} more figures.`));
  place.append(textElement('p', 'Whether they differ, with 95 % intervals:'), textElement('code', command));
}

/** Does nothing on a page without a list of runs. */
export function listenToRuns() {
  const list = document.getElementById('runs');
  const filter = /** @type {HTMLInputElement | null} */ (document.getElementById('runs-filter'));
  const place = document.getElementById('runs-picked');
  if (!list || !filter || !place) return;
  const items = /** @type {HTMLElement[]} */ ([...list.querySelectorAll('li[data-run]')]);
  const boxOf = (/** @type {HTMLElement} */ item) => /** @type {HTMLInputElement} */ (item.querySelector('input'));
  filter.addEventListener('input', () => {
    const words = filter.value.toLowerCase().split(/\s+/);
    for (const item of items) {
      const text = `${item.dataset.run} ${item.textContent}`.toLowerCase();
      item.hidden = !words.every((word) => text.includes(word));
    }
  });
  list.addEventListener('change', ({ target }) => {
    if (target === filter) return;
    const picked = items.filter((item) => boxOf(item).checked);
    for (const item of items) boxOf(item).disabled = picked.length === 2 && !boxOf(item).checked;
    showPicked(place, picked);
  });
}
