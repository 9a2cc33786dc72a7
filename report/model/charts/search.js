/**
 * The probes of a search: p99 against the value that was varied, a line for each server. A full dot held, a hollow one
 * did not.
 */
import { beyondMax } from '../leg-results.js';
import { count, duration } from '../../../client/results/format.js';
import { against } from './sweep.js';

/**
 * @typedef {import('../../types.js').LegResults} LegResults
 * @typedef {import('../../../client/results/search/index.js').SearchSummary} SearchSummary
 */

/**
 * @param {LegResults[]} results of the legs of the model
 * @param {SearchSummary | undefined} search of the summary
 * @returns {import('../../types.js').Chart[]} none without a search of two probes
 */
export function searchCharts(results, search) {
  if (search === undefined) return [];
  const { maximise, while: condition, servers } = search;
  const probes = new Map(servers.flatMap((server) => server.probes.map((probe) => [probe.leg, probe])));
  const valueOf = (/** @type {LegResults} */ f) => probes.get(f.id)?.value ?? 0;
  const all = servers.map(({ label, probes: own }) => ({
    name: label,
    results: own
      .flatMap(({ leg }) => results.find(({ id }) => id === leg) ?? [])
      .sort((a, b) => valueOf(a) - valueOf(b)),
  }));
  const drawn = all.filter((series) => series.results.length > 0);
  if (new Set(drawn.flatMap((series) => series.results.map(valueOf))).size < 2) return [];
  const chart = against(
    drawn,
    results,
    {
      id: 'search',
      title: `p99 against ${maximise === 'rate' ? 'requests per second' : 'connections'}, while ${condition}`,
      lead: 'A full dot: the condition held. A hollow one: it did not. Where too many transfers failed for p99 to be known, the dot is the longest response time.',
      unit: 'duration',
      log: true,
      said: (f) => `${probes.get(f.id)?.held ? 'held' : 'did not hold'}, p99 ${duration(f.response?.p99)}`,
      lines: [
        { role: 'leg', label: ({ name }) => name, of: (f) => (beyondMax(f, 0.99) ? f.response?.max : f.response?.p99) },
      ],
    },
    { of: valueOf, unit: 'count', text: count, section: 'search' },
  );
  chart.panels[0].datasets.forEach((dataset, i) => {
    dataset.hollow = drawn[i].results.flatMap((f, at) => (probes.get(f.id)?.held === true ? [] : [at]));
  });
  return [chart];
}
