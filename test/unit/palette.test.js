// The colours of the page: contrast of text, and differences that people with a colour deficiency can see.
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { errorCauses, rejectCauses } from '../../client/measure/fields.js';
import { COLOURS, DARK, LIGHT } from '../../report/model/palette.js';
import { coloursOf } from '../../report/model/server-colours.js';

/**
 * Matrices of linear RGB for normal vision, protanopia and deuteranopia (Machado, Oliveira and Fernandes 2009, severity
 * 1).
 */
const VISIONS = [
  [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
];

/** Minimum distances in CIELAB (CIE76); adjacent colours with a distance of 2 to 3 are just distinguishable. */
const MIN_DISTANCE = 12;
const MIN_OF_SERVERS = 16;
/** For servers after the first eight, whose lines also have different dashes. */
const MIN_OF_OTHERS = 9;
/** For text, WCAG AAA. */
const MIN_CONTRAST = 7;
/** For lines and marks, WCAG AA. */
const MIN_OF_A_LINE = 3;

/** @param {string} hex @returns {number[]} linear RGB, 0..1 */
const linear = (hex) =>
  [1, 3, 5]
    .map((i) => parseInt(hex.slice(i, i + 2), 16) / 255)
    .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));

/** @param {string} hex @param {number[][]} vision @returns {number[]} in CIELAB */
function seen(hex, vision) {
  const rgb = linear(hex);
  const [r, g, b] = vision.map((row) => Math.min(1, Math.max(0, row[0] * rgb[0] + row[1] * rgb[1] + row[2] * rgb[2])));
  const f = (/** @type {number} */ t) => (t > 0.008856 ? Math.cbrt(t) : 7.787 * t + 16 / 116);
  const x = f((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.95047);
  const y = f(0.2126 * r + 0.7152 * g + 0.0722 * b);
  const z = f((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.08883);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

/** @param {string} a @param {string} b @param {number[][][]} [visions] @returns {number} the least in any of them */
const distance = (a, b, visions = VISIONS) =>
  Math.min(
    ...visions.map((vision) => {
      const [p, q] = [seen(a, vision), seen(b, vision)];
      return Math.hypot(...p.map((v, i) => v - q[i]));
    }),
  );

/** @param {string} a @param {string} b @returns {number} WCAG */
function contrast(a, b) {
  const light = (/** @type {string} */ hex) => {
    const [red, green, blue] = linear(hex);
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const [low, high] = [light(a), light(b)].sort((p, q) => p - q);
  return (high + 0.05) / (low + 0.05);
}

/** @template T @param {readonly T[]} all @returns {Array<[T, T]>} */
const pairs = (all) => all.flatMap((a, i) => all.slice(i + 1).map((b) => /** @type {[T, T]} */ ([a, b])));

for (const [name, palette] of Object.entries({ light: LIGHT, dark: DARK })) {
  describe(`the ${name} palette`, () => {
    it('has text of enough contrast on every background', () => {
      const { ink, muted, bad, good, link, paper, surface, soft, badSoft } = palette;
      for (const [text, ground] of [ink, muted, bad, good, link].flatMap((text) =>
        [paper, surface, soft].map((ground) => [text, ground]),
      )) {
        assert.ok(contrast(text, ground) >= MIN_CONTRAST, `${text} on ${ground}: ${contrast(text, ground)}`);
      }
      assert.ok(contrast(bad, badSoft) >= MIN_CONTRAST);
    });

    it('tells servers apart by colour in every vision, and with whole vision from what failed', () => {
      const { legs, failed, surface } = palette;
      for (const colour of legs) assert.ok(contrast(colour, surface) >= MIN_OF_A_LINE, colour);
      for (const [a, b] of pairs(legs)) {
        const isOfBest = legs.indexOf(b) < 8;
        const apart = distance(a, b);
        assert.ok(apart >= (isOfBest ? MIN_OF_SERVERS : MIN_OF_OTHERS), `${a} and ${b}: ${apart}`);
      }
      for (const colour of legs) assert.ok(distance(colour, failed, VISIONS.slice(0, 1)) >= MIN_OF_SERVERS, colour);
    });

    it('tells the causes in one bar apart in every vision', () => {
      for (const [a, b] of [...pairs(rejectCauses), ...pairs(errorCauses)]) {
        const apart = distance(palette.causes[a], palette.causes[b]);
        assert.ok(apart >= MIN_DISTANCE, `${a} and ${b}: ${apart}`);
      }
    });
  });
}

describe('the colour of a server', () => {
  const flagship = ['multi-threaded', 'select', 'epoll'];

  it('is the same in each shipped scenario that has it', async () => {
    const folder = new URL('../../config/', import.meta.url);
    const files = (await readdir(folder)).filter((name) => name.endsWith('.json'));
    const scenarios = await Promise.all(
      files.map(async (name) => JSON.parse(await readFile(new URL(name, folder), 'utf8'))),
    );
    const sets = scenarios
      .map(({ servers = [] }) =>
        servers.filter((/** @type {unknown} */ name) => typeof name === 'string' && !/[*{]/.test(name)),
      )
      .filter(({ length }) => length > 0 && length <= 8);
    assert.ok(sets.length > 20, 'they are read');
    /** @type {Map<string, number>} */
    const seen = new Map();
    for (const [name, colour] of sets.flatMap((names) => [...coloursOf(names)])) {
      assert.equal(seen.get(name) ?? colour, colour, name);
      seen.set(name, colour);
    }
  });

  it('depends on the names alone, and none of up to twelve share it', () => {
    const others = Array.from({ length: 100 }, (_, i) => `server ${i}`);
    for (let n = 1; n <= COLOURS; n++) {
      const colours = coloursOf(others.slice(0, n));
      assert.ok([...colours.values()].every((colour) => colour < COLOURS));
      assert.equal(new Set(colours.values()).size, n);
      assert.deepEqual(coloursOf(others.slice(0, n).reverse()), colours);
    }
    const first = others.slice(40, 46);
    const all = coloursOf(others, first);
    assert.equal(new Set(all.values()).size, 100);
    assert.ok(first.every((name) => Number(all.get(name)) < COLOURS));
  });

  it('of a change is blue, and of what it is compared with grey', () => {
    assert.deepEqual(
      [...coloursOf(['base', 'head'])],
      [
        ['base', COLOURS - 1],
        ['head', 0],
      ],
    );
    assert.equal(coloursOf([...flagship, 'head']).get('head'), 0);
  });
});
