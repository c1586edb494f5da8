import type { StoreCall } from './store-call.ts';

type Refusal = { status: number; headers: Record<string, string>; body: string };

const xml = (status: number, code: string, message: string): Refusal => ({
  status,
  headers: { 'content-type': 'application/xml' },
  body: `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${message}</Message></Error>`,
});

const json = (status: number, type: string, message: string, more: object = {}): Refusal => ({
  status,
  headers: { 'content-type': 'application/x-amz-json-1.0' },
  body: JSON.stringify({ __type: `com.amazonaws.dynamodb.v20120810#${type}`, message, ...more }),
});

const broken = {
  s3: [
    xml(500, 'InternalError', 'We encountered an internal error. Please try again.'),
    xml(503, 'ServiceUnavailable', 'Service is unable to handle request.'),
  ],
  dynamodb: [json(500, 'InternalServerError', 'Internal server error')],
};
const busy = {
  s3: [xml(503, 'SlowDown', 'Please reduce your request rate.')],
  dynamodb: [
    json(400, 'ThrottlingException', 'Rate of requests exceeds the allowed throughput.'),
    json(400, 'ProvisionedThroughputExceededException', 'The level of configured provisioned throughput is exceeded.'),
  ],
};

/** Errors of a service for a call. A throttled call was not executed. */
export const refusalsOf = (service: StoreCall['service'], { happened }: { happened: boolean }): readonly Refusal[] =>
  happened ? broken[service] : [...broken[service], ...busy[service]];

/** The S3 error for an expired URL, or a URL whose signer's session has expired. */
export const expiredRefusals: readonly Refusal[] = [
  xml(403, 'AccessDenied', 'Request has expired'),
  xml(400, 'ExpiredToken', 'The provided token has expired.'),
];

const tooLarge = 'Item size to update has exceeded the maximum allowed size';

/** The DynamoDB error for a transaction with an invalid item. */
export const invalidRefusals: readonly Refusal[] = [
  json(400, 'ValidationException', tooLarge),
  json(400, 'TransactionCanceledException', 'Transaction cancelled, please refer cancellation reasons', {
    CancellationReasons: [{ Code: 'ValidationError', Message: tooLarge }, { Code: 'None' }],
  }),
];
