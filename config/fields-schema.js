// Makes config/schema/fields.json from the rows of client/measure/fields.js: the counters and times of engines, which
// the schemas of samples and summaries refer to. `npm run reference` writes it.

import { COUNTERS, GAUGES, HISTOGRAMS } from '../client/measure/fields.js';
import { ERRORS, REJECTS } from '../client/measure/causes.js';
import { RUN_SCHEMA } from '../client/measure/schema.js';

/** @typedef {{ name: string, about: string }} Row */

const SAMPLE = 'urn:broadside:schema:sample';
const AMOUNT = { type: 'number', minimum: 0, maximum: 1e19 };
const COUNT = { type: 'integer', minimum: 0, maximum: 1e19 };

/**
 * @param {string} description
 * @param {readonly (Row & { isOptional?: boolean })[]} rows
 * @param {(row: { isOptional?: boolean }) => object} typeOf
 * @returns {object} schema of an object with these fields
 */
const objectOf = (description, rows, typeOf) => ({
  description,
  type: 'object',
  required: rows.filter(({ isOptional }) => !isOptional).map(({ name }) => name),
  additionalProperties: false,
  properties: Object.fromEntries(rows.map((row) => [row.name, { ...typeOf(row), description: row.about }])),
});

const amount = () => ({ $ref: '#/$defs/amount' });
const count = () => ({ $ref: '#/$defs/count' });
/** @param {{ isOptional?: boolean }} row */
const times = ({ isOptional }) => ({ $ref: `${SAMPLE}#/$defs/${isOptional ? 'histogram' : 'histogramOrNull'}` });

/** @param {string} about @returns {Row} */
const total = (about) => ({ name: 'total', about });

/** Counters for the whole leg. */
const legCounters = COUNTERS.flatMap((row) => ('ofLeg' in row ? [{ ...row, isOptional: row.ofLeg !== 'always' }] : []));

const REJECTED = 'Attempts that did not open, by cause.';
const ENDED = 'What ended or invalidated open connections, by cause.';

/** @returns {object} the schema */
export const fieldsSchema = () => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'urn:broadside:schema:fields',
  title: 'What engines count and measure. Made from client/measure/fields.js by npm run reference',
  $defs: {
    runSchema: { description: 'RUN_SCHEMA of client/measure/schema.js.', type: 'integer', const: RUN_SCHEMA },
    amount: AMOUNT,
    count: COUNT,
    counters: objectOf(
      'What happened in the span.',
      COUNTERS.filter((row) => !('at' in row)),
      amount,
    ),
    gauges: objectOf('State at the end of the span.', GAUGES, amount),
    histograms: objectOf('Times in ns; of what may be absent, those that were measured.', HISTOGRAMS, times),
    sampleRejects: objectOf(REJECTED, REJECTS, amount),
    sampleErrors: objectOf(ENDED, ERRORS, amount),
    rejects: objectOf(REJECTED, [total('of all causes'), ...REJECTS], count),
    errors: objectOf(ENDED, [total('of all causes'), ...ERRORS], count),
    legTransfers: objectOf(
      'Transfers of the whole leg. bytesSent, bytesReceived: of requests, replies and control messages; of a send that broke off, the bytes that the kernel had taken (over TLS: in whole buffers of up to 64 KiB). due, late, unsent: of an open loop; strays: over UDP.',
      [{ name: 'count', about: 'whole, verified replies' }, ...legCounters],
      count,
    ),
  },
});
