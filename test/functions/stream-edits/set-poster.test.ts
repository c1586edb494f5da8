import { ECSClient, ListTasksCommand } from '@aws-sdk/client-ecs';
import { SFNClient, StartExecutionCommand } from '@aws-sdk/client-sfn';
import { mockClient } from 'aws-sdk-client-mock';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { handler } from '../../../functions/api/videos.lambda.ts';
import { listKeys } from '../../../functions/aws/object-store.ts';
import { deleteUnusedAttempts } from '../../../functions/queue/unused-attempts.ts';
import { failStreamEdit } from '../../../functions/runs/stream-edit-run/end-stream-edit.ts';
import { readPlan } from '../../../functions/stored-plans/stored-plans.ts';
import { findVideo, findWholeVideo } from '../../../functions/table/videos/video-table.ts';
import { callHandler } from '../../fixtures/call-handler.ts';
import { createPerson } from '../../fixtures/create-person.ts';
import { readHistory } from '../../fixtures/read-history.ts';
import { runPipeline, storeEncodedVideo } from '../../fixtures/records/store-encoded-video.ts';
import { buildStream, storeVideo } from '../../fixtures/records/store-video.ts';
import { useBucket } from '../../fixtures/use-bucket.ts';
import { useTable } from '../../fixtures/use-table.ts';

useTable();
useBucket();

const states = mockClient(SFNClient);
const tasks = mockClient(ECSClient);
beforeEach(() => {
  for (const [name, value] of Object.entries({
    CLUSTER: 'none',
    TASK_DEFINITION_FAMILY: 'worker',
    MAX_TASKS: '0',
    SWEEP_FUNCTION: 'sweep',
    STATE_MACHINE_ARN: 'arn:aws:states:us-east-1:000000000000:stateMachine:encode',
  })) {
    vi.stubEnv(name, value);
  }
  states.reset();
  states.on(StartExecutionCommand).resolves({});
  tasks.on(ListTasksCommand).resolves({ taskArns: [] });
});
afterEach(() => vi.unstubAllEnvs());

/** A video of 12 s at 30 frames a second. */
const query = {
  version: 1,
  video: [{ name: 'v720', codec: 'h264', height: 720, bitrate: '2800k' }],
  audio: [{ name: 'stereo', codec: 'aac', bitrate: '128k' }],
  outputs: [{ format: 'hls', segment_duration: 4 }],
  thumbnails: { poster: { width: 640 } },
};

async function encodedVideo(changes: object = {}) {
  const { user, token } = await createPerson();
  const { ulid } = (await storeEncodedVideo(user, { ...query, ...changes })).video;
  const choose = (at_seconds: unknown) =>
    callHandler(handler, `PUT /api/videos/${ulid}/poster`, { token, body: { at_seconds } });
  const poster = async () => (await findVideo(ulid))?.thumbnailPath;
  const edits = async () => (await findWholeVideo(ulid))!.edits.map(({ planNumber }) => planNumber);
  return { user, token, ulid, choose, poster, edits, folder: `videos/${ulid}/thumbnails/` };
}

describe('a chosen poster', () => {
  test('has a time in microseconds: the table has no numbers close to zero', async () => {
    const { user, choose } = await encodedVideo();
    expect((await choose(1e-200)).status).toBe(202);
    expect((await readHistory(user, 1))[0]).toMatchObject({ properties: { at_seconds: 0 } });
  });

  test('replaces the present one under a new key when its job is done', async () => {
    const { user, ulid, choose, poster, edits, folder } = await encodedVideo();
    expect(await choose(2.5)).toMatchObject({
      status: 202,
      json: { data: { status: 'completed', thumbnail_path: `${folder}poster.jpg` } },
    });
    expect(states.commandCalls(StartExecutionCommand).at(-1)?.args[0].input.name).toBe(`${ulid}-edit-2`);
    const [entry] = await readHistory(user, 1);
    expect(entry).toMatchObject({ event: 'updated', properties: { at_seconds: 2.5 } });
    await runPipeline(ulid, 2);
    expect([await poster(), await edits()]).toEqual([`${folder}poster-2.jpg`, []]);
    // Frame 75 starts at 2.5 s: the job takes the first frame after the middle of frame 74.
    expect((await readPlan(ulid, 2)).thumbnails).toMatchObject({
      poster: { atSeconds: expect.closeTo(74.5 / 30, 9), width: 640, height: 360, format: 'jpg' },
      sprite: null,
    });
    await deleteUnusedAttempts(ulid);
    const { keys } = await listKeys(folder, '', 10);
    expect(keys.toSorted()).toEqual([`${folder}poster-2.jpg`, `${folder}poster.jpg`]);
  });

  test('is possible where the template has none', async () => {
    const { ulid, choose, poster, folder } = await encodedVideo({ thumbnails: undefined });
    expect((await choose(0)).status).toBe(202);
    await runPipeline(ulid, 2);
    expect(await poster()).toBe(`${folder}poster-2.jpg`);
  });

  test('stays when the video is processed again', async () => {
    const { token, ulid, choose, poster, folder } = await encodedVideo();
    await choose(2.5);
    await runPipeline(ulid, 2);
    const again = await callHandler(handler, `POST /api/videos/${ulid}/reprocess`, { token });
    expect(again.status).toBe(202);
    await runPipeline(ulid, 1);
    expect(await poster()).toBe(`${folder}poster-2.jpg`);
  });

  test('is made once for repeated requests, and another one only afterwards', async () => {
    const { ulid, choose, poster, edits, folder } = await encodedVideo();
    const answers = await Promise.all([choose(1), choose(1), choose(1)]);
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 202]);
    expect(await edits()).toEqual([2]);
    expect((await choose(3)).status).toBe(409);
    await runPipeline(ulid, 2);
    expect((await choose(3)).status).toBe(202);
    await runPipeline(ulid, 3);
    expect(await poster()).toBe(`${folder}poster-3.jpg`);
  });

  test('that could not be made leaves the present one, and can be chosen again', async () => {
    const { ulid, choose, poster, edits, folder } = await encodedVideo();
    await choose(1);
    const [edit] = (await findWholeVideo(ulid))!.edits;
    await failStreamEdit(edit!, 'INTERNAL: The processing was stopped.');
    expect([await poster(), await edits()]).toEqual([`${folder}poster.jpg`, []]);
    expect((await choose(1)).status).toBe(202);
  });

  test('of a video that was deleted is not made', async () => {
    const { token, ulid, choose } = await encodedVideo();
    await choose(1);
    await callHandler(handler, `DELETE /api/videos/${ulid}`, { token });
    await expect(runPipeline(ulid, 2)).rejects.toThrow();
  });

  test.each([12.1, -0.1, '1s', null, undefined])('at %s is 422', async (at) => {
    const { choose } = await encodedVideo();
    expect(await choose(at)).toMatchObject({ status: 422, json: { errors: { at_seconds: [expect.any(String)] } } });
  });

  test('of a video without picture is 422, and of one that is not completed 409', async () => {
    const { user, token } = await createPerson();
    const { video: sound } = await storeVideo(user, {
      aspectRatio: null,
      streams: [buildStream({ type: 'original' })],
    });
    const { video: running } = await storeVideo(user, { status: 'running' });
    const { video: unprobed } = await storeVideo(user, {
      status: 'pending',
      aspectRatio: null,
      durationSeconds: null,
    });
    const choose = async ({ ulid }: { ulid: string }, atSeconds = 1) =>
      (await callHandler(handler, `PUT /api/videos/${ulid}/poster`, { token, body: { at_seconds: atSeconds } })).status;
    expect([await choose(sound), await choose(running), await choose(unprobed)]).toEqual([422, 409, 409]);
    expect(await choose(running, 100_000)).toBe(422);
  });
});
