/**
 * The page's colours, light and dark. The style sheet has them as variables; the page's script contains this module.
 * Servers and fates of connections have different colours; red means failed or unanswered.
 */

import { CAUSES } from '../../client/measure/causes.js';

/**
 * @typedef {object} Palette
 * @property {string} ink
 * @property {string} muted
 * @property {string} grid
 * @property {string} axis
 * @property {string} surface
 * @property {string} shade
 * @property {string} paper
 * @property {string} line
 * @property {string} soft
 * @property {string} bad
 * @property {string} badSoft
 * @property {string} good
 * @property {string} link
 * @property {string[]} legs  of servers; the first eight differ for colour-blind readers too
 * @property {string} client
 * @property {string} failed
 * @property {Record<'served' | 'idle' | 'unanswered' | 'connecting' | 'lost' | 'closed', string>} fates  of
 *   connections, apart from the colours of servers
 * @property {string} fewReplies
 * @property {string} manyReplies  of a connection that is served
 * @property {string} machine
 * @property {Record<string, string>} causes  of rejects and errors, and groups of kernel counters
 * @property {string[]} heat  from few to many, in even steps of lightness, so that they keep their order in print
 */

/** @param {'light' | 'dark'} set @returns {Record<string, string>} key: the cause */
const coloursOf = (set) => Object.fromEntries(CAUSES.map((cause) => [cause.name, cause[set]]));

/** @type {Palette} */
export const LIGHT = {
  ink: '#1c2126',
  muted: '#46505a',
  grid: '#e7eaee',
  axis: '#c3cad1',
  surface: '#ffffff',
  shade: 'rgba(90,104,120,0.075)',
  paper: '#f5f6f8',
  line: '#e1e5e9',
  soft: '#eef1f4',
  bad: '#9a2208',
  badSoft: '#fdf0ec',
  good: '#155c2a',
  link: '#005286',
  legs: [
    '#1f5dd5',
    '#8e5401',
    '#1e7a5e',
    '#d56787',
    '#089dce',
    '#a49210',
    '#522866',
    '#6a211f',
    '#809764',
    '#a14d92',
    '#3b9ca7',
    '#5e6369',
  ],
  client: '#6a4c93',
  failed: '#cc3311',
  fates: {
    served: '#2a7fbb',
    idle: '#a9cbe4',
    unanswered: '#e8a33d',
    connecting: '#b4bdc7',
    lost: '#cc3311',
    closed: '#e1e5e9',
  },
  fewReplies: '#7fb4dc',
  manyReplies: '#0a2f57',
  machine: '#9aa5b0',
  causes: {
    ...coloursOf('light'),
    drops: '#cc4b00',
    syn: '#e0a100',
    again: '#4d7ea8',
    rst: '#661a40',
    aborts: '#c9586a',
    memory: '#35988a',
  },
  heat: ['#9ee4de', '#55bfd0', '#2b95bd', '#1c6aa6', '#263f84', '#241a54'],
};

/** @type {Palette} */
export const DARK = {
  ink: '#e6eaee',
  muted: '#a8b3be',
  grid: '#262e37',
  axis: '#3c4651',
  surface: '#161b21',
  shade: 'rgba(160,175,190,0.08)',
  paper: '#0e1216',
  line: '#29313a',
  soft: '#1e252c',
  bad: '#ff9a80',
  badSoft: '#2c1a16',
  good: '#7fd694',
  link: '#7cc0f2',
  legs: [
    '#7baafe',
    '#c48801',
    '#b4f8bc',
    '#db88a3',
    '#8ef0fe',
    '#f4e91e',
    '#7d55c8',
    '#a05945',
    '#63a660',
    '#e66dcd',
    '#317e97',
    '#c1c7ce',
  ],
  client: '#b79ae6',
  failed: '#ff6f4e',
  fates: {
    served: '#4a9fdd',
    idle: '#2c5878',
    unanswered: '#e8a33d',
    connecting: '#66717d',
    lost: '#ff6f4e',
    closed: '#29313a',
  },
  fewReplies: '#2f6fa5',
  manyReplies: '#f2fbff',
  machine: '#66717d',
  causes: {
    ...coloursOf('dark'),
    drops: '#f07b3a',
    syn: '#f2c14a',
    again: '#86b6de',
    rst: '#d070a6',
    aborts: '#ef8a98',
    memory: '#63c9bb',
  },
  heat: ['#3e3a70', '#1d65a3', '#0095ae', '#42bea6', '#a4de9a', '#faf6af'],
};

/** Number of colours for servers; after the last the first is used again. */
export const COLOURS = LIGHT.legs.length;

/** @param {Palette} palette @returns {string} a CSS rule that sets the variables */
function variablesOf({ legs, causes, heat, fates, badSoft, ...single }) {
  const byFate = Object.fromEntries(Object.entries(fates).map(([fate, colour]) => [`fate-${fate}`, colour]));
  const named = { ...single, 'bad-soft': badSoft, ...causes, ...byFate };
  const listed = [...legs.map((colour, i) => [`l${i}`, colour]), ...heat.map((colour, i) => [`heat-${i}`, colour])];
  const variables = [...Object.entries(named), ...listed];
  return `:root{${variables.map(([name, colour]) => `--${name}:${colour}`).join(';')}}`;
}

/**
 * @returns {string} style sheet of the colours: the reader's choice, or the system's; light without a tint in print
 */
export function paletteStyle() {
  const dark = variablesOf(DARK);
  return (
    `${variablesOf(LIGHT)}@media screen{${dark.replace(':root', ":root[data-theme='dark']")}}` +
    `@media screen and (prefers-color-scheme:dark){${dark.replace(':root', ":root:not([data-theme='light'])")}}` +
    `@media print{:root{--paper:${LIGHT.surface}}}`
  );
}

/** @returns {string} style sheet of the swatches of causes in legends */
export const causeStyle = () =>
  CAUSES.map(({ name }) => `.swatch.cause.cause-${name}{background:var(--${name})}`).join('');
