// An echo server whose CPU time per request is known up to a factor: PORT ITERATIONS. Each request costs ITERATIONS
// steps of a multiplication besides the reply, so that two of them differ by a known share of that work.

import { createServer } from 'node:net';

const [port, iterations] = process.argv.slice(2).map(Number);
let state = 1;

function work() {
  for (let i = 0; i < iterations; i += 1) state = (Math.imul(state, 1664525) + 1013904223) | 0;
  return state;
}

const server = createServer((socket) => {
  socket.setNoDelay(true);
  socket.on('data', (data) => {
    work();
    socket.write(data);
  });
  socket.on('error', () => {});
});
server.listen({ port, host: '127.0.0.1', backlog: 4096 }, () => console.log(JSON.stringify({ ready: true, port })));
