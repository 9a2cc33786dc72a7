/** Runs in the page. Puts the rows of the overview into the order that a reader chose; each row has its place in every order. */

export function listenToArrange() {
  const body = document.querySelector('table.overview tbody');
  if (!body) return;
  const asTheyCame = [...body.children];
  const rows = /** @type {HTMLElement[]} */ (asTheyCame).filter((row) => row.dataset.places);
  const buttons = /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll('button[data-arrange]'));
  for (const button of buttons) {
    button.addEventListener('click', () => {
      for (const one of buttons) one.setAttribute('aria-pressed', String(one === button));
      const order = Number(button.dataset.arrange);
      const placeOf = (/** @type {HTMLElement} */ row) => Number((row.dataset.places ?? '').split(',')[order]);
      const sorted = [...rows].sort((a, b) => placeOf(a) - placeOf(b));
      const grouped = button.dataset.grouped !== undefined;
      body.replaceChildren(...(grouped ? asTheyCame : sorted));
      body.parentElement?.classList.toggle('under-groups', grouped);
    });
  }
}
