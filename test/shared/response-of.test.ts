import { once } from 'node:events';
import { request } from 'node:http';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { responseOf } from '../../shared/response-of.ts';

const switches = 'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n';

/** A request to a server that answers with a text, and the server's end of the connection. */
async function requestAnsweredWith(answer: string) {
  const server = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const connected = once(server, 'connection');
  const response = responseOf(request({ host: '127.0.0.1', port: (server.address() as AddressInfo).port }).end());
  const [socket]: Socket[] = await connected;
  socket!.on('error', () => undefined).once('data', () => socket!.write(answer));
  return { response, socket: socket! };
}

test('an answer that switches the protocol is the response, and its connection is closed', async () => {
  const { response, socket } = await requestAnsweredWith(switches);
  expect((await response).statusCode).toBe(101);
  await once(socket, 'close');
});

test('an answer 101 without another protocol is the response', async () => {
  const { response, socket } = await requestAnsweredWith('HTTP/1.1 101 Switching Protocols\r\n\r\n');
  expect((await response).statusCode).toBe(101);
  socket.destroy();
});

test('the response follows after other informational answers', async () => {
  const { response, socket } = await requestAnsweredWith(
    'HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n',
  );
  expect((await response).statusCode).toBe(204);
  socket.destroy();
});

test('a connection that breaks before the response is an error', async () => {
  const { response, socket } = await requestAnsweredWith('HTTP/1.1 200 OK\r\n');
  socket.once('data', () => socket.end());
  await expect(response).rejects.toThrow('socket hang up');
});
