import { readFile } from 'node:fs/promises';
import { createServer as createHttp, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { createServer as createHttps } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { join } from 'node:path';
import { run } from './commands.ts';

/** Of this machine and of the node, in a network between the two. */
export const hostAddress = '10.213.77.1';
export const nodeAddress = '10.213.77.2';

/** A network namespace with a connection to this machine and to no other. Nothing else of this machine changes. */
export async function makeNetwork(): Promise<{ namespace: string; remove(): Promise<void> }> {
  const id = String(process.pid);
  const [namespace, near, far] = [`node-${id}`, `vn-a-${id}`, `vn-b-${id}`];
  await run('ip', ['netns', 'add', namespace]);
  await run('ip', ['link', 'add', near, 'type', 'veth', 'peer', 'name', far, 'netns', namespace]);
  await run('ip', ['addr', 'add', `${hostAddress}/30`, 'dev', near]);
  await run('ip', ['link', 'set', near, 'up']);
  const inside = (...args: string[]) => run('ip', ['-n', namespace, ...args]);
  await inside('addr', 'add', `${nodeAddress}/30`, 'dev', far);
  await inside('link', 'set', far, 'up');
  await inside('link', 'set', 'lo', 'up');
  await inside('route', 'add', 'default', 'via', hostAddress);
  return { namespace, remove: async () => void (await run('ip', ['netns', 'delete', namespace])) };
}

export type Certificate = { authority: string; certificate: string; key: string };

/** A private authority and its certificate for this machine's address. */
export async function makeCertificate(folder: string): Promise<Certificate> {
  const at = (name: string) => join(folder, name);
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '30'];
  const authority = { key: at('authority.key'), file: at('authority.pem') };
  await run('openssl', [
    ...['req', '-x509', ...newKey, '-subj', '/CN=Authority of the test', '-keyout', authority.key],
    ...['-out', authority.file, '-addext', 'keyUsage=critical,keyCertSign'],
  ]);
  await run('openssl', [
    ...['req', '-x509', ...newKey, '-subj', `/CN=${hostAddress}`, '-addext', `subjectAltName=IP:${hostAddress}`],
    ...['-addext', 'basicConstraints=critical,CA:false', '-CA', authority.file, '-CAkey', authority.key],
    ...['-keyout', at('server.key'), '-out', at('server.pem')],
  ]);
  return { authority: authority.file, certificate: at('server.pem'), key: at('server.key') };
}

const forward =
  (target: (request: IncomingMessage) => { host: string; port: number | string; path?: string | undefined }) =>
  (incoming: IncomingMessage, response: ServerResponse): void => {
    const { method, headers, url } = incoming;
    const sent = request({ path: url, ...target(incoming), method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    sent.on('error', () => response.destroy());
    incoming.pipe(sent);
  };

const listen = async (server: Server): Promise<number> => {
  await new Promise<void>((resolve) => server.listen(0, hostAddress, resolve));
  return (server.address() as AddressInfo).port;
};

/** Ends TLS for a server on the loopback address, as a reverse proxy in front of the service does. */
export async function startTlsProxy({ certificate, key }: Certificate, port: number) {
  const options = { cert: await readFile(certificate), key: await readFile(key) };
  const server = createHttps(
    options,
    forward(() => ({ host: '127.0.0.1', port })),
  );
  return { server, url: `https://${hostAddress}:${await listen(server)}` };
}

/** A forward proxy, by which apt on the node reaches the mirror. */
export async function startForwardProxy() {
  const server = createHttp(
    forward(({ url = '' }) => {
      const { hostname, port, pathname, search } = new URL(url);
      return { host: hostname, port: port || 80, path: `${pathname}${search}` };
    }),
  );
  return { server, url: `http://${hostAddress}:${await listen(server)}` };
}
