// The options of `broadside ace`, which are those of ACE's client in both spellings: their definitions for yargs, and
// the run that they ask for.

import { missingOption, numberOf, optionError, refusedOption } from '../../commands/option-values.js';
import { requestOf } from '../../commands/options.js';
import { refuseTwice } from '../../scenario/flags.js';
import { payload as payloadText } from '../../words/format.js';

/**
 * @import { Options } from 'yargs'
 * @import { Request } from '../../commands/options.js'
 * @import { BroadsideError, UsageError } from '../../errors.js'
 * @import { LinearBins } from './histogram.js'
 */

/** Messages at the start of a connection that are left out of the result. */
export const PRIMERS = 100;
const LARGEST_POWER = 16;

/**
 * @typedef {object} AceOption
 * @property {string} [letter]
 * @property {string} description
 * @property {string | number} [default]
 * @property {[min: number, max: number]} [range] limits of a number
 * @property {boolean} [integer] whether the number is whole
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

/** @type {Record<string, Options>} */
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

/** Names of the options that --association accepts. */
const ASSOCIATION_OPTIONS = new Set([
  ...['test-transport-protocol', 'service', 'server-host', 'server-port', 'association'],
  'allowPublicTarget',
]);

/** The longest duration that a scenario can have: the number of messages ends the run. */
const NO_TIME_LIMIT = '24h';

/**
 * @typedef {object} AceOptions
 * @property {string} target
 * @property {'tcp' | 'sctp' | 'sctp-seqpacket'} transport
 * @property {boolean} isAssociation  opens an association and measures nothing
 * @property {boolean} isSpectrum
 * @property {number[]} sizes of the messages in bytes, one leg each; empty with --association
 * @property {number} messages to measure
 * @property {LinearBins} bins
 * @property {Request} request
 */

/**
 * @param {any} argv
 * @returns {AceOptions}
 * @throws {BroadsideError}
 */
export function readOptions(argv) {
  const values = valuesOf(argv);
  const transport = readTransport(values, argv);
  const { spectrum: isSpectrum = false, association: isAssociation = false } = argv;
  const bins = {
    min: values['histogram-min-bin'],
    max: values['histogram-max-bin'],
    bins: values['histogram-bin-count'],
    outliers: values['histogram-num-outliers'],
  };
  if (bins.max <= bins.min) {
    throw refusedOption('histogram-max-bin', bins.max, `give more than --histogram-min-bin, which is ${bins.min}`);
  }
  const power = values['payload-size-power-of-2'];
  if (isAssociation) refuseMeasuring(argv);
  else if (power === undefined && !isSpectrum) {
    throw missingOption(
      'payload-size-power-of-2',
      `the message size is missing; give it with -s, as a power of 2 from 0 to ${LARGEST_POWER}`,
    );
  }
  if (power !== undefined && isSpectrum) {
    throw optionError('spectrum', power, 'it runs every message size; leave -s out, or --spectrum');
  }
  if (argv.gap !== undefined && !isSpectrum) {
    throw optionError('gap', argv.gap, 'it is the wait between two sizes of --spectrum');
  }
  const powers = isSpectrum
    ? Array.from({ length: LARGEST_POWER + 1 }, (_, exponent) => exponent)
    : isAssociation
      ? []
      : [power];
  const sizes = powers.map((exponent) => 2 ** exponent);
  const host = String(values['server-host']);
  const target = `${host.includes(':') ? `[${host}]` : host}:${values['server-port']}`;
  const messages = values['test-iterations'];
  const request = requestOf({
    ...{ logs: argv.logs, report: argv.report, name: 'ace', protocol: 'ace', target, connections: '1' },
    ...(transport === 'tcp' ? {} : { transport }),
    allowPublicTarget: argv.allowPublicTarget,
    ...(isAssociation ? {} : measurementFlags(values, argv, sizes)),
  });
  return { target, transport, isAssociation, isSpectrum, sizes, messages, bins, request };
}

/** @param {any} argv @throws {UsageError} */
function refuseMeasuring(argv) {
  const names = Object.keys(aceOptions).filter((name) => !ASSOCIATION_OPTIONS.has(name));
  const unused = names.find((name) => argv[name] !== undefined && argv[name] !== false);
  if (unused === undefined) return;
  throw optionError(unused, argv[unused], 'nothing is measured with --association; leave it out');
}

/**
 * @param {Record<string, any>} values
 * @param {any} argv
 * @param {number[]} sizes
 * @returns {Record<string, unknown>} the scenario's flags for the measurement
 */
function measurementFlags(values, { spectrum, gap, 'test-enable-nagle': nagle }, sizes) {
  const { 'client-port': sourcePort, 'client-connect-addr': source } = values;
  const tests = sizes.map((size) => ({ as: payloadText(size), payload: `${size}B` }));
  return {
    ...{ workers: '1', 'ramp.add': '1', 'ramp.every': '1ms', transferLog: 'arrow' },
    ...{ transfers: String(values['test-iterations'] + PRIMERS), duration: NO_TIME_LIMIT },
    ...(spectrum ? { tests: JSON.stringify(tests) } : { payload: tests[0].payload }),
    ...(gap === undefined ? {} : { legGap: gap }),
    ...(nagle ? { 'socket.nodelay': false } : {}),
    ...(sourcePort === 0 ? {} : { 'socket.sourcePort': String(sourcePort) }),
    ...(source === undefined ? {} : { sources: String(source) }),
  };
}

/**
 * @param {Record<string, any>} values
 * @param {any} argv
 * @returns {'tcp' | 'sctp' | 'sctp-seqpacket'}
 * @throws {UsageError}
 */
function readTransport({ 'test-transport-protocol': transport, service }, argv) {
  if (transport !== 'tcp' && transport !== 'sctp') {
    throw refusedOption('test-transport-protocol', transport, 'give tcp or sctp');
  }
  if (!['SOCK_STREAM', 'SOCK_SEQPACK'].includes(service)) {
    throw refusedOption('service', service, 'give SOCK_STREAM or SOCK_SEQPACK');
  }
  if (transport === 'sctp') return service === 'SOCK_SEQPACK' ? 'sctp-seqpacket' : 'sctp';
  const option = ['service', 'association'].find((name) => argv[name] !== undefined && argv[name] !== false);
  if (option !== undefined) throw optionError(option, argv[option], 'needs SCTP; leave it out, or give -t sctp');
  return transport;
}

/**
 * @param {any} argv
 * @returns {Record<string, any>} the value of each option, or its default; a number if the option has a range
 * @throws {UsageError}
 */
function valuesOf(argv) {
  const pairs = Object.entries(OPTIONS).map(([name, { default: byDefault, range, integer = false }]) => {
    refuseTwice(name, argv[name]);
    return [name, (range ? numberOf(name, argv[name], { range, integer }) : argv[name]) ?? byDefault];
  });
  return Object.fromEntries(pairs);
}
