import type { IncomingMessage, ServerResponse } from 'node:http';
import type { XmlContent } from '../../http/xml.ts';
import type { BucketSettings } from '../protocol/bucket-settings.ts';
import type { Target } from '../protocol/request-target.ts';
import { S3Error } from '../protocol/s3-errors.ts';
import { writeXml } from '../protocol/s3-xml.ts';
import type { Store } from '../storage/object-store.ts';
import type { Authentication } from './authenticate.ts';

/** An authenticated request for an existing bucket, and its response. */
export type Exchange = {
  request: IncomingMessage;
  response: ServerResponse;
  target: Target;
  authentication: Authentication;
  bucket: BucketSettings;
  region: string;
  store: Store;
  body: AsyncIterable<Buffer>;
};

export type Operation = (exchange: Exchange) => Promise<void>;

/** The value of a header. Repeated headers are joined. */
export function header(exchange: Pick<Exchange, 'request'>, name: string): string | undefined {
  const value = exchange.request.headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}

/** The value of a query parameter, '' for a parameter without a value. */
export function query(exchange: Pick<Exchange, 'target'>, name: string): string | undefined {
  return exchange.target.query.find(([key]) => key === name)?.[1];
}

/** The value of a parameter such as max-keys. The default and the maximum are 1000. @throws InvalidArgument */
export function countQuery(exchange: Exchange, name: string): number {
  const value = query(exchange, name) ?? '1000';
  if (!/^\d{1,10}$/.test(value)) {
    throw new S3Error('InvalidArgument', `Provided ${name} not an integer or within integer range`, {
      details: { ArgumentName: name, ArgumentValue: value },
    });
  }
  return Math.min(Number(value), 1000);
}

/** How keys and prefixes are encoded in the response. @throws InvalidArgument for an encoding other than url */
export function keyEncoding(exchange: Exchange): { type: string | undefined; encode: (key: string) => string } {
  const type = query(exchange, 'encoding-type');
  if (type === undefined) return { type, encode: (key) => key };
  if (type !== 'url') throw new S3Error('InvalidArgument', 'Invalid Encoding Method specified in Request');
  return { type, encode: (key) => encodeURIComponent(key).replaceAll('%2F', '/').replaceAll('%20', '+') };
}

/** Sends the response with an XML document or without a body. */
export function respond(
  { response }: Pick<Exchange, 'response'>,
  status: number,
  xml?: { root: string; content: { [name: string]: XmlContent } | string },
): void {
  response.statusCode = status;
  if (!xml) {
    if (status !== 204) response.setHeader('Content-Length', 0);
    response.end();
    return;
  }
  const body = Buffer.from(writeXml(xml.root, xml.content));
  response.setHeader('Content-Type', 'application/xml');
  response.setHeader('Content-Length', body.length);
  response.end(body);
}
