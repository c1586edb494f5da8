import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { responseHeaders } from '../functions/function-event.ts';
import { InvalidFunctionResult, readResponse } from '../functions/function-result.ts';
import { errorPage } from '../responses/error-page.ts';
import type { Outcome, Reply } from './respond.ts';
import { type Body, type Selected, selectBody } from './response-body.ts';
import type { DistributionContext, Viewing } from './viewing.ts';

export type Sent = { status: number; headers: Reply['headers']; outcome: Outcome };

/** The client closed the connection before it had the whole response. Access logs have this status instead. */
const abortedStatus = 0;

/** Sends a reply: the part that the request asks for, with the headers of the behaviour's function and policy. */
export async function sendResponse(
  viewing: Viewing,
  reply: Reply,
  response: ServerResponse,
  context: DistributionContext,
): Promise<Sent> {
  const { request, behaviour, requestId } = viewing;
  const selected = await selectBody(viewing, reply, context);
  const { status, headers, body, outcome } = await runViewerResponse(viewing, reply, selected, context);
  behaviour.applyHeadersPolicy(headers, {
    method: request.method!,
    origin: request.headers.origin,
    requestsMethod: request.headers['access-control-request-method'] !== undefined,
  });
  if (reply.kind === 'kept' && outcome === 'Hit') headers.age = String(context.cache.ageSeconds(reply.entry));
  headers['x-cache'] = `${outcome} from cloudfront`;
  headers.via = `1.1 ${context.definition.domainName} (CloudFront)`;
  headers['x-amz-cf-id'] = requestId;
  const hasBody = status !== 204 && status !== 304;
  if (hasBody) headers['content-length'] = String(body.sizeBytes);
  response.writeHead(status, headers);
  if (!hasBody || request.method === 'HEAD') {
    response.end();
    return { status, headers, outcome };
  }
  const isComplete = await write(body, response);
  return { status: isComplete ? status : abortedStatus, headers, outcome };
}

type Final = Selected & { headers: Reply['headers']; outcome: Outcome };

/** CloudFront does not run the function for errors and for responses of another function. */
async function runViewerResponse(
  viewing: Viewing,
  reply: Reply,
  selected: Selected,
  context: DistributionContext,
): Promise<Final> {
  const { behaviour, requestId, address } = viewing;
  const { headers, outcome, request } = reply;
  const { status, body } = selected;
  const isOwn = reply.kind === 'whole' && !reply.isFromOrigin;
  if (!behaviour.onResponse || isOwn || status >= 400) return { status, body, headers, outcome };
  const { id, domainName } = context.definition;
  const event = {
    version: '1.0',
    context: { distributionDomainName: domainName, distributionId: id, eventType: 'viewer-response', requestId },
    viewer: { ip: address },
    request,
    response: { statusCode: status, headers: responseHeaders(headers), cookies: {} },
  };
  try {
    const result = readResponse(await behaviour.onResponse(event), headers);
    const cookies = headers['set-cookie'];
    const merged = { ...result.headers, ...(cookies !== undefined && { 'set-cookie': cookies }) };
    return { status: result.statusCode, headers: merged, body, outcome };
  } catch (error) {
    context.log(`viewer-response: ${String(error)}`);
    await body.rest?.return(undefined);
    const problem = error instanceof InvalidFunctionResult ? 'functionResult' : 'functionFailure';
    const page = errorPage(problem, requestId);
    const replaced = { chunks: [page.body], sizeBytes: page.body.length };
    return { status: page.status, headers: page.headers, body: replaced, outcome: 'FunctionExecutionError' };
  }
}

/** Returns false when the client does not receive all. Waits for slow clients, so that no bytes pile up in memory. */
async function write({ chunks, rest }: Body, response: ServerResponse): Promise<boolean> {
  const [only] = chunks;
  if (!rest && chunks.length <= 1) {
    response.end(only);
    return true;
  }
  const closed = once(response, 'close').catch(() => {});
  const send = async (chunk: Buffer): Promise<void> => {
    if (response.write(chunk) || response.destroyed) return;
    await Promise.race([once(response, 'drain').catch(() => {}), closed]);
  };
  try {
    for (const chunk of chunks) await send(chunk);
    while (rest && !response.destroyed) {
      const next = await rest.next();
      if (next.done) break;
      await send(next.value);
    }
  } catch {
    // The object was replaced. The client sees that the response is incomplete.
    response.destroy();
  } finally {
    await rest?.return(undefined);
  }
  if (response.destroyed) return false;
  response.end();
  return true;
}
