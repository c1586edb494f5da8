import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { request as requestByHttp } from 'node:http';
import { request as requestByHttps } from 'node:https';

type SendOptions = { localAddress: string; certificate?: string; headers?: Record<string, string> };

/** As `fetch`, for a client that resolves public names to this machine and connects from a separate address. */
export function sendFrom({ localAddress, certificate, headers: more = {} }: SendOptions) {
  return async (url: string, { method = 'GET', headers, body }: RequestInit): Promise<Response> => {
    const content = body == null ? undefined : new Response(body as ConstructorParameters<typeof Response>[0]);
    const all = new Headers(content?.headers);
    for (const [name, value] of [...new Headers(headers), ...Object.entries(more)]) all.set(name, value);
    const bytes = content && Buffer.from(await content.arrayBuffer());
    if (bytes) all.set('content-length', String(bytes.length));
    const { protocol, hostname, port, pathname, search } = new URL(url);
    const request = protocol === 'https:' ? requestByHttps : requestByHttp;
    const sent = request({
      host: '127.0.0.1',
      port,
      path: pathname + search,
      method,
      localAddress,
      agent: false,
      ...(certificate !== undefined && { servername: hostname, ca: certificate }),
      headers: { ...Object.fromEntries(all), host: new URL(url).host },
    });
    const [answer] = await Promise.all([once(sent, 'response').then(([first]) => first), sent.end(bytes)]);
    const chunks: Buffer[] = [];
    for await (const chunk of answer) chunks.push(chunk);
    const received = new Headers();
    for (let at = 0; at < answer.rawHeaders.length; at += 2) {
      received.append(answer.rawHeaders[at], answer.rawHeaders[at + 1]);
    }
    const empty = [204, 304].includes(answer.statusCode);
    return new Response(empty ? null : Buffer.concat(chunks), { status: answer.statusCode, headers: received });
  };
}

/** A random loopback address of Linux. The service counts each address as another client. */
export const anyLoopbackAddress = (): string => `127.${randomInt(1, 255)}.${randomInt(1, 255)}.${randomInt(1, 255)}`;
