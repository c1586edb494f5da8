/** The statuses of a service that has too much to do. API Gateway sends them too, and then names no time to wait. */
export const isThrottled = (status: number | undefined): status is 429 | 503 => status === 429 || status === 503;

const keyHeader = 'idempotency-key';

/** Gives a POST to the API a key, so that the service does what it asks for once, however often it is sent. */
export function withKey(request: Request): Request {
  const isKeyed = request.method === 'POST' && new URL(request.url).pathname.startsWith('/api/');
  if (isKeyed && !request.headers.has(keyHeader)) request.headers.set(keyHeader, newKey());
  return request;
}

// crypto.randomUUID exists on pages with TLS only.
const newKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');

/** Whether a request may be sent again after this status, or after none. 429 means that nothing was done. */
export const isRepeatable = ({ method, headers }: Pick<Request, 'method' | 'headers'>, status: number | undefined) =>
  status === 429 || method !== 'POST' || headers.has(keyHeader);

/** How long to wait after this attempt, from 1 on: longer each time, and not the same for all clients. */
export const backoffMs = (attempt: number): number => 1000 * 2 ** (attempt - 1) * (0.5 + Math.random() / 2);
