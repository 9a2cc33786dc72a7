// What the page has in scope besides the browser's own: chart.js, inlined before the page script as a classic script.
declare const Chart: import('./types.js').ChartClass;
