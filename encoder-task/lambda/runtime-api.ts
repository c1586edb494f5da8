import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { responseOf } from '../../shared/response-of.ts';

/** One invocation of a Lambda function. */
export type Invocation = { event: unknown; deadlineMs: number };
type Runtime = {
  /** host and port, from AWS_LAMBDA_RUNTIME_API */
  address: string;
  handle: (invocation: Invocation) => Promise<void>;
  onError: (error: unknown) => void;
  /** ends the wait for the next invocation */
  shutdown: AbortSignal;
};

/**
 * Handles one invocation after another, as the runtime of a Lambda function. An invocation that fails is reported, and
 * the next one is handled. Throws when the runtime API does not answer as documented; Lambda then starts the process
 * again. https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html
 */
export async function serveInvocations({ address, handle, onError, shutdown }: Runtime): Promise<void> {
  while (!shutdown.aborted) {
    const { headers, body } = await call(address, 'GET', 'next', { signal: shutdown });
    const id = String(headers['lambda-runtime-aws-request-id']);
    try {
      await handle({ event: JSON.parse(body), deadlineMs: Number(headers['lambda-runtime-deadline-ms']) });
      await call(address, 'POST', `${id}/response`, { body: 'null' });
    } catch (error) {
      onError(error);
      const { name, message } = error as Error;
      await call(address, 'POST', `${id}/error`, { body: JSON.stringify({ errorType: name, errorMessage: message }) });
    }
  }
}

type Call = { body?: string; signal?: AbortSignal };

/**
 * Without a time limit: the wait for the next invocation may last for hours, during which Lambda freezes the process.
 * Without connections that are kept, which may be closed by then.
 */
async function call(address: string, method: 'GET' | 'POST', path: string, { body, signal }: Call) {
  const url = `http://${address}/2018-06-01/runtime/invocation/${path}`;
  const response = await responseOf(request(url, { method, agent: false, ...(signal && { signal }) }).end(body));
  const { statusCode = 0, headers } = response;
  const content = await text(response);
  if (statusCode >= 300) throw new Error(`the runtime API answered ${path} with ${statusCode}`);
  return { headers, body: content };
}
