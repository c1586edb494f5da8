import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The least that a server in Node can do for a read: a fixed JSON answer. It is a program, and prints its address. */
const body = JSON.stringify({ data: { ulid: '01M817JHCPY25C521BKBH275SG', name: 'video', status: 'completed' } });
const server = createServer((_request, response) => {
  response.writeHead(200, { 'content-type': 'application/json' }).end(body);
});
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
process.on('disconnect', () => process.exit());
