// A line through points, by least squares. Pure. The error of the slope assumes that points scatter independently,
// which memory with an occasional garbage collection does not quite do.

/**
 * @typedef {object} Slope
 * @property {number} slope y by x
 * @property {number} error its standard error; NaN with fewer than three points
 */

/** @param {[number, number][]} points [x, y] @returns {Slope} */
export function slopeOf(points) {
  const mean = (/** @type {number[]} */ values) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [middleX, middleY] = [mean(points.map(([x]) => x)), mean(points.map(([, y]) => y))];
  const width = points.reduce((sum, [x]) => sum + (x - middleX) ** 2, 0);
  if (!(width > 0)) return { slope: NaN, error: NaN };
  const slope = points.reduce((sum, [x, y]) => sum + (x - middleX) * (y - middleY), 0) / width;
  const rest = points.reduce((sum, [x, y]) => sum + (y - middleY - slope * (x - middleX)) ** 2, 0);
  return { slope, error: points.length < 3 ? NaN : Math.sqrt(rest / (points.length - 2) / width) };
}
