import type { IncomingMessage, ServerResponse } from 'node:http';
import { readBody } from './body.ts';

/** Above every request that the services' own limits allow: 16 MB for a batch of items. */
const largestRequest = 20 * 1024 * 1024;

const formType = 'application/x-www-form-urlencoded';

type Handler = (request: IncomingMessage, response: ServerResponse, body: Buffer) => Promise<void>;

export type AwsServices = {
  /** By the part of X-Amz-Target before the dot. */
  targets: Record<string, Handler>;
  /** Of the services whose requests are forms, by the name that requests to them are signed for. */
  forms: Record<string, Handler>;
  lambda: Handler;
  /** Takes what is left, reads its bodies itself and checks its signatures itself. */
  s3: (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;
};

/**
 * One address for all services, as AWS_ENDPOINT_URL names it. The services with small requests do not check signatures; the access key, which is
 * random and known to this data folder's processes only, keeps others on the machine, such as pages in its browser, out.
 */
export function createAwsServer({ targets, forms, lambda, s3 }: AwsServices, accessKeyId: string) {
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const target = request.headers['x-amz-target'];
    const isInvoke = request.url!.startsWith('/2015-03-31/functions/');
    const isForm = request.method === 'POST' && request.headers['content-type']?.startsWith(formType);
    if (target === undefined && !isInvoke && !isForm) return s3(request, response);
    const { authorization = '' } = request.headers;
    const [, signedFor = ''] = /Credential=[^/]+\/\d+\/[^/]+\/([^/]+)\//.exec(authorization) ?? [];
    const handler = isInvoke ? lambda : isForm ? forms[signedFor] : targets[String(target).split('.')[0]!];
    if (!authorization.includes(`Credential=${accessKeyId}/`)) {
      return refuse(
        response,
        403,
        'UnrecognizedClientException',
        'The security token included in the request is invalid.',
      );
    }
    if (!handler) {
      return refuse(response, 400, 'UnknownOperationException', `${target ?? signedFor} is not run here.`);
    }
    await handler(request, response, await readBody(request, largestRequest));
  };
}

function refuse(response: ServerResponse, status: number, type: string, message: string): void {
  response
    .writeHead(status, { 'content-type': 'application/x-amz-json-1.0', 'x-amzn-errortype': type })
    .end(JSON.stringify({ __type: type, message }));
}
