// The options of `stress` about agents, and their parts of a request. `agent` and `collect` also have the options about
// the NATS server.

import { because, excludes, isGiven, needs, notTogether, row, text } from '../../commands/option-rows.js';
import { numberOf, optionError, readable, refusedOption } from '../../commands/option-values.js';
import { typed } from '../../invocation.js';
import { keepPasswordOf, keepUnseen } from '../../protocols/kept-secrets.js';
import { withoutLogin } from '../../words/endpoint.js';
import { HIDDEN, sayable } from '../../words/secrets.js';
import { parseDuration } from '../../words/units.js';
import { BEAT_MS, MISSED_BEATS } from '../messages.js';
import { isName } from '../subjects.js';

/**
 * @import { Context, Refusal, Row, Rule } from '../../commands/option-rows.js'
 * @import { LocalLauncher, Place } from '../../run/place.js'
 * @import { NatsServer } from '../connection.js'
 * @import { AgentsWanted } from '../place.js'
 */

/** @typedef {'nats-creds' | 'nats-nkey' | 'nats-token' | 'nats-ca' | 'nats-cert' | 'nats-key'} NatsFile */

const MAX_AGENTS = 1000;
/** The options for logging in. */
const LOGINS = ['nats-creds', 'nats-nkey', 'nats-token'];

const AGENTS = 'Agents:';
const LEAST_SILENCE_MS = MISSED_BEATS * BEAT_MS;

/**
 * Reads how long the other side may be silent; agent and controller each send a message about once a second.
 * @param {string} option @param {string | undefined} given @returns {number | undefined}
 */
export function silenceMs(option, given) {
  if (given === undefined) return undefined;
  const ns = Array.isArray(given) ? NaN : (parseDuration(given) ?? NaN);
  if (ns >= LEAST_SILENCE_MS * 1e6) return ns / 1e6;
  throw refusedOption(option, given, `give a duration of at least ${LEAST_SILENCE_MS / 1000}s, such as 10s`);
}

/** @param {unknown} given @param {string} option @returns {string} */
function agentName(given, option) {
  if (typeof given === 'string' && isName(given)) return given;
  throw refusedOption(option, given, `give the name of one agent, as in ${typed('agent', '--name NAME')}`);
}

/** @param {unknown} given @returns {URL} */
function natsUrl(given) {
  const url = URL.canParse(String(given)) ? new URL(String(given)) : null;
  if (!Array.isArray(given) && url !== null && ['nats:', 'tls:'].includes(url.protocol) && url.hostname !== '') {
    return url;
  }
  const shown = url === null ? String(given).replace(/.*@/s, '...@') : withoutLogin(String(given));
  throw refusedOption('nats', shown, 'give one URL such as nats://host:4222');
}

/** @type {Refusal} */
const withoutAgents = (option, value) => optionError(option, withoutLogin(String(value)), 'needs --agents N');

const together = because('give --nats-cert and --nats-key together');

/** Refuses the first of several ways to log in. @type {Rule} */
const refuseSeveralLogins = ({ option, argv, values }) => {
  const ways = [...LOGINS.filter((name) => isGiven(argv[name])), ...(values.nats?.username ? ['nats'] : [])];
  const [first, ...more] = ways;
  if (first !== option || more.length === 0) return null;
  const names = more.map((name) => `--${name}`).join(', ');
  return optionError(option, sayable(argv[option], option), `only one way to log in can be used; leave out ${names}`);
};

/** @param {string} name @param {string} description @param {Rule[]} [rules] @returns {Row} */
const natsFile = (name, description, rules = []) =>
  row(name, 'nats', text(AGENTS, description), { rules: [needs(['nats'], because('needs --nats URL')), ...rules] });

/** In the order of the help. @type {Row[]} */
export const rows = [
  row('agents', 'place', text(AGENTS, 'Divide the load over this many agents (other hosts), found through --nats'), {
    read: (given, name) => numberOf(name, given, { range: [1, MAX_AGENTS] }),
    rules: [
      (given) => excludes(['agents', 'server-agent'], notTogether)({ ...given, option: 'debug' }),
      (given) => needs(['agents', 'server-agent'], withoutAgents)({ ...given, option: 'nats' }),
    ],
  }),
  row(
    'nats',
    'nats',
    text(
      AGENTS,
      'URL of the NATS server, with JetStream: nats://host:4222 or tls://host:4222; it may contain a user and password',
    ),
    { read: natsUrl },
  ),
  natsFile('nats-creds', 'Log in to NATS with this credentials file', [refuseSeveralLogins]),
  natsFile('nats-nkey', 'Log in to NATS with the nkey seed in this file', [refuseSeveralLogins]),
  natsFile('nats-token', 'Log in to NATS with the token in this file', [refuseSeveralLogins]),
  natsFile('nats-ca', 'PEM file of the authority that signed the certificate of the NATS server'),
  natsFile('nats-cert', 'PEM file of the client certificate for the NATS server; needs --nats-key', [
    needs(['nats-key'], together),
  ]),
  natsFile('nats-key', 'PEM file of the private key of that certificate', [needs(['nats-cert'], together)]),
  row(
    'server-agent',
    'place',
    text(AGENTS, 'Start the servers on the agent of this name, found through --nats, and measure them there'),
    { read: agentName },
  ),
  row(
    'tolerate',
    'place',
    text(AGENTS, 'Number of agents that may be lost without making the run incomplete (default: 0)'),
    { rules: [needs(['agents'], withoutAgents)] },
  ),
  row(
    'agent-timeout',
    'place',
    text(AGENTS, 'An agent is lost when it has been silent for this long (default: 3s, three missed reports)'),
    { rules: [needs(['agents', 'server-agent'], withoutAgents)] },
  ),
];

/** The parts of a request, in the order in which they are read. */
export const parts = {
  /**
   * @param {{ nats?: URL } & { [file in NatsFile]?: string }} values @param {Context} context
   * @returns {NatsServer | null}
   */
  nats: ({ nats: url, ...files }, { argv }) => {
    if (url === undefined) return null;
    const texts = Object.fromEntries(
      Object.entries(files).map(([name, path]) => [name, path === undefined ? null : readable(name, path)]),
    );
    const token = texts['nats-token']?.trim() ?? null;
    if (token !== null) keepUnseen(token, HIDDEN);
    keepPasswordOf(url);
    const { 'nats-creds': creds = null, 'nats-nkey': nkey = null, 'nats-ca': ca = null } = files;
    const { 'nats-cert': certificate = null, 'nats-key': key = null } = files;
    return { url: String(argv.nats), login: { creds, nkey, token, ca, certificate, key } };
  },
  /**
   * @param {{ agents?: number, 'server-agent'?: string | null, tolerate?: string, 'agent-timeout'?: string }} values
   * @param {Context} context
   * @returns {(AgentsWanted & { open: (launcher: LocalLauncher) => Promise<Place> }) | null} open: makes the place of
   *   the run, with the launcher of this host; null: the run uses this host only
   */
  place: ({ agents: count = 0, 'server-agent': serverAgent = null, ...values }, { argv, parts: { nats } }) => {
    if (count === 0 && serverAgent === null) return null;
    if (nats === null) {
      const option = count === 0 ? 'server-agent' : 'agents';
      throw optionError(option, argv[option], 'agents are found through a NATS server; give --nats URL');
    }
    const tolerated = numberOf('tolerate', values.tolerate, { range: [0, count - 1] }) ?? 0;
    const timeoutMs = silenceMs('agent-timeout', values['agent-timeout']);
    const wanted = { count, nats, tolerated, timeoutMs, serverAgent };
    return { ...wanted, open: async (launcher) => new (await import('../place.js')).AgentsPlace(wanted, launcher) };
  },
};
