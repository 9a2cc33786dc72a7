/** The conditions of the run: machine, limits, versions, placement, load, command line. */
import { transportText } from '../../../client/transports/index.js';
import { asPlanned, commonOf, testText } from '../../../client/measure/settings.js';
import { describe } from '../../../client/scenario/describe.js';
import { html } from '../html.js';
import { hostElsewhere, sharesMachine, startedAt } from '../../model/placement.js';
import { endingText } from '../../../client/words/endings.js';
import {
  axisValuesText,
  connectionsText,
  lifetimeText,
  payloadText,
  rateText,
  socketTexts,
} from '../../../client/scenario/load-text.js';
import { bytes, count, duration } from '../../../client/words/format.js';
import { methodTexts } from '../../../client/judge/mark-texts.js';
import { kernelSettings, LIMIT_WORDS, protocolText } from './settings.js';

/**
 * @import { Load } from '../../../client/scenario/load-text.js'
 * @import { Scenario } from '../../../client/scenario/scenario.js'
 * @import { Test } from '../../../client/measure/settings.js'
 * @import { Leg } from '../../../client/plan/plan.js'
 * @import { RunSummary } from '../../../config/types.js'
 * @import { Plan } from '../../../client/measure/settings.js'
 * @import { Run } from '../../types.js'
 * @import { Fragment } from '../html.js'
 */

/** @type {Record<string, string>} */
const TIMESTAMPS = {
  sample: 'of a sample of the transfers, by software',
  off: 'none',
};

/** Default in the scenario's schema. */
const DEFAULT_BACKLOG = 4096;

/** @param {string} text such as net.ipv4.tcp_mem @returns {unknown[]} the text with places for line breaks */
const breakable = (text) => text.split(/(?<=[._/-])(?=\w)/).map((part, i) => [i ? html`<wbr>` : null, part]);

/**
 * @param {string} title
 * @param {Array<[string, unknown]>} rows rows without a value are omitted
 * @param {string} [kind] wide: over the whole width
 * @returns {Fragment | null} null without rows
 */
function block(title, rows, kind) {
  const known = rows.filter(([, value]) => value !== undefined && value !== null && value !== '' && value !== '–');
  if (known.length === 0) return null;
  return html`<div class="${kind ? `block ${kind}` : 'block'}"><h3>${title}</h3><dl>${known.map(
    ([name, value]) => html`<div><dt>${breakable(name)}</dt><dd>${breakable(String(value))}</dd></div>`,
  )}</dl></div>`;
}

/** @param {unknown} value @param {string} [name] ends in Bytes if the value is in bytes @returns {string} */
function text(value, name = '') {
  if (typeof value === 'number') return /bytes$/i.test(name) ? bytes(value) : count(value);
  return value !== null && typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** @param {string} name such as memoryAvailableBytes @returns {string} memory available */
const words = (name) => name.replace(/Bytes$/, '').replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

/** @param {Record<string, unknown> | undefined} object @returns {Array<[string, unknown]>} */
const entries = (object) =>
  Object.entries(object ?? {}).map(([name, value]) => [
    LIMIT_WORDS[name] ?? words(name),
    value === null || value === '' ? '' : text(value, name),
  ]);

/** @param {string | undefined} iso @returns {string | undefined} 2026-11-21 10:37:31 UTC */
const moment = (iso) => iso && `${iso.slice(0, 19).replace('T', ' ')} UTC`;

/** @param {string | string[]} line the command as typed, or its words @returns {string} */
const commandText = (line) =>
  [line]
    .flat()
    .map((word) => (Array.isArray(line) && /[^\w@%+=:,./-]/.test(word) ? `'${word.replaceAll("'", "'\\''")}'` : word))
    .join(' ');

/** @param {Run} run @returns {string} the kind of its local connections */
function localTransport(run) {
  const [target = ''] = run.summary.legs.flatMap(({ targets }) => targets);
  if (target.startsWith('unix:')) return 'unix sockets';
  return target.startsWith('[') ? 'loopback (IPv6)' : 'loopback';
}

/**
 * @param {Run} run
 * @returns {string | undefined} where client and servers ran; undefined without a plan
 */
function placement(run) {
  if (!run.plan?.legs?.length) return undefined;
  const host = hostElsewhere(run);
  const pinned = ofEach(run.plan.legs, pinText);
  const startHost = startedAt(run);
  if (startHost) {
    const { address } = run.environment?.server ?? {};
    return [`servers on host ${startHost}${address ? ` at ${address}` : ''}, see the machine of the server`, pinned]
      .filter(Boolean)
      .join(', ');
  }
  if (host) {
    const machine = sharesMachine(run)
      ? 'another interface of this machine'
      : 'another machine or interface, not described';
    return [`server at ${host}, ${machine}`, pinned].filter(Boolean).join(', ');
  }
  return `client and servers on one machine, over ${localTransport(run)}, ${pinned ?? 'not pinned: the kernel placed them'}`;
}

/** @param {Leg} leg @returns {string} */
const pinText = ({ pin, workerCpus, serverCpus }) =>
  [
    pin?.client ? `workers on CPU ${pin.client}${workerCpus ? ', one each' : ''}` : [],
    pin?.server ? `server on CPU ${pin.server}${serverCpus ? ', one for each instance' : ''}` : [],
  ]
    .flat()
    .join(', ');

/** @param {Leg | undefined} leg @returns {string | number | undefined} */
const workersText = (leg) =>
  leg && (leg.engines ?? 1) > 1 ? `${count(leg.workers)} with ${count(leg.engines)} engines each` : leg?.workers;

/** @param {Leg} leg @returns {string} */
const wrapperText = ({ wrap: { server, client } = {} }) =>
  [server ? `server under ${server}` : [], client ? `workers under ${client}` : []].flat().join(', ');

/** @param {Leg} leg @returns {string} name of the server; without the values of a sweep's axes */
const nameOf = ({ series, label }) => series ?? label;

/**
 * @param {Leg[]} legs @param {(leg: Leg) => string} textOf text for a leg's server; '' if there is none
 * @returns {string | undefined} each text once, with the servers that share it; undefined if there is none
 */
function ofEach(legs, textOf) {
  /** @type {Map<string, Set<string>>} */
  const namesByText = new Map();
  for (const leg of legs) {
    const text = textOf(leg);
    if (text !== '') namesByText.set(text, (namesByText.get(text) ?? new Set()).add(nameOf(leg)));
  }
  const servers = new Set(legs.map(nameOf)).size;
  if (servers === 1 && namesByText.size === 1) return [...namesByText.keys()][0];
  const texts = [...namesByText].map(([text, names]) =>
    names.size === servers && servers > 1 ? `all: ${text}` : `${[...names].join(', ')}: ${text}`,
  );
  return texts.join('; ') || undefined;
}

/** @param {Plan | null} plan @returns {string | undefined} the transports; undefined if all are TCP */
const transportsText = (plan) => {
  const texts = [...new Set((plan?.legs ?? []).map((leg) => transportText(leg.transport) ?? 'TCP'))];
  return texts.every((text) => text === 'TCP') ? undefined : texts.join('; ');
};

/** @param {Leg['server']} server */
const optionsOf = (server) => (server.kind === 'named' ? server.options : undefined);

/** @param {Leg[]} legs @returns {string | undefined} undefined if all have the default */
const backlogText = (legs) =>
  ofEach(legs, ({ server }) => {
    const { backlog = DEFAULT_BACKLOG } = optionsOf(server) ?? {};
    return backlog === DEFAULT_BACKLOG ? '' : count(backlog);
  });

/** @param {string[] | undefined} sources @returns {string | undefined} */
function sourcesText(sources) {
  if (!sources?.length) return undefined;
  return sources.length > 2 ? `${count(sources.length)}, starting with ${sources[0]}` : sources.join(', ');
}

/** @param {Leg[]} legs @returns {string | undefined} undefined if no server has several processes */
const processesText = (legs) =>
  ofEach(legs, ({ server }) => {
    const { processes = 1 } = optionsOf(server) ?? {};
    return processes > 1 ? count(processes) : '';
  });

/** @param {Record<string, unknown> | undefined} options @returns {string} such as "work 5ms-10ms, threads 4" */
const optionsText = (options) =>
  Object.entries(options ?? {})
    .map(([key, value]) => `${key} ${value}`)
    .join(', ');

/**
 * @param {Run['plan']} plan
 * @returns {string | undefined} options that not all legs share, except those in a leg's label
 */
function legOptionsText(plan) {
  const shown = [...Object.keys(plan?.sharedOptions ?? {}), 'backlog', 'processes'];
  return ofEach(plan?.legs ?? [], ({ label, server }) =>
    optionsText(
      Object.fromEntries(
        Object.entries(server.kind === 'named' ? { ...server.options, ...server.env } : {}).filter(
          ([key, value]) => !shown.includes(key) && !label.includes(`${key} ${value}`),
        ),
      ),
    ),
  );
}

/** @param {Partial<Scenario> | null} scenario @returns {string | null} null without a warm-up */
function warmUpText(scenario) {
  if (!scenario?.warmupNs) return null;
  const { warmupNs, warmupTransfers } = scenario;
  return warmupTransfers
    ? `until ${count(warmupTransfers)} transfers, up to ${duration(warmupNs)}`
    : duration(warmupNs);
}

/** @param {Partial<Scenario> | null} scenario @returns {string | null} null without TLS */
function tlsText(scenario) {
  const { tls, servers } = scenario ?? {};
  if (!tls) return null;
  const { verify, serverName, ca, certificate, resume } = tls;
  const authorities = ca ?? (servers ? "the server's own authority" : 'the authorities that the system trusts');
  const verification = `checked against ${authorities}${serverName ? `, for ${serverName}` : ''}`;
  const handshakes = resume ? 'a reopened connection resumes the session of the previous one' : 'full handshakes';
  return [
    handshakes,
    `certificate ${verify ? verification : 'not checked'}`,
    certificate ? 'and a certificate of the client' : null,
  ]
    .filter(Boolean)
    .join('; ');
}

/** @param {{now: number, most?: number} | undefined} clock in MHz @returns {string | undefined} */
function clockText(clock) {
  if (clock === undefined) return undefined;
  const maximum = clock.most === undefined ? '' : `, ${count(clock.most)} MHz at most`;
  return `${count(clock.now)} MHz when the run began${maximum}`;
}

/** @param {Run} run @returns {string | undefined} undefined if client and servers share a machine */
function linksText(run) {
  const { linkMbps } = run.environment ?? {};
  if (!linkMbps || !run.plan?.legs?.length || !(hostElsewhere(run) ?? startedAt(run))) return undefined;
  return speedsText(linkMbps);
}

/** @param {Record<string, number>} [linkMbps] key: name of the interface */
const speedsText = (linkMbps = {}) =>
  Object.entries(linkMbps)
    .map(([name, speed]) => `${name} ${count(speed)} Mbit/s`)
    .join(', ');

/** @param {Run} run @returns {(Fragment | null)[]} the machine that the servers were started on, if it is another */
function serverMachineBlocks(run) {
  const server = run.environment?.server;
  if (!server) return [];
  const { versions, commit, limits } = server;
  return [
    block('Machine of the server', [
      ['host', `${startedAt(run)} at ${server.address}`],
      ['CPU', server.cpu],
      ['CPU clock', clockText(server.cpuMhz)],
      ['cores', server.cores],
      ['threads per core', server.threadsPerCore],
      ['link speed', speedsText(server.linkMbps)],
      ['memory', bytes(server.memoryBytes)],
      ['kernel', server.kernel],
      ['node', server.node],
      ...entries(versions),
      ['commit', commitText(commit)],
    ]),
    block('Limits of the server’s machine', entries(limits)),
  ];
}

/** @param {string | undefined} commit @returns {string | undefined} the commit with 12 digits */
const commitText = (commit) => commit?.replace(/^([0-9a-f]{12})[0-9a-f]{28}/, '$1');

/** @param {Test[]} tests @returns {[string, string][]} */
const testEntries = (tests) => tests.map((test) => [test.as, testText(test)]);

/** @param {Record<string, unknown[]>} axes of a sweep @returns {[string, string][]} */
const axisEntries = (axes) => Object.entries(axes).map(([key, values]) => [key, axisValuesText(values)]);

/** @param {string} title @param {Array<[string, unknown]>} rows @returns {Fragment | null} null without rows */
function folded(title, rows) {
  const shown = block(title, rows, 'wide');
  return shown && html`<details><summary>${title}</summary><div class="blocks">${shown}</div></details>`;
}

/** @param {RunSummary} summary @returns {Fragment | null} how the intervals were computed */
function methods(summary) {
  const texts = methodTexts(summary);
  if (texts.length === 0) return null;
  return html`<div id="method">${texts.map(({ code, text }) => html`<p class="small" data-code="${code}">${text}</p>`)}</div>`;
}

/** @param {Run} run @returns {Fragment} */
export function conditions(run) {
  const { environment: env, summary, plan } = run;
  const planned = asPlanned(run.scenario, plan);
  const { connections: swept, ...axes } = planned?.sweep ?? {};
  /** The settings that all points share. */
  const scenario = planned && commonOf(planned);
  const ramp = scenario?.ramp;
  const load = /** @type {Load} */ (scenario ?? plan ?? summary?.config);
  return html`${
    env?.commandLine
      ? html`<pre class="command">${commandText(env.commandLine)
          .split(' ')
          .map((word, i) => [i ? ' ' : '', html`<span>${word}</span>`])}</pre>`
      : null
  }
<div class="blocks">${[
    block('Load', [
      ['connections', swept ? connectionsText(planned ?? {}) : load?.connections ? connectionsText(load) : null],
      ...axisEntries(axes),
      ['protocol', protocolText(load)],
      ['transport', transportsText(plan)],
      ['TLS', tlsText(scenario)],
      ['payload', load?.payloadBytes ? payloadText(load) : null],
      ['rate', rateText(scenario ?? {})],
      ['arrivals', scenario?.rate ? scenario.arrivals : null],
      ['ramp', ramp ? `${count(ramp.add)} every ${duration(ramp.everyNs)}${ramp.spread ? ', spread' : ''}` : null],
      ['warm-up', warmUpText(scenario)],
      [
        'steady state',
        scenario?.budget
          ? `until the marks that rank are known, ${duration(scenario.budget.minNs)} to ${duration(scenario.durationNs)} for each server`
          : scenario?.durationNs &&
            `${duration(scenario.durationNs)}${plan?.legs?.some(({ slices }) => slices) ? ' for each server' : ''}`,
      ],
      ['lifetime of a connection', lifetimeText(scenario?.lifetime)],
      [
        'back-off',
        scenario?.backoff
          ? `${duration(scenario.backoff.baseNs)} × ${scenario.backoff.factor}, up to ${duration(scenario.backoff.capNs)}`
          : null,
      ],
      ...describe(load ?? {}).map(({ words, text }) => /** @type {[string, string]} */ ([words, text])),
    ]),
    ...(run.scenario?.tests ? [block('Tests: what differs', testEntries(run.scenario.tests))] : []),
    block('Client and servers', [
      ['workers', workersText(plan?.legs?.[0]) ?? scenario?.workers],
      ['kernel timestamps', TIMESTAMPS[scenario?.timestamps ?? '']],
      ['socket options', socketTexts(scenario?.socket).join(', ')],
      ['source addresses', sourcesText(plan?.legs?.[0]?.sources)],
      ['options of all servers', optionsText(plan?.sharedOptions)],
      ['options of single servers', legOptionsText(plan)],
      ['server processes', processesText(plan?.legs ?? [])],
      ['backlog', plan?.sharedOptions?.backlog ? undefined : backlogText(plan?.legs ?? [])],
      ['instances', ofEach(plan?.legs ?? [], ({ instances = 1 }) => (instances > 1 ? count(instances) : ''))],
      ['wrappers', ofEach(plan?.legs ?? [], wrapperText)],
      ['seed', scenario?.seed],
    ]),
    block(sharesMachine(run) ? 'Machine' : 'Machine of the client', [
      ['CPU', env?.cpu],
      ['CPU clock', clockText(env?.cpuMhz)],
      ['cores', env?.cores],
      ['threads per core', env?.threadsPerCore],
      ['link speed', linksText(run)],
      ['memory', bytes(env?.memoryBytes)],
      ['kernel', env?.kernel],
      ['placement', placement(run)],
    ]),
    block(sharesMachine(run) ? 'Limits of the machine' : 'Limits of the client’s machine', entries(env?.limits)),
    ...serverMachineBlocks(run),
    block('Versions', [['node', env?.node], ...entries(env?.versions), ['commit', commitText(env?.commit)]]),
    block('Run', [
      ['id', run.id],
      ['started', moment(summary?.startedAt ?? env?.t0?.iso)],
      ['ended', moment(summary?.endedAt)],
      ['how it ended', summary?.endedBy && endingText(summary.endedBy)],
    ]),
  ]}</div>
${folded('Kernel settings', kernelSettings(env?.sysctl, env?.tcp?.memPages?.pageBytes))}${folded('Kernel settings of the server’s machine', kernelSettings(env?.server?.sysctl, env?.server?.tcp?.memPages?.pageBytes))}${methods(summary)}<p class="small" data-code="files">The scenario as resolved, the plan and the environment are <code>scenario.json</code>, <code>plan.json</code> and <code>environment.json</code> in the run folder <code>${run.id}</code>.</p>`;
}
