import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { SFNClient } from '@aws-sdk/client-sfn';
import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, expect, test, vi } from 'vitest';
import { listKeys } from '../../functions/aws/object-store.ts';
import { handler as sweep } from '../../functions/schedule/sweep.lambda.ts';
import { hideVideo } from '../../functions/table/videos/hide-video.ts';
import { createPerson } from '../fixtures/create-person.ts';
import { storeVideo } from '../fixtures/records/store-video.ts';
import { useBucket } from '../fixtures/use-bucket.ts';
import { useEdgeStore } from '../fixtures/use-edge-store.ts';
import { useTable } from '../fixtures/use-table.ts';

useTable();
useBucket();
const edge = useEdgeStore();
mockClient(SFNClient);

const videoCount = 1000;
const files = ['master.m3u8', 'v.m3u8', '00000.m4s'];

beforeEach(() => {
  vi.stubEnv('PARAMETER_PREFIX', '/video-service/test');
  const signingKeys = { current: 'k1', keys: { k1: 'b25l' } };
  mockClient(SSMClient)
    .on(GetParameterCommand)
    .resolves({ Parameter: { Value: JSON.stringify(signingKeys) } });
});

test('one run that deletions start ends the playback of a thousand videos and deletes their files', async () => {
  const { user } = await createPerson();
  const store = new S3Client({});
  for (let count = 0; count < videoCount; count++) {
    const { video } = await storeVideo(user);
    for (const file of files) {
      await store.send(
        new PutObjectCommand({ Bucket: process.env.BUCKET_NAME, Key: `videos/${video.ulid}/o/1/${file}`, Body: 'x' }),
      );
    }
    await hideVideo(video, user);
  }
  expect(await keysIn('videos/')).toHaveLength(videoCount * files.length);

  await sweep({ waiting: true });

  expect(edge.entries.size).toBe(videoCount);
  expect(await keysIn('videos/')).toEqual([]);
});

async function keysIn(prefix: string): Promise<string[]> {
  const found: string[] = [];
  for (let after: string | undefined = ''; after !== undefined; ) {
    const { keys, last } = await listKeys(prefix, after, 1000);
    found.push(...keys);
    after = last;
  }
  return found;
}
