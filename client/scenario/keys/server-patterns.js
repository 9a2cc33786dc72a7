// Patterns among a scenario's servers: c/*, */*-pool, {go,rust}/*. Each is matched against <language>/<name>, a pattern
// without a slash against the name alone. A server that is named must be measured; a server that only a pattern matches
// is left out with a warning when it is unavailable or unsuitable. The caller knows which servers exist and are
// available.

import picomatch from 'picomatch';
import { differences } from './server-labels.js';
import { didYouMean, nearest } from '../nearest.js';
import { warning } from '../../words/warnings.js';
import { mistake } from '../mistakes.js';
import { unsuitableReason } from '../place-rules.js';

/**
 * @import { Warning } from '../../../config/types.js'
 * @import { KnownServer } from '../../plan/processes.js'
 * @import { Mistake } from '../mistakes.js'
 * @import { Mismatch, Way } from '../place-rules.js'
 * @import { Scenario, ServerEntry } from '../scenario.js'
 */

/**
 * @typedef {object} ServerMatch  a server that an entry of the scenario matches
 * @property {ServerEntry} entry  with the server's own name
 * @property {string | null} pattern  as it was written; null: the server was named
 * @property {boolean} labelled  whether the scenario itself gives the label
 */

/** @param {string} text @returns {boolean} whether it may match any number of servers */
export function isPattern(text) {
  const { isGlob, negated } = picomatch.scan(text);
  return Boolean(isGlob || negated);
}

/**
 * @template {{name: string, language?: string}} Server
 * @param {string} text a name, <language>/<name>, or a pattern
 * @param {Server[]} listed
 * @returns {Server[]} those it matches, in the order of the list
 */
export function matching(text, listed) {
  if (text === '') return [];
  const fits = picomatch(text, { basename: !text.includes('/') });
  return listed.filter(({ name, language = '' }) => name === text || fits(`${language}/${name}`));
}

/**
 * @param {string} text
 * @param {{name: string, language?: string}[]} listed
 * @returns {Mistake} where nothing matches
 */
export function noMatch(text, listed) {
  const paths = listed.map(({ name, language }) => `${language}/${name}`);
  const matchMistake = (/** @type {string} */ code, /** @type {object} */ data, /** @type {string} */ why) =>
    mistake((path) => path, code, 'servers', data, why);
  if (isPattern(text)) {
    return matchMistake(
      'pattern-matches-nothing',
      { pattern: text, known: paths },
      `the pattern "${text}" matches no server. There are: ${paths.join(', ')}`,
    );
  }
  const names = listed.map(({ name }) => name);
  const known = text.includes('/') ? paths : names;
  return matchMistake(
    'unknown-server',
    { server: text, known, near: nearest(text, known)[0] ?? null },
    `there is no server "${text}".${didYouMean(text, known)} Known: ${names.join(', ')}`,
  );
}

/**
 * The servers that a scenario asks for, by name or by pattern.
 * @param {Scenario} scenario
 * @param {KnownServer[]} listed
 * @returns {{met: ServerMatch[], mistakes: Mistake[]}}
 */
export function matchServers({ servers = [] }, listed) {
  /** @type {Mistake[]} */
  const mistakes = [];
  const met = servers.flatMap((entry) => {
    const pattern = isPattern(entry.name) ? entry.name : null;
    // Two servers of one name are reported when their availability is checked.
    const matches = matching(entry.name, listed).slice(0, pattern === null ? 1 : undefined);
    if (matches.length === 0) mistakes.push(noMatch(entry.name, listed));
    const given = entry.as === entry.name ? null : entry.as;
    return matches.map(({ name }) => {
      const as = given === null ? name : pattern === null ? given : `${name} ${given}`;
      return { entry: { ...entry, name, as }, pattern, labelled: given !== null };
    });
  });
  const labels = met.filter(({ pattern }) => pattern === null).map(({ entry }) => entry.as);
  const twice = [...new Set(labels.filter((label, i) => labels.indexOf(label) !== i))];
  mistakes.push(
    ...twice.map((label) =>
      mistake(
        (path) => path,
        'label-taken',
        'servers',
        { label },
        `"${label}" is the label of two legs; give one of them another label: {"name": ..., "as": ...}`,
      ),
    ),
  );
  return { met: withoutDoubles(met), mistakes };
}

/**
 * Removes entries that a pattern repeats: a server with the same options is measured once.
 * @param {ServerMatch[]} met
 * @returns {ServerMatch[]}
 */
function withoutDoubles(met) {
  /** @type {ServerMatch[]} */
  const kept = [];
  for (const match of met) {
    const at = kept.findIndex(
      (earlier) =>
        isSame(match.entry, earlier.entry) &&
        (match.pattern !== null || earlier.pattern !== null) &&
        (match.entry.as === earlier.entry.as || !match.labelled || !earlier.labelled),
    );
    if (at < 0) kept.push(match);
    else if (rank(match) > rank(kept[at])) kept[at] = match;
  }
  return kept;
}

/** @param {ServerMatch} match @returns {number} higher: more likely the entry that was meant */
const rank = ({ pattern, labelled }) => (pattern === null ? 2 : labelled ? 1 : 0);

/** @param {ServerEntry} first @param {ServerEntry} second */
function isSame(first, second) {
  const text = (/** @type {ServerEntry} */ { name, instances, wrap = {}, options, env }) =>
    JSON.stringify([name, instances, sorted(wrap), sorted(options), sorted(env)]);
  return text(first) === text(second);
}

/** @param {object} object */
const sorted = (object) => Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1));

/**
 * Leaves out the servers that only patterns match and that cannot be measured here.
 * @param {ServerMatch[]} met
 * @param {Way} scenario
 * @param {KnownServer[]} known  with their availability
 * @returns {{servers: ServerEntry[], left: Warning[]}} left: a warning for each pattern and reason to leave servers out
 */
export function dropUnavailable(met, scenario, known) {
  /** @type {Map<string, Reason & {pattern: string, names: string[]}>} */
  const groups = new Map();
  const reported = new Set();
  const staying = met.filter(({ entry, pattern }) => {
    const server = known.find(({ name }) => name === entry.name);
    if (pattern === null || server === undefined) return true;
    const reason = reasonAgainst(entry, server, scenario);
    if (reason === null) return true;
    if (!reported.has(`${entry.name} ${reason.singular}`)) {
      const group = groups.get(`${pattern} ${reason.plural}`) ?? { ...reason, pattern, names: [] };
      group.names.push(entry.name);
      groups.set(`${pattern} ${reason.plural}`, group);
    }
    reported.add(`${entry.name} ${reason.singular}`);
    return false;
  });
  const left = [...groups.values()].map(({ pattern, names, missing, code, data, singular, plural }) =>
    warning('server-left-out', {
      servers: names,
      pattern,
      missing,
      reason: { code, data },
      cause: names.length === 1 ? singular : plural,
    }),
  );
  return { servers: withLabels(staying, known), left };
}

/** @typedef {Mismatch & {missing: boolean}} Reason */

/**
 * @param {ServerEntry} entry
 * @param {KnownServer} server
 * @param {Way} way
 * @returns {Reason | null}
 */
function reasonAgainst(entry, server, way) {
  const { available = true, why, remedy, problem = null, fault } = server;
  const unfit = fault ? null : unsuitableReason(entry, server, way);
  if (unfit !== null) return { ...unfit, missing: false };
  if (available) return null;
  const cause = why ?? '';
  return { code: 'unavailable', data: { problem, remedy }, singular: cause, plural: cause, missing: true };
}

/** @typedef {{names: string[], cause: string, remedy: string | null, problem: KnownServer['problem']}} Unavailable */

/**
 * The legs that will not run because their named servers are not available here.
 * @param {ServerEntry[]} servers
 * @param {KnownServer[]} known  with their availability
 * @returns {{labels: string[], reasons: Unavailable[]}}
 */
export function unavailableServers(servers, known) {
  /** @type {Map<string, Unavailable>} by cause */
  const reasons = new Map();
  const unavailable = servers.filter(({ name }) => {
    const { available = true, why, remedy = null, problem = null } = known.find((server) => server.name === name) ?? {};
    if (available) return false;
    const key = `${why}; ${remedy}`;
    const reason = reasons.get(key) ?? { names: [], cause: why ?? '', remedy, problem };
    if (!reason.names.includes(name)) reason.names.push(name);
    reasons.set(key, reason);
    return true;
  });
  return {
    labels: unavailable.map(({ as }) => as),
    reasons: [...reasons.values()],
  };
}

/**
 * Keeps labels that the scenario gives. Other entries of the same server get labels that name their differences.
 * @param {ServerMatch[]} met
 * @param {KnownServer[]} known
 * @returns {ServerEntry[]}
 */
function withLabels(met, known) {
  const differing = differences(met, known);
  const labels = met.map((match) => {
    const reported = match.labelled ? '' : differing(match);
    return reported === '' ? match.entry.as : `${match.entry.as} (${reported})`;
  });
  const taken = new Set(labels.filter((_, i) => met[i].pattern === null));
  return met.map(({ entry, pattern }, i) => {
    let as = labels[i];
    if (pattern === null) return { ...entry, as };
    for (let n = 2; taken.has(as); n++) as = `${labels[i]} ${n}`;
    taken.add(as);
    return { ...entry, as };
  });
}
