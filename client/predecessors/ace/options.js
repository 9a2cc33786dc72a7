// The options of `broadside ace`, which are those of ACE's client in both spellings: as yargs takes them, and what they ask for.

import { missingOption, numberOf, refusedOption } from '../../commands/option-values.js';
import { refuseTwice } from '../../scenario/flags.js';

/** Messages at the start of a connection that are left out of the result. */
export const PRIMERS = 100;
const LARGEST_POWER = 16;

/**
 * @typedef {object} AceOption
 * @property {string} [letter]
 * @property {string} description
 * @property {string | number} [default]
 * @property {[min: number, max: number]} [range] of a number; integer: a whole one
 * @property {boolean} [integer]
 * @property {string[]} [alias] other names
 */

/** @type {Record<string, AceOption>} by name; `_` for `-` is accepted too */
const OPTIONS = {
  'payload-size-power-of-2': {
    ...{ letter: 's', range: [0, LARGEST_POWER], integer: true },
    description: `Message size, as a power of 2 from 0 to ${LARGEST_POWER} (required without --spectrum)`,
  },
  'test-iterations': {
    ...{ letter: 'c', default: 1_000_000, range: [1, 1e9], integer: true },
    description: `Messages to measure, after ${PRIMERS} that are not measured`,
  },
  'test-transport-protocol': { letter: 't', default: 'sctp', description: 'Transport: sctp or tcp' },
  service: { default: 'SOCK_STREAM', description: 'SCTP one-to-one (SOCK_STREAM) or one-to-many (SOCK_SEQPACK)' },
  sctpStack: {
    default: 'auto',
    description: 'SCTP implementation: kernel, usrsctp (in user space, over UDP), or auto',
  },
  'server-host': { letter: 'H', default: 'localhost', description: "The server's host" },
  'server-port': {
    ...{ letter: 'p', default: 45_453, range: [1, 65_535], integer: true },
    description: "The server's port",
  },
  'client-port': {
    ...{ letter: 'C', default: 0, range: [0, 65_535], integer: true },
    description: 'Port to connect from; 0: any',
  },
  'client-connect-addr': {
    ...{ letter: 'i', alias: ['client-accept-addr'] },
    description: 'Address to connect from',
  },
  'histogram-min-bin': {
    ...{ letter: 'm', default: 0, range: [-1e12, 1e12] },
    description: 'Lower limit of the histogram, in microseconds',
  },
  'histogram-max-bin': {
    ...{ letter: 'M', default: 10_000, range: [-1e12, 1e12] },
    description: 'Upper limit of the histogram, in microseconds',
  },
  'histogram-bin-count': {
    ...{ letter: 'b', default: 1000, range: [1, 1e6], integer: true },
    description: 'Bins between the limits',
  },
  'histogram-num-outliers': {
    ...{ letter: 'x', default: 100, range: [0, 1e6], integer: true },
    description: 'Number of times outside the limits to list; the first ones are listed',
  },
};

/** @type {Record<string, import('yargs').Options>} */
export const aceOptions = {
  ...Object.fromEntries(
    Object.entries(OPTIONS).map(([name, { letter, description, alias = [], default: byDefault }]) => [
      name,
      {
        type: /** @type {const} */ ('string'),
        requiresArg: true,
        description: byDefault === undefined ? description : `${description} (default: ${byDefault})`,
        alias: [letter ?? [], [name, ...alias].flatMap(spellings).filter((spelling) => spelling !== name)].flat(),
      },
    ]),
  ),
  'test-enable-nagle': {
    type: 'boolean',
    alias: ['n', 'test_enable_nagle'],
    description: "Leave Nagle's algorithm on in the client",
  },
  spectrum: {
    type: 'boolean',
    description: `Run all message sizes from 2^0 to 2^${LARGEST_POWER}; write one .spectrum file in the folder for runs`,
  },
  gap: {
    type: 'string',
    requiresArg: true,
    description: 'Wait between two sizes of --spectrum, such as 5s (default: 0s)',
  },
  association: {
    type: 'boolean',
    description: 'Only open an SCTP association and print the addresses of both ends',
  },
  allowPublicTarget: { type: 'boolean', description: 'Allow a server outside loopback and private addresses' },
};

/** @param {string} name @returns {string[]} with hyphens, and with underscores */
function spellings(name) {
  return [name, name.replaceAll('-', '_')];
}

/**
 * @typedef {object} AceOptions
 * @property {number[]} sizes of the messages, one leg each
 * @property {string | undefined} gap between two legs
 * @property {number} messages to measure
 * @property {string} target
 * @property {import('../../transports/index.js').Transport} transport
 * @property {import('../../transports/index.js').Keys['sctpStack']} sctpStack
 * @property {number} sourcePort 0: any
 * @property {string | undefined} source
 * @property {import('./histogram.js').LinearBins} bins
 */

/**
 * @param {any} argv
 * @returns {AceOptions}
 * @throws {import('../../errors.js').BroadsideError}
 */
export function readOptions(argv) {
  const value = (/** @type {string} */ name) => valueOf(name, argv);
  const transport = value('test-transport-protocol');
  if (transport !== 'tcp' && transport !== 'sctp') {
    throw refusedOption('test-transport-protocol', transport, 'give tcp or sctp');
  }
  const carrier = readCarrier(transport, argv);
  const bins = {
    min: Number(value('histogram-min-bin')),
    max: Number(value('histogram-max-bin')),
    bins: Number(value('histogram-bin-count')),
    outliers: Number(value('histogram-num-outliers')),
  };
  if (bins.max <= bins.min) {
    throw refusedOption('histogram-max-bin', bins.max, `give more than --histogram-min-bin, which is ${bins.min}`);
  }
  const power = value('payload-size-power-of-2');
  if (power === undefined && !argv.spectrum && !argv.association) {
    throw missingOption(
      'payload-size-power-of-2',
      `the message size is missing; give it with -s, as a power of 2 from 0 to ${LARGEST_POWER}`,
    );
  }
  if (power !== undefined && argv.spectrum) {
    throw refusedOption('spectrum', power, 'it runs every message size; leave -s out, or --spectrum');
  }
  if (argv.gap !== undefined && !argv.spectrum) {
    throw refusedOption('gap', argv.gap, 'it is the wait between two sizes of --spectrum');
  }
  const host = String(value('server-host'));
  return {
    sizes: argv.spectrum ? Array.from({ length: LARGEST_POWER + 1 }, (_, each) => 2 ** each) : [2 ** Number(power)],
    gap: argv.gap,
    messages: Number(value('test-iterations')),
    target: `${host.includes(':') ? `[${host}]` : host}:${value('server-port')}`,
    ...carrier,
    sourcePort: Number(value('client-port')),
    source: value('client-connect-addr')?.toString(),
    bins,
  };
}

/**
 * @param {'tcp' | 'sctp'} transport
 * @param {any} argv
 * @returns {Pick<AceOptions, 'transport' | 'sctpStack'>}
 * @throws {import('../../errors.js').UsageError}
 */
function readCarrier(transport, argv) {
  const service = String(valueOf('service', argv));
  const sctpStack = String(valueOf('sctpStack', argv));
  if (!['SOCK_STREAM', 'SOCK_SEQPACK'].includes(service)) {
    throw refusedOption('service', service, 'give SOCK_STREAM or SOCK_SEQPACK');
  }
  if (!isStack(sctpStack)) throw refusedOption('sctpStack', sctpStack, 'give auto, kernel or usrsctp');
  if (transport === 'tcp') {
    const [option] = /** @type {const} */ (['service', 'sctpStack', 'association']).filter(
      (name) => argv[name] !== undefined && argv[name] !== false,
    );
    if (option !== undefined) throw refusedOption(option, argv[option], 'it needs SCTP; leave it out, or give -t sctp');
    return { transport, sctpStack: 'auto' };
  }
  return { transport: service === 'SOCK_SEQPACK' ? 'sctp-seqpacket' : 'sctp', sctpStack };
}

/** @param {string} text @returns {text is 'auto' | 'kernel' | 'usrsctp'} */
const isStack = (text) => ['auto', 'kernel', 'usrsctp'].includes(text);

/**
 * @param {string} name of an option
 * @param {any} argv
 * @returns {string | number | undefined} as given, a number where it has a range; or the default
 * @throws {import('../../errors.js').UsageError}
 */
function valueOf(name, argv) {
  const { default: byDefault, range, integer = false } = OPTIONS[name];
  refuseTwice(name, argv[name]);
  return (range ? numberOf(name, argv[name], { range, integer }) : argv[name]) ?? byDefault;
}
