/**
 * Runs in the page. A click on the head of a column sorts the rows of a table, largest first; a second click reverses
 * the order.
 */

/** @param {Element} row @param {number} column @returns {number} */
const valueAt = (row, column) => Number(/** @type {HTMLElement} */ (row.children[column]).dataset.value ?? NaN);

/** @param {Element} row @returns {boolean} false for the heading of a group */
const isDataRow = (row) => !row.classList.contains('group');

/** @param {Element} head */
function sortBy(head) {
  const order = head.getAttribute('aria-sort') === 'descending' ? 'ascending' : 'descending';
  for (const sorted of head.closest('table')?.querySelectorAll('[aria-sort]') ?? [])
    sorted.removeAttribute('aria-sort');
  head.setAttribute('aria-sort', order);
  sortRows(head);
}

/** @param {Element} head with the order in aria-sort */
function sortRows(head) {
  const column = [...(head.parentElement?.children ?? [])].indexOf(head);
  const sign = head.getAttribute('aria-sort') === 'descending' ? 1 : -1;
  for (const body of head.closest('table')?.tBodies ?? []) {
    const rows = [...body.rows].filter(isDataRow).map((row) => ({ row, value: valueAt(row, column) }));
    // Unknown values are last in both orders.
    const rank = (/** @type {number} */ value) => (Number.isNaN(value) ? -Infinity : sign * value);
    const headings = [...body.rows].filter((row) => !isDataRow(row));
    body.replaceChildren(...headings, ...rows.sort((a, b) => rank(b.value) - rank(a.value)).map(({ row }) => row));
  }
}

/** Sorts the sorted tables again after their rows were changed. */
export function sortAgain() {
  for (const head of document.querySelectorAll('.sortable [aria-sort]')) sortRows(head);
}

export function listenToSort() {
  document.addEventListener('click', ({ target }) => {
    const head = /** @type {Element} */ (target).closest('.sortable thead th');
    if (head?.querySelector('button')) sortBy(head);
  });
}
