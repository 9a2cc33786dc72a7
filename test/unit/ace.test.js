// ACE's round-trip test: its text, to the byte, and its options. The golden file was printed by a C program with the
// printf formats of ACE's client.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { histogramText, LinearHistogram } from '../../client/predecessors/ace/histogram.js';
import { readOptions } from '../../client/predecessors/ace/options.js';

const GOLDEN = new URL('../fixtures/golden/ace-histogram.txt', import.meta.url);
const TIMES_US = [
  12.5, 13.062, 9.999, 10, 49.999, 50, 1234567.25, 20, 20.0625, 31.25, 0.001, 47.5, 47.75, 48, 100000.5, 30,
];

/** @param {number[]} values @returns {LinearHistogram} */
function histogramOf(values) {
  const histogram = new LinearHistogram({ min: 10, max: 50, bins: 4, outliers: 3 });
  for (const value of values) histogram.record(value);
  return histogram;
}

describe("the text of ACE's round-trip test", () => {
  it('is the golden one', () => {
    assert.equal(histogramText(histogramOf(TIMES_US), 128), readFileSync(GOLDEN, 'utf8'));
  });

  it('says that nothing was measured', () => {
    const text = histogramText(histogramOf([]), 1);
    assert.ok(text.endsWith('(Message Size 1, Message Type octet) is empty\n\n'), text);
  });
});

describe("the options of ACE's round-trip test", () => {
  const given = { 'test-transport-protocol': 'tcp', 'payload-size-power-of-2': '7' };

  it('have the defaults of its client', () => {
    const { request, ...rest } = readOptions(given);
    assert.deepEqual(rest, {
      target: 'localhost:45453',
      transport: 'tcp',
      isAssociation: false,
      isSpectrum: false,
      sizes: [128],
      messages: 1_000_000,
      bins: { min: 0, max: 10_000, bins: 1000, outliers: 100 },
    });
    const { transfers, payload, ...flags } = request.scenario?.flags ?? {};
    assert.deepEqual([transfers, payload], [1_000_100, '128B']);
    const absent = ['transport', 'socket.nodelay', 'socket.sourcePort', 'sources', 'legGap', 'tests'];
    assert.deepEqual(
      absent.filter((key) => key in flags),
      [],
    );
  });

  it('choose SCTP by default, one-to-one or one-to-many', () => {
    const { 'test-transport-protocol': _, ...sctp } = given;
    const transportOf = (/** @type {Record<string, unknown>} */ more) => readOptions({ ...sctp, ...more }).transport;
    assert.equal(transportOf({}), 'sctp');
    assert.equal(transportOf({ service: 'SOCK_STREAM' }), 'sctp');
    assert.equal(transportOf({ service: 'SOCK_SEQPACK' }), 'sctp-seqpacket');
  });

  it('measure nothing with --association', () => {
    const { sizes, request } = readOptions({ association: true });
    assert.deepEqual([sizes, 'transfers' in (request.scenario?.flags ?? {})], [[], false]);
  });

  it('name an IPv6 host', () => {
    assert.equal(readOptions({ ...given, 'server-host': '::1', 'server-port': '7' }).target, '[::1]:7');
  });

  it('run all sizes with --spectrum, and only then with a wait between them', () => {
    const { 'payload-size-power-of-2': _, ...rest } = given;
    const { sizes, request } = readOptions({ ...rest, spectrum: true, gap: '5s' });
    assert.deepEqual([sizes.length, sizes[0], sizes.at(-1)], [17, 1, 65_536]);
    assert.equal(request.scenario?.flags.legGap, '5s');
  });
});
