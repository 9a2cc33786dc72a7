/** Runs in the page. What opens over it closes on Escape, which gives the focus back, and when the focus leaves it. */

/** Those that are open over the page. */
const openPopups = () =>
  /** @type {NodeListOf<HTMLDetailsElement>} */ (document.querySelectorAll('details[data-popup][open]'));

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
