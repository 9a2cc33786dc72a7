// Uses four fifths of a core until its parent process ends it.

const PERIOD_MS = 10;
const BUSY_MS = 8;

process.on('disconnect', () => process.exit());
setInterval(() => {
  const endMs = performance.now() + BUSY_MS;
  while (performance.now() < endMs);
}, PERIOD_MS);
