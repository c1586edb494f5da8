import { HeadObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { mockClient } from 'aws-sdk-client-mock';
import { expect, test } from 'vitest';
import { newUlid } from '../../../functions/common/ids.ts';
import { log } from '../../../functions/common/log.ts';
import { pipelineFunctions } from '../../../infra/state-machine/pipeline-functions.ts';
import { storeUpload } from '../../fixtures/records/store-upload.ts';
import { useLogLines } from '../../fixtures/use-log-lines.ts';
import { useTable } from '../../fixtures/use-table.ts';

useTable();
const lines = useLogLines();

/** The parameters of all states together. Each function uses some of them. */
const given = (videoUlid: string, planNumber: number) => ({
  videoUlid,
  planNumber,
  taskToken: 'token',
  kind: 'encode-video',
  group: 0,
  index: 0,
  outputUlid: newUlid(),
  error: { Error: 'Job.Fatal', Cause: '{"errorMessage":"INPUT_NOT_MEDIA: This is no video."}' },
  event: { videoUlid, planNumber },
  executionArn: 'arn:execution:1',
});

test.each(pipelineFunctions)('every log line of %s has the video and the plan number', async (name) => {
  const { handler } = await import(`../../../functions/pipeline/${name}.lambda.ts`);
  const videoUlid = newUlid();
  // There is no such video, which most of the functions treat as deleted.
  await handler(given(videoUlid, 3)).catch(({ name }: Error) => expect(name).toBe('Job.Cancelled'));
  log.info('a later line');
  expect(lines()).not.toEqual([]);
  for (const line of lines()) expect(line).toMatchObject({ video: videoUlid, planNumber: 3 });
});

test('every log line of create-video for an object event has them, once they are known', async () => {
  const { handler } = await import('../../../functions/pipeline/create-video.lambda.ts');
  mockClient(S3Client).on(HeadObjectCommand).resolves({ ContentLength: 1000 });
  const upload = await storeUpload();
  await handler({ event: { detail: { object: { key: upload.key } } }, executionArn: 'arn:execution:1' });
  log.info('a later line');
  expect(lines().at(-1)).toMatchObject({ video: upload.ulid, planNumber: 1 });
});
