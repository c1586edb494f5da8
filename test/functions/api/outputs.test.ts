import { expect, test } from 'vitest';
import { handler } from '../../../functions/api/outputs.lambda.ts';
import { findWholeVideo } from '../../../functions/table/videos/video-table.ts';
import { callHandler } from '../../fixtures/call-handler.ts';
import { createPerson } from '../../fixtures/create-person.ts';
import { buildOutput, storeVideo } from '../../fixtures/records/store-video.ts';
import { useTable } from '../../fixtures/use-table.ts';

useTable();

test('a failed output can be deleted; the others and the video stay', async () => {
  const { user, token } = await createPerson();
  const { video, outputs } = await storeVideo(user, {
    outputs: [buildOutput(), buildOutput({ name: 'mp4', status: 'failed' })],
  });
  const remove = (ulid = '') => callHandler(handler, `DELETE /api/outputs/${ulid}`, { token });
  expect(await remove(outputs[0]?.ulid)).toMatchObject({
    status: 409,
    json: { message: 'Only a failed output can be deleted.' },
  });
  expect(await remove(outputs[1]?.ulid)).toMatchObject({ status: 204 });
  expect(await remove(outputs[1]?.ulid)).toMatchObject({ status: 404 });
  const left = await findWholeVideo(video.ulid);
  expect(left?.outputs.map(({ name }) => name)).toEqual(['hls']);
  expect(left?.video.status).toBe('completed');
});

test("another user's output, an unknown one and an invalid ULID are 404", async () => {
  const [{ user }, stranger] = [await createPerson(), await createPerson()];
  const { outputs } = await storeVideo(user, { outputs: [buildOutput({ status: 'failed' })] });
  for (const ulid of [outputs[0]?.ulid, '01K9Z3P6M8N9P0Q1R2S3T4V5W6', '1', 'x']) {
    expect(await callHandler(handler, `DELETE /api/outputs/${ulid}`, { token: stranger.token })).toMatchObject({
      status: 404,
    });
  }
});

test('without a credential it is 401', async () => {
  expect(await callHandler(handler, 'DELETE /api/outputs/x')).toMatchObject({ status: 401 });
});
