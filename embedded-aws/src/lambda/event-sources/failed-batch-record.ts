import { randomUUID } from 'node:crypto';
import type { GivenUp } from './lane-reader.ts';

type BatchOrigin = { functionArn: string; streamArn: string; nowMs: number };

/**
 * The message about records that were given up. It has their place in the stream and not their content.
 * https://docs.aws.amazon.com/lambda/latest/dg/services-dynamodb-errors.html
 */
export function failedBatchRecord({ piece, condition, invocation }: GivenUp, origin: BatchOrigin): string {
  const [first, last] = [piece.entries[0]!, piece.entries.at(-1)!];
  return JSON.stringify({
    requestContext: {
      requestId: randomUUID(),
      functionArn: `${origin.functionArn}:$LATEST`,
      condition,
      approximateInvokeCount: piece.invocations,
    },
    ...(invocation && {
      responseContext: {
        statusCode: 200,
        executedVersion: '$LATEST',
        ...(invocation.functionError && { functionError: invocation.functionError }),
      },
    }),
    version: '1.0',
    timestamp: new Date(origin.nowMs).toISOString(),
    DDBStreamBatchInfo: {
      shardId: first.shardId,
      startSequenceNumber: first.sequence,
      endSequenceNumber: last.sequence,
      approximateArrivalOfFirstRecord: new Date(first.atMs).toISOString(),
      approximateArrivalOfLastRecord: new Date(last.atMs).toISOString(),
      batchSize: piece.entries.length,
      streamArn: origin.streamArn,
    },
  });
}
