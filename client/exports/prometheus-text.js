// Writes metrics in the text format of Prometheus, for the textfile collector of its node exporter. All are gauges,
// since counts start from zero in every run. Format: https://prometheus.io/docs/instrumenting/exposition_formats/

/** @import { Labels, Metric } from './metrics.js' */

const PREFIX = 'broadside';

/** @param {string} value @returns {string} */
const escapeLabel = (value) =>
  value.replace(/[\\\n"]/g, (character) => ({ '\\': '\\\\', '\n': '\\n' })[character] ?? '\\"');
/** @param {string} text @returns {string} */
const escapeHelp = (text) => text.replace(/[\\\n]/g, (character) => (character === '\n' ? '\\n' : '\\\\'));

/** @param {number} value @returns {string} */
const number = (value) => (value === Infinity ? '+Inf' : String(value));

/** @param {string} name @param {Labels} labels @param {number} value @returns {string} */
function line(name, labels, value) {
  const pairs = Object.entries(labels).map(([key, text]) => `${key}="${escapeLabel(text)}"`);
  return `${name}{${pairs.join(',')}} ${number(value)}`;
}

/** @param {Metric} metric @returns {string[]} lines */
function linesOf({ name, unit, help, points }) {
  const full = [PREFIX, name, ...(unit === '' ? [] : [unit])].join('_');
  return [
    `# HELP ${full} ${escapeHelp(help)}`,
    `# TYPE ${full} gauge`,
    ...points.map(({ labels, value }) => line(full, labels, value)),
  ];
}

/** @param {Metric[]} metrics @returns {string} */
export const prometheusText = (metrics) => `${metrics.flatMap(linesOf).join('\n')}\n`;
