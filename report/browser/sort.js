/**
 * Runs in the page. Sorts the rows of a table by the column whose head is clicked, the greatest first; a second click
 * turns the order round.
 */

/** @param {Element} row @param {number} column @returns {number} */
const valueAt = (row, column) => Number(/** @type {HTMLElement} */ (row.children[column]).dataset.value ?? NaN);

/** @param {Element} row @returns {boolean} false of the name of a group of rows */
const isOfRows = (row) => !row.classList.contains('group');

/** @param {Element} head */
function sortBy(head) {
  const order = head.getAttribute('aria-sort') === 'descending' ? 'ascending' : 'descending';
  for (const one of head.closest('table')?.querySelectorAll('[aria-sort]') ?? []) one.removeAttribute('aria-sort');
  head.setAttribute('aria-sort', order);
  sortRows(head);
}

/** @param {Element} head with its order */
function sortRows(head) {
  const column = [...(head.parentElement?.children ?? [])].indexOf(head);
  const sign = head.getAttribute('aria-sort') === 'descending' ? 1 : -1;
  for (const body of head.closest('table')?.tBodies ?? []) {
    const rows = [...body.rows].filter(isOfRows).map((row) => ({ row, value: valueAt(row, column) }));
    // what is not known is last in either order
    const rank = (/** @type {number} */ value) => (Number.isNaN(value) ? -Infinity : sign * value);
    const names = [...body.rows].filter((row) => !isOfRows(row));
    body.replaceChildren(...names, ...rows.sort((a, b) => rank(b.value) - rank(a.value)).map(({ row }) => row));
  }
}

/** Sorts the tables that a reader has sorted, after their rows were changed. */
export function sortAgain() {
  for (const head of document.querySelectorAll('.sortable [aria-sort]')) sortRows(head);
}

export function listenToSort() {
  document.addEventListener('click', ({ target }) => {
    const head = /** @type {Element} */ (target).closest('.sortable thead th');
    if (head?.querySelector('button')) sortBy(head);
  });
}
