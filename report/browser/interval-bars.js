/** Runs in the page. A bar at each point whose 95 % interval over rounds is known; what leaves the chart ends at its edge. */

/** Half the length of the stroke at either end, px. */
const CAP = 3;

/** Before its line is drawn, so that the points stay on top. */
export const intervalPlugin = {
  id: 'intervals',
  beforeDatasetDraw(/** @type {any} */ chart, /** @type {any} */ { index, meta }) {
    const { intervals, borderColor } = chart.data.datasets[index];
    if (!intervals || !chart.chartArea || !chart.isDatasetVisible(index)) return;
    const { ctx, chartArea, scales } = chart;
    ctx.save();
    ctx.strokeStyle = borderColor;
    ctx.lineWidth = 1.25;
    ctx.beginPath();
    intervals.forEach((/** @type {[number, number] | null} */ interval, /** @type {number} */ at) => {
      const point = meta.data[at];
      if (interval === null || !point) return;
      const [bottom, top] = interval.map((value) => scales.y.getPixelForValue(Math.max(value, Number.MIN_VALUE)));
      const x = Math.round(point.x) + 0.5;
      ctx.moveTo(x, Math.min(bottom, chartArea.bottom));
      ctx.lineTo(x, Math.max(top, chartArea.top));
      for (const y of [bottom, top]) {
        if (y < chartArea.top || y > chartArea.bottom) continue;
        ctx.moveTo(x - CAP, y);
        ctx.lineTo(x + CAP, y);
      }
    });
    ctx.stroke();
    ctx.restore();
  },
};
