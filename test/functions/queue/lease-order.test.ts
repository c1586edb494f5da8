import { SFNClient } from '@aws-sdk/client-sfn';
import { mockClient } from 'aws-sdk-client-mock';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { documents } from '../../../functions/aws/table-client.ts';
import { parseLease } from '../../../functions/queue/granted-lease.ts';
import { leaseNext } from '../../../functions/queue/lease-next.ts';
import { queueJob } from '../../../functions/table/jobs/queued-jobs.ts';
import type { Video } from '../../../functions/table/records.ts';
import { createPerson } from '../../fixtures/create-person.ts';
import { clearQueue } from '../../fixtures/records/queue-probe.ts';
import { storeChunkedVideo } from '../../fixtures/records/store-chunked-video.ts';
import { useBucket } from '../../fixtures/use-bucket.ts';
import { useTable } from '../../fixtures/use-table.ts';

useTable();
useBucket();
mockClient(SFNClient);

const chunks = [0, 1, 2, 3, 4, 5];
const leaseOne = async (worker: number) => {
  const lease = await leaseNext({ node: 'pool', worker: `w${worker}`, epoch: 'e' });
  return parseLease(lease!.id)!.index;
};

/** Queues chunks of a video as a map run does, which has no order. */
async function queueChunks({ ulid: videoUlid, ownerUlid }: Video, indexes: number[]): Promise<void> {
  for (const index of indexes) {
    const id = { videoUlid, planNumber: 1, kind: 'encode-video' as const, group: 0, index };
    const queueing = { ownerUlid, virtualTimeSeconds: 10 * index };
    await queueJob(id, { taskToken: `token-${index}`, estimateSeconds: 10, workUnits: 1, ...queueing });
  }
}

beforeEach(async () => {
  await clearQueue();
  const { user } = await createPerson();
  await queueChunks(await storeChunkedVideo(user, chunks.length), chunks);
  vi.spyOn(Math, 'random').mockReturnValue(0.9);
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

test('a worker that is alone gets the jobs of a video in their order', async () => {
  const order: number[] = [];
  for (const worker of chunks) order.push(await leaseOne(worker));
  expect(order).toEqual(chunks);
});

test('workers that compete for the first job get others', async () => {
  const send = documents.send.bind(documents);
  let isFirst = true;
  // Another worker is faster by a moment.
  vi.spyOn(documents, 'send').mockImplementation(async (command) => {
    if (command.constructor.name === 'UpdateCommand' && isFirst) {
      isFirst = false;
      await leaseOne(99);
    }
    return send(command as never);
  });
  expect(await leaseOne(1)).toBe(1);
  expect(await leaseOne(2)).toBe(5);
});

describe('a video with a starter', () => {
  let video: Video;

  beforeEach(async () => {
    await clearQueue();
    const { user } = await createPerson();
    video = await storeChunkedVideo(user, chunks.length, { starter: { rung: 'v' } });
  });

  test('is begun with its first chunk, also when later ones are queued earlier', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    await queueChunks(video, [4, 2, 1]);
    const send = documents.send.bind(documents);
    let isQueued = false;
    // The first chunk is queued right after the worker has looked for it.
    vi.spyOn(documents, 'send').mockImplementation(async (command) => {
      const answer = await send(command as never);
      if (command.constructor.name === 'BatchGetCommand' && !isQueued) {
        isQueued = true;
        await queueChunks(video, [0]);
      }
      return answer;
    });
    expect(await leaseOne(1)).toBe(0);
    expect(isQueued).toBe(true);
    expect(await leaseOne(2)).toBe(1);
    expect(await leaseOne(3)).toBe(2);
  });

  test('does not wait for a first chunk that is not queued within a second', async () => {
    await queueChunks(video, [4, 2]);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 1000 });
    expect([2, 4]).toContain(await leaseOne(1));
  });
});
