// The result of ACE's round-trip test: a histogram with bins of equal width between two limits, the first values
// outside the limits, and its text as ACE's client prints it, byte for byte (`version: 1.1`).

/** @typedef {{ min: number, max: number, bins: number, outliers: number }} LinearBins  outliers: how many to keep */

export class LinearHistogram {
  /** @param {LinearBins} bins */
  constructor({ min, max, bins, outliers }) {
    this.min = min;
    this.max = max;
    this.bins = bins;
    this.maxOutliers = outliers;
    /** Values in each bin; the first element counts those below `min`, the last those from `max`. */
    this.counts = new Float64Array(bins + 2);
    this.count = 0;
    this.least = Infinity;
    this.greatest = -Infinity;
    this.sum = 0;
    /** Sum of the squared distances from the mean (Welford's algorithm). */
    this.squares = 0;
    /** @type {number[]} values outside of the limits, in order of arrival */
    this.outliers = [];
  }

  /** @param {number} value */
  record(value) {
    const previousMean = this.mean;
    this.count += 1;
    this.sum += value;
    this.squares += this.count === 1 ? 0 : (value - previousMean) * (value - this.mean);
    this.least = Math.min(this.least, value);
    this.greatest = Math.max(this.greatest, value);
    const { min, max, bins } = this;
    const isInside = value >= min && value < max;
    if (!isInside && this.outliers.length < this.maxOutliers) this.outliers.push(value);
    const bin = isInside ? 1 + Math.floor(((value - min) * bins) / (max - min)) : value < min ? 0 : bins + 1;
    this.counts[bin] += 1;
  }

  /** NaN without values. */
  get mean() {
    return this.sum / this.count;
  }

  /** Sample variance (n - 1); NaN with fewer than two values. */
  get variance() {
    return this.squares / (this.count - 1);
  }
}

/**
 * @param {LinearHistogram} histogram of response times in us
 * @param {number} payloadBytes
 * @returns {string}
 */
export function histogramText(histogram, payloadBytes) {
  const { count, counts, bins, min, max, outliers } = histogram;
  const title =
    'ACE Unmarshalled Msg Synchronous Latency Test\n\t\t\t\t\t' + `(Message Size ${payloadBytes}, Message Type octet)`;
  if (count === 0) return `\n\n\t\t\t\tHistogram ${title} is empty\n\n`;

  const width = (max - min) / bins;
  const edges = Array.from({ length: bins + 1 }, (_, i) => fixed(i * width + min));
  let sum = 0;
  const row = (/** @type {string} */ range, /** @type {number} */ binCount) => {
    sum += binCount;
    const shares = [binCount / count, Math.floor((1000 * sum) / count) / 1000].map((share) => decimals(share, 3));
    return `\t${range}  :  ${String(binCount).padStart(5)}    ${shares.join('    ')}\n`;
  };
  const ranges = [
    `     below    -  ${edges[0]}`,
    ...edges.slice(1).map((high, i) => `${edges[i]}  -  ${high}`),
    `${fixed(max)}  -       above  `,
  ];
  const listed = outliers.map((value) => `\t${fixed(value)}\n`);
  return [
    `\n\n\t\t\t\tHistogram ${title}\n`,
    'version: 1.1\n',
    `minimum: ${general(histogram.least)}\n`,
    `maximum: ${general(histogram.greatest)}\n`,
    `mean: ${general(histogram.mean)}\n`,
    `variance: ${general(histogram.variance)}\n`,
    `num_points: ${count}\n`,
    `num_bins: ${bins} ${general(min)} ${general(max)}\n`,
    '\n',
    '\t      Low     -          High     Count  Fraction  Cumulative\n',
    ...ranges.map((range, i) => row(range, counts[i])),
    '\n',
    ...(listed.length === 0 ? [] : ['outliers:\n', ...listed]),
    '\n\n',
  ].join('');
}

/** Digits beyond the printed ones: enough to tell a tie from a number near it. */
const MORE_DIGITS = 30;

/**
 * C rounds a tie to the even digit, JavaScript up.
 * @param {string} rounded
 * @param {string} exact the same number with MORE_DIGITS digits more
 * @returns {string} as C rounds it
 */
function tieToEven(rounded, exact) {
  const truncated = exact.slice(0, -MORE_DIGITS);
  const isTie = /^50*$/.test(exact.slice(-MORE_DIGITS));
  return isTie && '02468'.includes(truncated.slice(-1)) ? truncated : rounded;
}

/** @param {number} value @param {number} digits @returns {string} as `%.<digits>f` of C prints it */
const decimals = (value, digits) => tieToEven(value.toFixed(digits), value.toFixed(digits + MORE_DIGITS));

/** @param {number} value @returns {string} as `%12.3f` of C prints it */
const fixed = (value) => decimals(value, 3).padStart(12);

/** @param {number} value @returns {string} as `%g` of C prints it: six significant digits, no zeros at the end */
function general(value) {
  if (Number.isNaN(value)) return 'nan';
  const [mantissa, power] = value.toExponential(5).split('e');
  const exponent = Number(power);
  const trimZeros = (/** @type {string} */ digits) => (digits.includes('.') ? digits.replace(/\.?0+$/, '') : digits);
  if (value === 0 || (exponent >= -4 && exponent <= 5)) return trimZeros(decimals(value, 5 - exponent));
  const [exact] = value.toExponential(5 + MORE_DIGITS).split('e');
  const sign = exponent < 0 ? '-' : '+';
  return `${trimZeros(tieToEven(mantissa, exact))}e${sign}${String(Math.abs(exponent)).padStart(2, '0')}`;
}
