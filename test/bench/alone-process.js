// The process of one measurement: calls measure() of a module and prints the figures as one line of JSON. On a signal,
// and when the bench that started it has ended, it ends with everything it has started.
//
//   node alone-process.js MODULE_URL REQUEST_AS_JSON

const [, , module = '', request = '{}'] = process.argv;
const abort = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => abort.abort());
process.stdin.on('end', () => abort.abort()).resume();

try {
  const { measure } = await import(module);
  console.log(JSON.stringify(await measure(JSON.parse(request), abort.signal)));
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
} finally {
  process.stdin.destroy();
}
