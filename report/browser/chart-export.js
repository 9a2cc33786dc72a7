/** Runs in the page. Hands a text or a picture to the reader: as a download, which needs no network, or by the clipboard. */

/** Until then a browser that asks where to save has taken the file, ms. */
const KEPT_MS = 60_000;

/** @param {string} chart id @param {string} ending @returns {string} with the run's id, in characters that every file system takes */
export function fileName(chart, ending) {
  const card = document.querySelector('meta[name="broadside-run"]')?.getAttribute('content') ?? '{}';
  return `${JSON.parse(card).run ?? 'run'}-${chart}`.replace(/[^\w.-]+/g, '_').replace(/^\.+/, '') + `.${ending}`;
}

/** @param {Blob} blob @param {string} name */
export function save(blob, name) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), KEPT_MS);
}

/** The way of browsers that have no clipboard for a page from a file. @param {string} text @returns {boolean} */
function copySelected(text) {
  const focused = /** @type {HTMLElement | null} */ (document.activeElement);
  const area = document.createElement('textarea');
  area.value = text;
  area.className = 'copied';
  document.body.append(area);
  area.select();
  const done = document.execCommand('copy');
  area.remove();
  focused?.focus();
  return done;
}

/** @param {string} text @returns {Promise<boolean>} whether it is in the clipboard */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // there is none, or it was refused
    return copySelected(text);
  }
}
