/**
 * Runs in the page of a run in progress. Takes its events and appends their points to the charts; at the end it gives place to
 * the report. The points are kept by leg, because the legs that are shown change.
 */
import { datasetOf } from './datasets.js';
import { drawEvery, page, replaceModel } from './main.js';
import { currentTheme } from './theme.js';
import { applyView } from './view.js';

/** Of a line; the oldest are left out. */
const MOST_POINTS = 900;
/** Of a cloud of single transfers; of more, every second one is left out. */
const MOST_IN_CLOUD = 4000;
const MOST_NOTES = 30;

/** @typedef {import('./types.js').LiveEvents} LiveEvents */

/** By leg: its charts by id, the text of its row. @type {Map<string, import('./types.js').KeptLeg>} */
const keptLegs = new Map();
/** @type {{ legs: LiveEvents['legs'] | null, note: LiveEvents['note'][], dirty: boolean }} what is to be shown in the next frame */
const waiting = { legs: null, note: [], dirty: false };

/** @param {string} id @returns {HTMLElement} */
const elementOf = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

/** @param {string} tag @param {string} text @param {string} [className] @returns {HTMLElement} */
function withText(tag, text, className = '') {
  const made = document.createElement(tag);
  made.textContent = text;
  made.className = className;
  return made;
}

/** @param {string} code @param {string} text of the state that the page is in */
function showState(code, text) {
  const state = elementOf('live-state');
  state.dataset.code = code;
  state.textContent = text;
}

/** @param {Pick<import('./types.js').Dataset, 'role' | 'points'>} one a list of points @param {import('./types.js').ChartPoints['sets'][number]} added */
function appendPoints(one, { amends, points }) {
  if (amends) one.points.pop();
  for (const point of points) one.points.push(point);
  const isCloud = one.role === 'cloud' || one.role === 'failed';
  if (isCloud && one.points.length > MOST_IN_CLOUD) {
    one.points = one.points.filter((_, i) => i % 2 === 0);
  }
  if (isCloud) one.points.sort((a, b) => a[0] - b[0]);
  else if (one.points.length > MOST_POINTS) one.points.splice(0, one.points.length - MOST_POINTS);
}

/** @template {[number, number, string?]} S @param {S[]} spans in order @param {S[]} added of which the first may continue the last one */
function appendSpans(spans, added) {
  for (const span of added) {
    const last = spans.at(-1);
    if (last && span[0] <= last[1] && span[2] === last[2]) last[1] = Math.max(last[1], span[1]);
    else spans.push(span);
  }
  if (spans.length > MOST_POINTS) spans.shift();
}

/** @param {LiveEvents['sample']} sample the event */
function keepSample({ leg, head, charts, cells }) {
  const kept = keptLegs.get(leg) ?? { charts: new Map(), cells, head };
  keptLegs.set(leg, Object.assign(kept, { cells, head }));
  for (const { id, y, sets, gaps = [], limits = [] } of charts) {
    const one = kept.charts.get(id) ?? { y, sets: new Map(), gaps: [], limits: [] };
    kept.charts.set(id, one);
    one.y = [Math.min(one.y[0], y[0]), Math.max(one.y[1], y[1])];
    for (const set of sets) {
      const key = `${set.role} ${set.cause ?? ''}`;
      if (!one.sets.has(key)) one.sets.set(key, { role: set.role, label: set.label, cause: set.cause, points: [] });
      appendPoints(one.sets.get(key), set);
    }
    appendSpans(one.gaps, gaps);
    appendSpans(one.limits, limits);
  }
}

/** @param {LiveEvents['ended']} ended the event: the leg's row is that of its summary now */
function keepEnd({ leg, cells }) {
  const kept = keptLegs.get(leg);
  if (kept) Object.assign(kept, { cells, hasEnded: true });
}

/** @param {import('./types.js').Panel} panel of bars @returns {boolean} whether one of them has a height */
const hasAny = ({ datasets }) => datasets.some(({ points }) => points.some(([, n]) => Number(n) > 0));

/** Puts what is kept into the panel of a leg. @param {import('./types.js').ModelChart} chart of the model @param {number} leg its place @returns {[least: number, most: number] | null} the range that its values need; null: there are none */
function fillPanel(chart, leg) {
  const one = keptLegs.get(page.legs[leg].id)?.charts.get(chart.id);
  if (!one) return null;
  const isOverlay = chart.layout === 'overlay';
  const panel = chart.panels[isOverlay ? 0 : leg];
  for (const { role, cause, label, points } of one.sets.values()) {
    const own = panel.datasets.find(
      (each) => each.role === role && each.cause === cause && (!isOverlay || each.leg === leg),
    );
    if (own) own.points = points;
    else panel.datasets.push({ role, cause, label, points, ...(isOverlay ? { leg } : {}) });
  }
  Object.assign(panel, { gaps: one.gaps, limits: one.limits });
  if (chart.kind === 'bar') panel.empty = hasAny(panel) ? undefined : `no ${chart.id} so far`;
  return one.y;
}

/** @param {import('./types.js').ModelChart} chart whose legend names every cause: those that have not occurred are hidden */
function showCauses(chart) {
  for (const { role, cause } of chart.legend) {
    if (role !== 'cause') continue;
    const swatch = document.querySelector(`[aria-labelledby="figure-${chart.id}"] .swatch.cause-${cause}`);
    const occurred = chart.panels.some(({ datasets }) =>
      datasets.some((one) => one.cause === cause && one.points.some(([, n]) => Number(n) > 0)),
    );
    if (swatch?.parentElement) swatch.parentElement.hidden = !occurred;
  }
}

function fillAll() {
  page.legs.forEach((leg) => Object.assign(leg, keptLegs.get(leg.id)?.head));
  const first = (/** @type {import('./types.js').ModelChart} */ chart) =>
    Math.min(
      ...chart.panels.flatMap(({ datasets }) =>
        datasets.flatMap(({ points }) => (points.length >= MOST_POINTS ? [points[0][0]] : [])),
      ),
    );
  for (const chart of page.charts) {
    const ranges = page.legs.map((_, leg) => fillPanel(chart, leg)).filter((range) => range !== null);
    if (ranges.length > 0) {
      chart.y.min = Math.min(...ranges.map(([least]) => least));
      chart.y.max = Math.max(...ranges.map(([, most]) => most));
    }
    chart.x.max = Math.max(1, ...page.legs.map(({ end }) => end));
    const cut = first(chart);
    chart.x.min = page.legs.length === 1 && Number.isFinite(cut) ? cut : 0;
    showCauses(chart);
  }
}

/** Draws the points that were added into the charts that exist. */
function updateCharts() {
  for (const chart of page.charts) {
    chart.panels.forEach((panel, at) => {
      const drawn = Chart.getChart(`chart-${chart.id}-${at}`);
      if (!drawn) return;
      const theme = currentTheme();
      drawn.data.datasets = panel.datasets.map((one) => datasetOf(one, panel, theme, page));
      drawn.options.scales.y.min = chart.y.min;
      Object.assign(drawn.options.plugins.gaps, { gaps: panel.gaps });
      Object.assign(drawn.options.plugins.limits, { limits: panel.limits });
      Object.assign(drawn.options.plugins.texts, { empty: panel.empty });
      applyView(drawn, chart, panel, page);
    });
  }
}

/** The row of each leg that is shown: its latest figures, the current leg last. */
function showRows() {
  const rows = page.legs.map(({ id, label }, at) => {
    const row = document.createElement('tr');
    row.dataset.leg = id;
    if (at === page.legs.length - 1 && !keptLegs.get(id)?.hasEnded) row.className = 'current';
    row.append(withText('th', label));
    for (const { text, tone } of keptLegs.get(id)?.cells ?? []) row.append(withText('td', text, tone ?? ''));
    return row;
  });
  elementOf('live-now').replaceChildren(...rows);
}

/** Once in a frame, however many events have come. */
function showFrame() {
  waiting.dirty = false;
  for (const { text, kind } of waiting.note.splice(0)) elementOf('live-notes').prepend(withText('li', text, kind));
  while (elementOf('live-notes').childElementCount > MOST_NOTES) elementOf('live-notes').lastElementChild?.remove();
  const { legs } = waiting;
  waiting.legs = null;
  if (legs) {
    for (const id of keptLegs.keys()) if (!legs.legs.some((one) => one.id === id)) keptLegs.delete(id);
    for (const canvas of /** @type {NodeListOf<HTMLCanvasElement>} */ (
      document.querySelectorAll('#live-figures canvas')
    ))
      Chart.getChart(canvas)?.destroy();
    elementOf('live-figures').innerHTML = legs.html;
    replaceModel(legs.legs, legs.charts);
    fillAll();
    drawEvery();
  } else if (page.legs.length > 0) {
    fillAll();
    updateCharts();
  }
  showRows();
}

function showSoon() {
  if (waiting.dirty) return;
  waiting.dirty = true;
  // a page in the background has no frames
  if (document.hidden) setTimeout(showFrame, 0);
  else requestAnimationFrame(showFrame);
}

/** @param {LiveEvents['end']} end the last event */
function showEnd({ code, parts, page: report, folder }) {
  document.body.dataset.ended = code;
  showState('ended', 'The run is over.');
  const section = elementOf('live-end');
  section.hidden = false;
  section.replaceChildren(
    ...parts.map(({ severity, text }) => withText('p', text, severity)),
    withText(
      'p',
      report ? `Report: ${report}` : folder ? `No report was built. Files: ${folder}` : 'See the terminal.',
    ),
  );
  if (report) window.location.replace('report');
}

function listenToRun() {
  const source = new EventSource('events');
  /** @template {keyof LiveEvents} N @param {N} name @param {(data: LiveEvents[N]) => void} take */
  const on = (name, take) =>
    source.addEventListener(name, ({ data }) => {
      take(JSON.parse(data));
      showSoon();
    });
  let text = 'Waiting for the first leg.';
  source.addEventListener('open', () => showState('connected', text));
  source.addEventListener('error', () => {
    const isFinal = source.readyState === EventSource.CLOSED;
    showState(
      isFinal ? 'refused' : 'lost',
      isFinal
        ? 'Too many pages of this run are open. Close one, and reload this one.'
        : 'Connection lost, trying again …',
    );
  });
  on('run', ({ run }) => {
    elementOf('live-run').textContent = run;
  });
  on('legs', (legs) => {
    waiting.legs = legs;
    ({ text } = legs);
    showState('running', text);
  });
  on('sample', keepSample);
  on('ended', keepEnd);
  on('note', (note) => waiting.note.push(note));
  on('end', (end) => {
    source.close();
    showEnd(end);
  });
}

listenToRun();
