import { lineWriter } from '../cloudfront/access-log/log-record.ts';
import type { RequestRecord } from '../cloudfront/distribution-server.ts';

/** A request of a viewer that a distribution has answered. */
export type LoggedRequest = {
  atMs: number;
  /** with `?query` */
  target: string;
  status: number;
  bytes: number;
  responseSeconds: number;
  address: string;
  userAgent: string;
};

const write = lineWriter();
const distribution = { id: 'ELOCAL', domainName: 'localhost' };

/** The line that the access log of a distribution would have for a request. */
export function edgeLogLine(logged: LoggedRequest): string {
  const { atMs, target, status, bytes, responseSeconds, address, userAgent } = logged;
  const request = {
    method: 'GET',
    url: target,
    httpVersion: '1.1',
    headers: { host: 'localhost', 'user-agent': userAgent },
    socket: { bytesRead: 0 },
  } as unknown as RequestRecord['request'];
  const record: RequestRecord = {
    startedAtMs: atMs - responseSeconds * 1000,
    endedAtMs: atMs,
    request,
    requestId: 'none',
    status,
    address,
    port: 443,
    sentBytes: bytes,
    outcome: 'Hit',
    headers: {},
  };
  return write({ record, distribution });
}
