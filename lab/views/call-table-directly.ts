import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  ConditionalCheckFailedException,
  TransactionCanceledException,
  TransactionConflictException,
} from '@aws-sdk/client-dynamodb';
import type { ControlService } from 'embedded-aws';
import { createPrincipal } from 'embedded-aws/testing';
import { documents } from '../../functions/aws/table-client.ts';

/** What the embedded DynamoDB needs none of in the same process. It is half of the time of a call. */
const unusedMiddleware = ['retryMiddleware', 'httpSigningMiddleware'];

type SentRequest = { headers: Record<string, string>; body: Uint8Array<ArrayBuffer> };

/**
 * The client of the table calls the embedded DynamoDB in this process, without connections and signatures. Requests and
 * responses are the same.
 */
export function callTableDirectly(service: ControlService): void {
  const caller = createPrincipal({ accessKeyId: 'test', secretAccessKey: 'test' });

  async function call({ headers, body }: SentRequest): Promise<object> {
    let [statusCode, text] = [0, ''];
    const response = {
      writeHead(status: number): void {
        statusCode = status;
      },
      end(written: Buffer): void {
        text = written.toString();
      },
    };
    const request = { headers } as unknown as IncomingMessage;
    const sent = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
    await service.handle(request, response as unknown as ServerResponse, sent, caller);
    const output: unknown = JSON.parse(text, withBytes);
    if (statusCode !== 200) throw errorOf(output as ErrorOutput);
    return output as object;
  }

  const { middlewareStack } = documents;
  for (const name of unusedMiddleware) middlewareStack.remove(name);
  middlewareStack.add(
    () =>
      async ({ request }: { request?: unknown }) => {
        const output = await call(request as SentRequest);
        return { output: { ...output, $metadata: {} }, response: undefined } as never;
      },
    // Replaces the middleware that reads responses.
    { step: 'deserialize', name: 'deserializerMiddleware', override: true },
  );
}

/** Bytes are texts in JSON. */
const withBytes = (name: string, value: unknown): unknown =>
  name === 'B' && typeof value === 'string' ? new Uint8Array(Buffer.from(value, 'base64')) : value;

type ErrorOutput = { __type: string; message?: string; CancellationReasons?: { Code: string }[] };

const errors = { ConditionalCheckFailedException, TransactionCanceledException, TransactionConflictException };

function errorOf({ __type, message = '', CancellationReasons }: ErrorOutput): Error {
  const name = __type.slice(__type.indexOf('#') + 1);
  const known = name in errors ? errors[name as keyof typeof errors] : undefined;
  if (!known) return new Error(`${name}: ${message}`);
  return new known({ message, $metadata: {}, ...(CancellationReasons && { CancellationReasons }) });
}
