import { setTimeout as sleep } from 'node:timers/promises';
import { DeleteObjectCommand, GetObjectTaggingCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { ListStateMachinesCommand, StartExecutionCommand } from '@aws-sdk/client-sfn';
import { newUlid } from '../../../functions/common/ids.ts';
import type { Account } from '../../../test/journey/support/account.ts';
import type { FaultSet, StartedVideo } from './fault.ts';
import { remove } from './video-faults.ts';

/** Delivers the S3 event to the state machine again, as EventBridge may do. */
async function deliver({ states }: Account, key: string, times: number): Promise<void> {
  const { stateMachines = [] } = await states.send(new ListStateMachinesCommand({}));
  const { stateMachineArn } = stateMachines[0]!;
  const input = JSON.stringify({ detail: { object: { key } } });
  await Promise.all(
    Array.from({ length: times }, () => states.send(new StartExecutionCommand({ stateMachineArn, input }))),
  );
}

async function sourceKey(account: Account, { ulid }: StartedVideo): Promise<string> {
  const [upload] = await account.items(`UPLOAD#${ulid}`);
  return String(upload!.key);
}

const longestMs = 60_000;

/** Resolves when an object is tagged as an orphan. */
async function marked({ store, bucket }: Account, key: string): Promise<void> {
  for (const endMs = Date.now() + longestMs; ; await sleep(200)) {
    const { TagSet = [] } = await store.send(new GetObjectTaggingCommand({ Bucket: bucket, Key: key }));
    if (TagSet.some(({ Key, Value }) => Key === 'orphan' && Value === 'true')) return;
    if (Date.now() > endMs) throw new Error(`${key} is not tagged as an orphan`);
  }
}

export const eventFaults: FaultSet = {
  faults: [
    {
      name: "the store's event comes eleven times",
      weight: 3,
      async inject({ service: { account }, startVideo, random, note }) {
        const video = await startVideo();
        const key = await sourceKey(account, video);
        await sleep(random.between(0, 1000));
        await deliver(account, key, 10);
        note(video.ulid);
      },
    },
    {
      name: "the store's event comes after the video was deleted",
      weight: 2,
      async inject({ service: { account }, client, startVideo, note }) {
        const video = await startVideo({ ends: 'deleted' });
        const key = await sourceKey(account, video);
        await client.waitFor(video.ulid, () => true);
        await deliver(account, key, 1);
        await remove(client, video.ulid);
        await deliver(account, key, 3);
        note(video.ulid);
      },
    },
    {
      name: 'an event for an object without an upload',
      async inject({ service: { account }, note }) {
        const key = `uploads/${newUlid()}/${newUlid()}/clip.mp4`;
        const object = { Bucket: account.bucket, Key: key };
        await account.store.send(new PutObjectCommand({ ...object, Body: 'unknown' }));
        try {
          await deliver(account, key, 3);
          await marked(account, key);
        } finally {
          await account.store.send(new DeleteObjectCommand(object));
        }
        await deliver(account, key, 1);
        note(key);
      },
    },
  ],
};
