// The colours of the page: contrast of text, and what people with a colour deficiency can tell apart.
import assert from 'node:assert/strict';
import { errorCauses, rejectCauses } from '../../client/measure/fields.js';
import { dashOf, markOf } from '../../report/model/leg-marks.js';
import { DARK, LIGHT } from '../../report/model/palette.js';

/**
 * How linear RGB is seen: whole, without red, without green receptors (Machado, Oliveira and Fernandes 2009, severity
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

/** Distance in CIELAB (CIE76); 2 to 3 can just be told apart side by side. */
const LEAST_DISTANCE = 12;
/** Of text, WCAG AAA. */
const LEAST_CONTRAST = 7;

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

/** @param {string} a @param {string} b @returns {number} the least in any vision */
const distance = (a, b) =>
  Math.min(
    ...VISIONS.map((vision) => {
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
        assert.ok(contrast(text, ground) >= LEAST_CONTRAST, `${text} on ${ground}: ${contrast(text, ground)}`);
      }
      assert.ok(contrast(bad, badSoft) >= LEAST_CONTRAST);
    });

    it('tells two legs apart by colour in every vision, or by dash and mark', () => {
      const places = palette.legs.map((_, place) => place);
      for (const [a, b] of pairs(places)) {
        const sameLine = String(dashOf(a)) === String(dashOf(b)) && markOf(a) === markOf(b);
        const apart = distance(palette.legs[a], palette.legs[b]);
        assert.ok(!sameLine || apart >= LEAST_DISTANCE, `legs ${a} and ${b}: ${apart}`);
      }
    });

    it('tells the causes in one bar apart in every vision', () => {
      for (const [a, b] of [...pairs(rejectCauses), ...pairs(errorCauses)]) {
        const apart = distance(palette.causes[a], palette.causes[b]);
        assert.ok(apart >= LEAST_DISTANCE, `${a} and ${b}: ${apart}`);
      }
    });
  });
}
