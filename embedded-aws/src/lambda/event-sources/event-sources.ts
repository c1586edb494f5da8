import type { Clock } from '../../durable/clock.ts';
import type { StreamEntry, StreamSource } from '../../dynamodb/storage/change-streams.ts';
import { authorize } from '../../iam/authorize.ts';
import type { Identity } from '../../iam/principals.ts';
import { matchesPattern } from '../../template/event-pattern.ts';
import type { EventSourceMapping } from '../../template/read-event-source-mappings.ts';
import type { FunctionDefinition } from '../../template/read-functions.ts';
import type { Invocation } from '../lambda-instance.ts';
import { type Checkpoints, openCheckpoints } from './checkpoints.ts';
import { failedBatchRecord } from './failed-batch-record.ts';
import { createLaneReader } from './lane-reader.ts';

/** Lambda delivers each record at least once. */
export type EventSourceChaos = {
  /** The share of batches that are delivered twice, 0 to 1. */
  duplicatedShare: number;
};

export type EventSourcesOptions = {
  /** The journal of the checkpoints. */
  path: string;
  clock: Clock;
  mappings: readonly EventSourceMapping[];
  functions: readonly FunctionDefinition[];
  stream: (arn: string) => StreamSource | undefined;
  roleOf: (functionName: string) => Identity;
  /** @throws when Lambda cannot start the function, such as TooManyRequests */
  invoke: (functionName: string, event: unknown) => Promise<Invocation>;
  /** Sends a message to a queue with the permissions of the function. */
  sendRecord: (queueArn: string, functionName: string, record: string) => Promise<void>;
  report: (error: unknown) => void;
  chaos?: EventSourceChaos | undefined;
  random?: () => number;
};

export type EventSources = Awaited<ReturnType<typeof openEventSources>>;
type Reader = ReturnType<typeof createLaneReader>;

/** A mapping that Lambda refuses to create. */
export class MappingRefused extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'MappingRefused';
  }
}

/**
 * The mappings that invoke functions with the records of streams. Nothing polls: the commit of a record starts its
 * delivery.
 * @throws MappingRefused
 */
export async function openEventSources(options: EventSourcesOptions) {
  for (const mapping of options.mappings) requireAccess(mapping, options);
  const checkpoints = await openCheckpoints(options.path);
  /** The mappings, by what no two of them share, with the readers of those that are enabled. */
  const opened = new Map<string, { mapping: EventSourceMapping; readers: Reader[] }>();
  let isStarted = false;

  async function put(mapping: EventSourceMapping): Promise<void> {
    const key = keyOf(mapping);
    for (const reader of opened.get(key)?.readers ?? []) await reader.close();
    const readers =
      mapping.isEnabled && options.stream(mapping.streamArn) ? await openReaders(mapping, checkpoints, options) : [];
    opened.set(key, { mapping, readers });
    if (isStarted) for (const reader of readers) reader.start();
  }
  for (const mapping of options.mappings) await put(mapping);

  return {
    /** Starts the delivery, first of what was not delivered before. */
    start(): void {
      isStarted = true;
      for (const { readers } of opened.values()) for (const reader of readers) reader.start();
    },
    list: (): EventSourceMapping[] => [...opened.values()].map(({ mapping }) => mapping),
    hasStream: ({ streamArn }: EventSourceMapping): boolean => options.stream(streamArn) !== undefined,
    /** Adds a mapping, or replaces it, until the next start. @throws MappingRefused */
    async put(mapping: EventSourceMapping): Promise<void> {
      if (!opened.has(keyOf(mapping))) requireAccess(mapping, options);
      await put(mapping);
    },
    /** Batches that are being delivered are delivered again after the next start. */
    async close(): Promise<void> {
      for (const { readers } of opened.values()) for (const reader of readers) await reader.close();
      await checkpoints.close();
    },
  };
}

const keyOf = ({ functionName, streamArn }: EventSourceMapping): string => `${functionName} ${streamArn}`;

const streamActions = ['DescribeStream', 'GetRecords', 'GetShardIterator'];

/** What Lambda checks when a mapping is created. */
function requireAccess(
  { functionName, streamArn, onFailureQueueArn }: EventSourceMapping,
  { functions, stream, roleOf }: EventSourcesOptions,
): void {
  if (!functions.some(({ name }) => name === functionName)) {
    throw new MappingRefused(`Function not found: ${functionName}`);
  }
  if (!stream(streamArn)) throw new MappingRefused(`Stream not found: ${streamArn}`);
  const role = roleOf(functionName);
  try {
    for (const action of streamActions) authorize(role, `dynamodb:${action}`, streamArn);
    // This action does not support resources, so that only a statement about all of them allows it.
    authorize(role, 'dynamodb:ListStreams', '*');
    if (onFailureQueueArn) authorize(role, 'sqs:SendMessage', onFailureQueueArn, { 'aws:securetransport': 'true' });
  } catch (error) {
    throw new MappingRefused(`The role of ${functionName} lacks a permission. ${(error as Error).message}`);
  }
}

async function openReaders(
  mapping: EventSourceMapping,
  checkpoints: Checkpoints,
  options: EventSourcesOptions,
): Promise<Reader[]> {
  const { functionName, streamArn, parallelization, filters } = mapping;
  const { clock, functions, chaos, random = Math.random, report } = options;
  const stream = options.stream(streamArn)!;
  const functionArn = functions.find(({ name }) => name === functionName)!.arn;
  const byShard = new Map<string, Reader[]>();
  const recordFor = (entry: StreamEntry) => ({ ...entry.record, eventSourceARN: streamArn });
  for (const shardId of stream.shardIds) {
    const readers: Reader[] = [];
    for (let lane = 0; lane < parallelization; lane += 1) {
      const lanePosition = { mapping: keyOf(mapping), shardId, lane, lanes: parallelization };
      if (checkpoints.get(lanePosition) === undefined && mapping.startingPosition === 'LATEST') {
        await checkpoints.set(lanePosition, stream.latest());
      }
      const reader = createLaneReader({
        mapping,
        clock,
        report,
        position: checkpoints.get(lanePosition),
        read: (after, limit) => stream.read(shardId, after, limit),
        isWanted: (entry) =>
          // Other bits than those that choose the shard.
          (entry.partitionHash >>> 8) % parallelization === lane &&
          (filters.length === 0 || filters.some((pattern) => matchesPattern(pattern, recordFor(entry)))),
        invoke: (entries) => options.invoke(functionName, { Records: entries.map(recordFor) }),
        saveCheckpoint: (sequence) => checkpoints.set(lanePosition, sequence),
        async giveUp(records) {
          if (!mapping.onFailureQueueArn) return;
          const message = failedBatchRecord(records, { functionArn, streamArn, nowMs: clock.now() });
          // A message that the queue does not accept is lost, as on AWS, which only counts it in a metric.
          await options.sendRecord(mapping.onFailureQueueArn, functionName, message).catch(report);
        },
        isRepeated: () => chaos !== undefined && random() < chaos.duplicatedShare,
      });
      readers.push(reader);
    }
    byShard.set(shardId, readers);
  }
  stream.subscribe((entries) => {
    for (const [shardId, readers] of byShard) {
      const own = entries.filter((entry) => entry.shardId === shardId);
      if (own.length > 0) for (const reader of readers) reader.announce(own);
    }
  });
  return [...byShard.values()].flat();
}
