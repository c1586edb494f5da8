import { z } from 'zod';
import type { ControlService } from '../control/control-service.ts';
import { ServiceError } from '../control/json-protocol.ts';
import { operationHandler } from '../control/operation-handler.ts';
import { authorize } from '../iam/authorize.ts';
import { retentionMs, type StreamEntry, sequenceAt, sequenceBefore, shardIds } from './storage/change-streams.ts';
import type { DynamoContext } from './storage/dynamodb-context.ts';
import { type ServedTable, streamLabelOf } from './storage/table-definitions.ts';

// https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_Operations_Amazon_DynamoDB_Streams.html

export const streamsTarget = 'DynamoDBStreams_20120810';
const maxBodyBytes = 64 * 1024;
const maxRecords = 1000;
/** GetRecords returns at most this much. */
const maxResponseBytes = 1024 * 1024;
const iteratorLifeMs = 15 * 60 * 1000;

type StreamedTable = ServedTable & { stream: NonNullable<ServedTable['stream']> };
/** A place in a shard: after this sequence number, or at the oldest record. */
type ShardPosition = { streamArn: string; shardId: string; after?: string };

const shard = z.object({ StreamArn: z.string(), ShardId: z.string() });
const iteratorInput = z.union([
  shard.extend({ ShardIteratorType: z.enum(['TRIM_HORIZON', 'LATEST']) }),
  shard.extend({
    ShardIteratorType: z.enum(['AT_SEQUENCE_NUMBER', 'AFTER_SEQUENCE_NUMBER']),
    SequenceNumber: z.string().regex(/^\d{21}$/),
  }),
]);
const recordsInput = z.object({ ShardIterator: z.string(), Limit: z.int().min(1).max(maxRecords).default(maxRecords) });
const iteratorContent = z.object({
  streamArn: z.string(),
  shardId: z.string(),
  after: z.string().optional(),
  madeMs: z.number(),
});

/** The API of DynamoDB Streams: ListStreams, DescribeStream, GetShardIterator, GetRecords. */
export function createStreamsService(context: DynamoContext): ControlService {
  const operations: Record<string, (input: object) => object | Promise<object>> = {
    ListStreams: (input) => listStreams(context, input),
    DescribeStream: (input) => describeStream(context, input),
    GetShardIterator: (input) => getShardIterator(context, input),
    GetRecords: (input) => getRecords(context, input),
  };
  return {
    signingName: 'dynamodb',
    protocol: 'json-1.0',
    maxBodyBytes,
    handle: operationHandler({
      protocol: 'json-1.0',
      errorNamespace: 'com.amazon.coral.service#',
      operations,
      perform: (operation, { name, input, caller }) => {
        authorize(caller, `dynamodb:${name}`, resourceOf(context, name, input));
        return operation(input);
      },
    }),
  };
}

function resourceOf(context: DynamoContext, operation: string, input: Record<string, unknown>): string {
  if (operation === 'ListStreams') return '*';
  if (operation === 'GetRecords') return readIterator(context, parse(recordsInput, input).ShardIterator).streamArn;
  return String(input.StreamArn);
}

const streamed = ({ tables }: DynamoContext): StreamedTable[] =>
  [...tables.values()].filter((table): table is StreamedTable => table.stream !== undefined);

function listStreams(context: DynamoContext, input: object) {
  const { TableName } = parse(z.object({ TableName: z.string().optional() }), input);
  const tables = streamed(context).filter((table) => TableName === undefined || table.TableName === TableName);
  return {
    Streams: tables.map((table) => ({
      StreamArn: table.stream.arn,
      TableName: table.TableName,
      StreamLabel: streamLabelOf(table.stream),
    })),
  };
}

function describeStream(context: DynamoContext, input: object) {
  const { TableName, KeySchema, stream, createdAtMs } = requireStream(
    context,
    parse(z.object({ StreamArn: z.string() }), input).StreamArn,
  );
  return {
    StreamDescription: {
      StreamArn: stream.arn,
      StreamLabel: streamLabelOf(stream),
      StreamStatus: 'ENABLED',
      StreamViewType: stream.viewType,
      CreationRequestDateTime: createdAtMs / 1000,
      TableName,
      KeySchema,
      Shards: shardIds.map((ShardId) => ({
        ShardId,
        SequenceNumberRange: { StartingSequenceNumber: sequenceAt(createdAtMs) },
      })),
    },
  };
}

function getShardIterator(context: DynamoContext, input: object) {
  const request = parse(iteratorInput, input);
  const { StreamArn: streamArn, ShardId: shardId } = request;
  requireStream(context, streamArn);
  if (!shardIds.includes(shardId)) throw notFound(`Requested resource not found: Shard ${shardId}`);
  const position = { streamArn, shardId };
  if (!('SequenceNumber' in request)) {
    const isLatest = request.ShardIteratorType === 'LATEST';
    return {
      ShardIterator: makeIterator(context, isLatest ? { ...position, after: context.streams.latest() } : position),
    };
  }
  const { SequenceNumber, ShardIteratorType } = request;
  if (SequenceNumber < sequenceAt(context.nowMs() - retentionMs)) {
    throw fault('TrimmedDataAccessException', 'The sequence number is older than the oldest record of the shard.');
  }
  const after = ShardIteratorType === 'AT_SEQUENCE_NUMBER' ? sequenceBefore(SequenceNumber) : SequenceNumber;
  return { ShardIterator: makeIterator(context, { ...position, after }) };
}

async function getRecords(context: DynamoContext, input: object) {
  const { ShardIterator, Limit } = parse(recordsInput, input);
  const { streamArn, shardId, after } = readIterator(context, ShardIterator);
  const table = requireStream(context, streamArn);
  const found = withinSize(await context.streams.read(table, shardId, after, Limit));
  const next = found.at(-1)?.sequence ?? after;
  return {
    Records: found.map(({ record: { userIdentity, ...record } }) => ({
      ...record,
      ...(userIdentity && { userIdentity: { Type: userIdentity.type, PrincipalId: userIdentity.principalId } }),
    })),
    // The shards are never closed, so there is always a next iterator.
    NextShardIterator: makeIterator(context, { streamArn, shardId, ...(next !== undefined && { after: next }) }),
  };
}

/** At least one record, if there is one. */
function withinSize(entries: readonly StreamEntry[]): readonly StreamEntry[] {
  let bytes = 0;
  const over = entries.findIndex(({ record }, index) => {
    bytes += Buffer.byteLength(JSON.stringify(record));
    return index > 0 && bytes > maxResponseBytes;
  });
  return over < 0 ? entries : entries.slice(0, over);
}

const makeIterator = ({ nowMs }: DynamoContext, position: ShardPosition): string =>
  Buffer.from(JSON.stringify({ ...position, madeMs: nowMs() })).toString('base64url');

function readIterator({ nowMs }: DynamoContext, iterator: string) {
  let content: unknown;
  try {
    content = JSON.parse(Buffer.from(iterator, 'base64url').toString());
  } catch {
    content = undefined;
  }
  const parsed = iteratorContent.safeParse(content);
  if (!parsed.success) throw invalid('Invalid ShardIterator');
  if (nowMs() - parsed.data.madeMs > iteratorLifeMs) {
    throw fault('ExpiredIteratorException', 'The shard iterator is older than 15 minutes.');
  }
  return parsed.data;
}

function requireStream(context: DynamoContext, arn: string): StreamedTable {
  const table = streamed(context).find(({ stream }) => stream.arn === arn);
  if (!table) throw notFound(`Requested resource not found: Stream: ${arn} not found`);
  return table;
}

function parse<Schema extends z.ZodType>(schema: Schema, input: object): z.infer<Schema> {
  const parsed = schema.safeParse(input);
  if (!parsed.success) throw invalid(z.prettifyError(parsed.error));
  return parsed.data;
}

const fault = (name: string, message: string): ServiceError =>
  new ServiceError(`com.amazonaws.dynamodb.v20120810#${name}`, message);
const notFound = (message: string): ServiceError => fault('ResourceNotFoundException', message);
const invalid = (message: string): ServiceError =>
  new ServiceError('com.amazon.coral.validate#ValidationException', message);
