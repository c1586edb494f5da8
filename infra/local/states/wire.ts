import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { StatesError } from './api/errors.ts';
import type { States } from './server.ts';

const TARGET = /^AWSStepFunctions\.(\w+)$/;

/** Answers the service's protocol (awsJson1_0): operations by `X-Amz-Target`, errors as 400 with `__type` and `message`. */
export function statesHandler(states: Pick<States, 'call'>) {
  return async (request: IncomingMessage, response: ServerResponse, body: Buffer): Promise<void> => {
    const { status, answer } = await answerTo(states, String(request.headers['x-amz-target']), body);
    const text = JSON.stringify(answer, epochSeconds);
    response.writeHead(status, {
      'content-type': 'application/x-amz-json-1.0',
      'content-length': Buffer.byteLength(text),
      'x-amzn-requestid': randomUUID(),
    });
    response.end(text);
  };
}

async function answerTo(
  states: Pick<States, 'call'>,
  target: string,
  body: Buffer,
): Promise<{ status: number; answer: unknown }> {
  try {
    const operation = TARGET.exec(target)?.[1];
    if (!operation) throw new StatesError('UnknownOperationException', `There is no operation ${target}.`);
    return { status: 200, answer: await states.call(operation, parseBody(body)) };
  } catch (error) {
    if (error instanceof StatesError) return { status: 400, answer: { __type: error.name, message: error.message } };
    process.emitWarning(error instanceof Error ? error : String(error));
    return { status: 500, answer: { __type: 'InternalFailure', message: 'The request could not be processed.' } };
  }
}

function parseBody(body: Buffer): Record<string, unknown> {
  try {
    const input = JSON.parse(body.length === 0 ? '{}' : body.toString('utf8'));
    if (typeof input === 'object' && input !== null && !Array.isArray(input)) return input;
  } catch {
    // Told below.
  }
  throw new StatesError('SerializationException', 'The body is no JSON object.');
}

/** Dates as the protocol has them. Reads the holder, because the value is a string by the time it comes here. */
function epochSeconds(this: unknown, key: string, value: unknown): unknown {
  const held = (this as Record<string, unknown>)[key];
  return held instanceof Date ? held.getTime() / 1000 : value;
}
