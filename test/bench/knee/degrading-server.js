// An echo server with a known knee: PORT KNEE. With KNEE connections or more open, each reply costs it as much again as
// a reply cost before, and more with each further KNEE.

import { createServer } from 'node:net';

/** About what Node spends on a small reply. */
const REPLY_NS = 40_000;

const [port, knee] = process.argv.slice(2).map(Number);
let open = 0;

/** @param {number} ns */
function spin(ns) {
  const end = process.hrtime.bigint() + BigInt(Math.round(ns));
  while (process.hrtime.bigint() < end);
}

const server = createServer((socket) => {
  open += 1;
  socket.setNoDelay(true);
  socket.on('data', (data) => {
    if (open >= knee) spin((REPLY_NS * open) / knee);
    socket.write(data);
  });
  socket.on('error', () => {});
  socket.on('close', () => (open -= 1));
});
server.listen({ port, host: '127.0.0.1', backlog: 4096 }, () => console.log(JSON.stringify({ ready: true, port })));
