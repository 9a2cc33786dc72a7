// A line through points, by least squares. Pure. The error of the slope assumes that points scatter independently,
// which memory with an occasional garbage collection does not quite do.

/**
 * @typedef {object} Slope
 * @property {number} slope y by x
 * @property {number} error its standard error; NaN with fewer than three points
 */

/** @typedef {Slope & { at: (x: number) => number, errorAt: (x: number) => number }} Line  at: its y; errorAt: the standard error of that */

/** @param {[number, number][]} points [x, y] @returns {Line} */
export function lineOf(points) {
  const mean = (/** @type {number[]} */ values) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [middleX, middleY] = [mean(points.map(([x]) => x)), mean(points.map(([, y]) => y))];
  const width = points.reduce((sum, [x]) => sum + (x - middleX) ** 2, 0);
  const isLine = width > 0;
  const slope = isLine ? points.reduce((sum, [x, y]) => sum + (x - middleX) * (y - middleY), 0) / width : NaN;
  const at = (/** @type {number} */ x) => middleY + slope * (x - middleX);
  const rest = points.reduce((sum, [x, y]) => sum + (y - at(x)) ** 2, 0);
  const variance = points.length < 3 ? NaN : rest / (points.length - 2);
  return {
    slope,
    error: Math.sqrt(variance / width),
    at,
    errorAt: (x) => Math.sqrt(variance * (1 / points.length + (x - middleX) ** 2 / width)),
  };
}

/** @param {[number, number][]} points [x, y] @returns {Slope} */
export function slopeOf(points) {
  const { slope, error } = lineOf(points);
  return { slope, error };
}
