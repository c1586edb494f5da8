import type { ControlService } from '../control/control-service.ts';
import { parseJsonObject, respondJson, ServiceError } from '../control/json-protocol.ts';
import { queryInput, writeQueryError, writeQueryResult } from './query-protocol.ts';
import type { Sqs } from './sqs.ts';
import { performSqs } from './sqs-operations.ts';

export const sqsTarget = 'AmazonSQS';
/** A message of 1 MiB in which every character may be escaped. */
const maxBodyBytes = 7 * 1024 * 1024;

/** The JSON protocol of SQS. */
export const sqsService = (sqs: Sqs): ControlService => ({
  signingName: 'sqs',
  protocol: 'json-1.0',
  maxBodyBytes,
  handle: (request, response, body, caller) =>
    respondJson(response, 'application/x-amz-json-1.0', () => {
      const [, name = ''] = String(request.headers['x-amz-target']).split('.');
      return performSqs(sqs, name, parseJsonObject(body), caller);
    }),
});

/** The query protocol of SQS, which clients before the end of 2023 use, such as the AWS CLI of Debian 12. */
export const sqsQueryService = (sqs: Sqs): ControlService => ({
  signingName: 'sqs',
  protocol: 'query',
  maxBodyBytes,
  async handle(_, response, body, caller) {
    const query = new URLSearchParams(body.toString());
    const name = query.get('Action') ?? '';
    try {
      writeQueryResult(response, name, await performSqs(sqs, name, queryInput(query), caller));
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      writeQueryError(response, error);
    }
  },
});
