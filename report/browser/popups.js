/** Runs in the page. What opens over it closes on Escape, which gives the focus back, and when the focus leaves it. */

/** @returns {HTMLDetailsElement[]} those that are open over the page */
const openPopups = () =>
  [...document.querySelectorAll('details[data-popup][open]')].map((one) => /** @type {any} */ (one));

export function listenToPopups() {
  document.addEventListener('keydown', ({ key }) => {
    if (key !== 'Escape') return;
    for (const popup of openPopups()) {
      const hadFocus = popup.contains(document.activeElement);
      popup.open = false;
      if (hadFocus) popup.querySelector('summary')?.focus();
    }
  });
  document.addEventListener('focusin', ({ target }) => {
    for (const popup of openPopups()) if (!popup.contains(/** @type {Node} */ (target))) popup.open = false;
  });
}
