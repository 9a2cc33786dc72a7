/**
 * Runs in a live page. The server sends new versions of the page; this script changes only the parts that differ, so
 * that the reader's open parts, sort order, scroll position and focus stay.
 */
import { renewPage } from './main.js';

/** Attributes that scripts and readers set; an update does not change them. */
const KEPT_ATTRIBUTES = ['open', 'hidden', 'aria-expanded', 'aria-sort'];
/** Elements whose content scripts create. */
const SCRIPTED_CONTENT = '.plot, .chart-tools, .field, .field-time';
/** Elements that scripts have added. */
const ADDED = '.chart-table, #live';

/** @param {Node} node @returns {string} the same for corresponding nodes of two versions of the page */
function keyOf(node) {
  if (!(node instanceof HTMLElement)) return node.nodeName;
  const { leg, code, name } = node.dataset;
  const id =
    node.id || node.getAttribute('aria-labelledby') || (node.matches('.plot') ? node.firstElementChild?.id : '');
  return [node.nodeName, id, leg, code, name].join(' ');
}

/** @param {Element} element @param {Element} now */
function renewAttributes(element, now) {
  const names = new Set([...element.getAttributeNames(), ...now.getAttributeNames()]);
  for (const name of names) {
    const value = now.getAttribute(name);
    if (value === element.getAttribute(name) || KEPT_ATTRIBUTES.includes(name)) continue;
    if (value === null) element.removeAttribute(name);
    else element.setAttribute(name, value);
  }
}

/** Updates the text of the plot's canvas. @param {Element} plot @param {Element} now */
function renewAlternative(plot, now) {
  const alternative = now.querySelector('canvas')?.getAttribute('aria-label');
  if (alternative) plot.querySelector('canvas')?.setAttribute('aria-label', alternative);
}

/** @param {ChildNode} node @param {ChildNode} now the corresponding node of the new version */
function renewNode(node, now) {
  if (!(node instanceof Element && now instanceof Element)) {
    if (node.nodeValue !== now.nodeValue) node.nodeValue = now.nodeValue;
  } else if (node.matches(SCRIPTED_CONTENT)) renewAlternative(node, now);
  else {
    renewAttributes(node, now);
    renewChildren(node, now);
  }
}

/** @param {Element} element @param {Element | DocumentFragment} now */
function renewChildren(element, now) {
  /** @type {Map<string, ChildNode[]>} */
  const present = new Map();
  for (const node of element.childNodes) {
    if (node instanceof Element && node.matches(ADDED)) continue;
    present.set(keyOf(node), [...(present.get(keyOf(node)) ?? []), node]);
  }
  const children = [...now.childNodes].map((child) => ({ child, node: present.get(keyOf(child))?.shift() }));
  for (const nodes of present.values()) for (const node of nodes) node.remove();
  let place = element.firstChild;
  for (const { child, node } of children) {
    if (node) renewNode(node, child);
    if (node && node === place) place = node.nextSibling;
    else element.insertBefore(node ?? child, place);
  }
}

/** The newest version, not shown while the page is hidden. @type {string | null} */
let waiting = null;

/** @param {string} body of the page */
function showBody(body) {
  waiting = document.hidden ? body : null;
  if (document.hidden) return;
  const template = document.createElement('template');
  template.innerHTML = body;
  renewChildren(/** @type {HTMLElement} */ (document.getElementById('page')), template.content);
  renewPage();
}

/** Shows the state of the connection to the run. @param {string} code @param {string} text '' if it is connected */
function showConnection(code, text) {
  const notice = document.getElementById('live') ?? document.createElement('p');
  Object.assign(notice, { id: 'live', className: 'notice', textContent: text, hidden: text === '' });
  notice.setAttribute('role', 'status');
  notice.dataset.code = code;
  if (!notice.isConnected) document.querySelector('header')?.append(notice);
}

function listenToRun() {
  const source = new EventSource('events');
  source.addEventListener('open', () => showConnection('connected', ''));
  source.addEventListener('error', () => {
    if (source.readyState === EventSource.CLOSED)
      showConnection('refused', 'Too many pages of this run are open. Close one, then reload this page.');
    else showConnection('lost', 'Connection lost, trying again …');
  });
  source.addEventListener('page', ({ data }) => showBody(JSON.parse(data)));
  source.addEventListener('end', ({ data }) => {
    source.close();
    showBody(JSON.parse(data));
    showConnection('ended', '');
  });
  document.addEventListener('visibilitychange', () => waiting !== null && showBody(waiting));
}

listenToRun();
