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

/** @param {HTMLElement} place @param {HTMLElement[]} picked items of the list, the newer one first */
function showPicked(place, picked) {
  place.replaceChildren();
  place.hidden = picked.length === 0;
  if (picked.length === 1) place.append(textElement('p', 'Pick a second run to compare it with.'));
  if (picked.length !== 2) return;
  const table = document.createElement('table');
  const rows = picked.map((item) => JSON.parse(item.dataset.figures ?? '{}'));
  const head = ['', ...picked.map((item) => item.dataset.run ?? '')];
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  for (const cells of [head, ...names.map((name) => [name, ...rows.map((row) => row[name] ?? '–')])]) {
    const line = document.createElement('tr');
    line.append(...cells.map((cell, i) => textElement(i === 0 || cells === head ? 'th' : 'td', cell)));
    table.append(line);
  }
  const command = `npm run compare -- ${picked.map((item) => item.dataset.run).join(' ')}`;
  place.append(table, textElement('p', 'Whether they differ, with 95 % intervals:'), textElement('code', command));
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
