// A chart's values as tables: what lines share their rows, and what is left empty.

import assert from 'node:assert/strict';
import { cellText, tablesOf } from '../../report/browser/chart-table.js';

const LEGS = [{ label: 'select' }, { label: 'epoll' }];

const pairs = (/** @type {any[][]} */ ...all) => all;
/** @param {number} leg @param {any[]} points */
const lineOf = (leg, points) => ({ role: 'leg', color: leg, label: LEGS[leg].label, points });

/** @param {object} [own] @returns {any} a chart of two legs over one another */
const overlay = (own = {}) => ({
  ...{ id: 'transfers', title: 'Transfers per second', legend: [] },
  ...{ x: { type: 'time', unit: 's' }, y: { type: 'linear', unit: 'rate' } },
  panels: [
    {
      leg: null,
      datasets: [lineOf(0, pairs([0.5, 10, 10], [1.5, 20, 20])), lineOf(1, pairs([0.5, 30, 30], [1.5, null, 4]))],
    },
  ],
  ...own,
});

/**
 * @param {number} leg
 * @param {string} by the limit
 * @returns {any} a panel of one leg with two lines and single transfers
 */
const panel = (leg, by) => ({
  ...{ leg, limits: [[1, 2, by]] },
  datasets: [
    { role: 'max', label: 'max', points: pairs([0.5, 2e6], [1.5, null]) },
    { role: 'p50', label: 'p50', points: pairs([0.5, 1e6, 4], [1.5, null, 0]) },
    { role: 'cloud', label: 'single', points: [[0.4, 1e6, 7, 0]] },
    { role: 'failed', label: 'failed', points: [[0.3, 5e6, 8, 1]] },
  ],
});
/** @type {any} a chart of a panel for each leg */
const panels = {
  ...{ id: 'response', title: 'Response time', legend: [{ role: 'p50' }, { role: 'max' }] },
  ...{ x: { type: 'time', unit: 's' }, y: { type: 'log', unit: 'duration' } },
  panels: [panel(0, 'server'), panel(1, 'client')],
};
/** @param {{ columns: { head: string }[] }} table */
const headsOf = ({ columns }) => columns.map(({ head }) => head).join();

describe('report: a chart as a table', () => {
  it('has a table for each panel that has a y axis of its own, in its unit; cells besides', () => {
    const heat = { perDoubling: 1, largest: 3, widths: [86], columns: [[20, 3]], failed: [[]] };
    const steps = /** @type {any} */ ({
      ...{ id: 'steps', title: 'Steps', legend: [], y: { type: 'linear', unit: 'count' } },
      x: { type: 'linear', unit: 'connections', title: 'connections requested' },
      panels: [
        {
          leg: null,
          y: { unit: 'rate' },
          title: 'Speed',
          datasets: [{ role: 'curve', label: 'median', points: [[100, 5]] }],
        },
        {
          ...{ leg: null, y: { unit: 'duration' }, title: 'Time' },
          datasets: [
            { role: 'heat', label: 'transfers', points: [[100, 2e6, 3]], heat },
            { role: 'tail', label: 'p99', points: [[100, 9e6]] },
          ],
        },
      ],
    });
    const tables = tablesOf(steps, LEGS);
    assert.deepEqual(
      tables.map((table) => `${table.caption}: ${headsOf(table)}`),
      [
        'Speed: connections requested,median',
        'Time: connections requested,p50,p99',
        'Time: connections requested,Outcome,From,To,Transfers,Share',
      ],
    );
    const [speed, time] = tables.map(({ columns, rows }) => rows[0].map((cell, i) => cellText(cell, columns[i])));
    assert.deepEqual([speed, time], [['100', '5/s'], ['100', '2 ms', '9 ms']]); // prettier-ignore
  });

  it('has a column for each line where they share their places', () => {
    const [table, ...others] = tablesOf(overlay(), LEGS);
    assert.deepEqual(others, []);
    assert.equal(headsOf(table), 'Time,select,epoll');
    assert.deepEqual(table.rows, [
      [0.5, 10, 30],
      [1.5, 20, null],
    ]);
    assert.deepEqual(
      table.rows[1].map((cell, i) => cellText(cell, table.columns[i])),
      ['1.5 s', '20/s', '–'],
    );
  });

  it('has no column for the server where it is of one', () => {
    const [table, transfers] = tablesOf({ ...panels, panels: [panel(1, 'client')] }, LEGS);
    assert.deepEqual([headsOf(table), table.rowHeads], ['Time,p50,max,limit', 1]);
    assert.deepEqual(table.rows[1], [1.5, null, null, 'client']);
    assert.equal(headsOf(transfers), 'Ended at,Response time,Connection,Status');
  });

  it('has the lines below one another where their places differ', () => {
    const datasets = [0, 1].map((leg) =>
      lineOf(
        leg,
        [1, 2, 10].map((x) => [x + leg / 3, x * 1e6]),
      ),
    );
    const x = { type: 'percentile', unit: 'percentile' };
    const y = { type: 'log', unit: 'duration' };
    const [table] = tablesOf(overlay({ x, y, panels: [{ leg: null, datasets }] }), LEGS);
    assert.deepEqual([headsOf(table), table.rows.length], ['Line,Percentile,Duration', 6]);
    assert.deepEqual(
      table.rows[2].map((cell, i) => cellText(cell, table.columns[i])),
      ['select', '90 %', '10 ms'],
    );
  });

  it('has a row for each second of each leg, the lines in the order of the legend, and single transfers apart', () => {
    const [table, transfers] = tablesOf(panels, LEGS);
    assert.equal(headsOf(table), 'Server,Time,p50,max,limit');
    assert.deepEqual(table.rows, [
      ['select', 0.5, 1e6, 2e6, 'none'],
      ['select', 1.5, null, null, 'server'],
      ['epoll', 0.5, 1e6, 2e6, 'none'],
      ['epoll', 1.5, null, null, 'client'],
    ]);
    assert.deepEqual(transfers.rows.slice(0, 2), [
      ['select', 0.3, 5e6, 8, 'timeout'],
      ['select', 0.4, 1e6, 7, 'ok'],
    ]);
    assert.equal(transfers.rows.length, 4);
  });

  it('has a row for each cell of a heat map, and for what failed', () => {
    /** @type {any[]} */
    const datasets = [
      {
        ...{ role: 'heat', label: 'transfers', points: [[0.5, 2e6, 5]] },
        heat: { perDoubling: 1, columns: [[20, 3, 0, 1]], failed: [[21, 1]] },
      },
      { role: 'failures', label: 'failed', points: [[0.5, null, 2]] },
    ];
    const [table] = tablesOf({ ...panels, panels: [{ leg: 1, datasets }] }, LEGS);
    assert.deepEqual(table.rows, [
      [0.5, 'transfers', 2 ** 20, 2 ** 21, 3, 0.6],
      [0.5, 'transfers', 2 ** 22, 2 ** 23, 1, 0.2],
      [0.5, 'failed or unfinished', 2 ** 21, 2 ** 22, 1, 0.2],
      [0.5, 'failed', undefined, undefined, 2, undefined],
    ]);
  });

  it('leaves out the point that breaks a line, and keeps an interval next to its value', () => {
    const chart = overlay();
    chart.panels[0].datasets[0].points.push([1.8, null, 0]);
    chart.panels[0].datasets[1].intervals = [[28, 33], null];
    const [table] = tablesOf(chart, LEGS);
    assert.deepEqual(table.rows, [
      [0.5, 10, 30, 28, 33],
      [1.5, 20, null, null, null],
    ]);
    assert.equal(table.columns.length, 5);
  });
});
