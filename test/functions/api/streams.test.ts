import { ECSClient, ListTasksCommand } from '@aws-sdk/client-ecs';
import {
  DescribeExecutionCommand,
  ExecutionAlreadyExists,
  SFNClient,
  StartExecutionCommand,
} from '@aws-sdk/client-sfn';
import { type AwsStub, mockClient } from 'aws-sdk-client-mock';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { handler as outputsHandler } from '../../../functions/api/outputs.lambda.ts';
import { handler } from '../../../functions/api/streams.lambda.ts';
import { handler as videosHandler } from '../../../functions/api/videos.lambda.ts';
import { readObject } from '../../../functions/aws/object-store.ts';
import { reconcileStreamEdits } from '../../../functions/reconcile/reconcile-stream-edits.ts';
import { failStreamEdit } from '../../../functions/runs/stream-edit-run/end-stream-edit.ts';
import { readPlan } from '../../../functions/stored-plans/stored-plans.ts';
import { listActivity } from '../../../functions/table/accounts/activity-table.ts';
import { firstDue } from '../../../functions/table/items/due-pages.ts';
import { write } from '../../../functions/table/items/items.ts';
import { keys } from '../../../functions/table/items/keys.ts';
import type { User } from '../../../functions/table/records.ts';
import { findStreamEdit } from '../../../functions/table/stream-edits/stream-edit-table.ts';
import { findWholeVideo, type WholeVideo } from '../../../functions/table/videos/video-table.ts';
import { callHandler } from '../../fixtures/call-handler.ts';
import { createPerson } from '../../fixtures/create-person.ts';
import { executionArn, finishJob, runPipeline, storeEncodedVideo } from '../../fixtures/records/store-encoded-video.ts';
import { buildStream, storeVideo } from '../../fixtures/records/store-video.ts';
import { useBucket } from '../../fixtures/use-bucket.ts';
import { useTable } from '../../fixtures/use-table.ts';

useTable();
useBucket();

const rung = { name: 'v720', codec: 'h264', height: 720, bitrate: '2800k' };
const sound = { name: 'stereo', codec: 'aac', bitrate: '128k' };
const hls = { name: 'hls', format: 'hls', segment_duration: 4 };
const web = { version: 1, video: [rung], audio: [sound], outputs: [hls, { name: 'file', format: 'mp4' }] };
const small = { codec: 'h264', height: 360, bitrate: '800k' };

let machine: AwsStub<never, never, never>;
let tasks: AwsStub<never, never, never>;
beforeEach(() => {
  vi.stubEnv('STATE_MACHINE_ARN', 'arn:aws:states:us-east-1:000000000000:stateMachine:encode');
  vi.stubEnv('CLUSTER', 'none');
  vi.stubEnv('TASK_DEFINITION_FAMILY', 'worker');
  vi.stubEnv('MAX_TASKS', '0');
  machine = mockClient(SFNClient) as never;
  tasks = mockClient(ECSClient) as never;
  tasks.on(ListTasksCommand as never).resolves({ taskArns: [] } as never);
});
afterEach(() => {
  machine.restore();
  tasks.restore();
  vi.unstubAllEnvs();
});

const started = () =>
  machine.commandCalls(StartExecutionCommand as never).map(({ args }) => (args[0] as StartExecutionCommand).input.name);
const again = async ({ video }: WholeVideo) => (await findWholeVideo(video.ulid))!;
const master = async (whole: WholeVideo, output = 'hls'): Promise<string> => {
  const { entryKey } = whole.outputs.find(({ name }) => name === output)!;
  return new TextDecoder().decode(await readObject(entryKey!));
};
const resolutions = async (whole: WholeVideo) =>
  [...(await master(whole)).matchAll(/RESOLUTION=\d+x(\d+)/g)].map(([, height]) => Number(height));
const add = (token: string, { video }: WholeVideo, stream: object) =>
  callHandler(handler, 'POST /api/streams', {
    token,
    body: { video_id: video.id, name: 'New', type: 'video', input_params: small, ...stream },
  });
const named = ({ streams }: WholeVideo, name: string) => streams.find((stream) => stream.name === name)!;

async function owned(
  query: object = web,
  languages?: string[],
): Promise<{ user: User; token: string; whole: WholeVideo }> {
  const { user, token } = await createPerson();
  const whole = await storeEncodedVideo(user, query, { ...(languages && { languages }) });
  machine.resetHistory();
  return { user, token, whole };
}

describe('a stream that is added', () => {
  test('has its final parameters for this source at once, and is added to the outputs with segments when it is encoded', async () => {
    const { user, token, whole } = await owned();
    const answer = await add(token, whole, {});
    expect(answer).toMatchObject({
      status: 201,
      json: {
        data: {
          video_id: whole.video.id,
          name: 'New',
          type: 'video',
          status: 'pending',
          size: null,
          width: 640,
          height: 360,
          input_params: { codec: 'h264', width: 640, height: 360, bitrate: '800k', preset: 'medium', gop: 2 },
        },
      },
    });
    expect(started()).toEqual([`${whole.video.ulid}-edit-2`]);
    expect((await again(whole)).video).toMatchObject({
      status: 'completed',
      planNumber: 1,
      lastPlanNumber: 2,
      editPlanNumber: 2,
    });
    expect(await resolutions(await again(whole))).toEqual([720]);

    await runPipeline(whole.video.ulid, 2);
    const done = await again(whole);
    expect(done.edits).toEqual([]);
    expect(done.video).toMatchObject({ status: 'completed', planNumber: 1, lastPlanNumber: 2 });
    expect(done.video.editPlanNumber).toBeUndefined();
    expect(named(done, 'New')).toMatchObject({ status: 'completed', bytes: 4, width: 640, height: 360 });
    expect(await resolutions(done)).toEqual([720, 360]);
    expect(done.outputs.map(({ name, builtByPlan }) => [name, builtByPlan])).toEqual([
      ['hls', 2],
      ['file', 1],
    ]);
    expect(done.outputs[0]?.streams).toContain(named(done, 'New').ulid);
    const { lines } = await listActivity(user.ulid, { offset: 0, limit: 1 });
    expect(lines[0]).toMatchObject({ event: 'updated', description: 'Added stream New to holiday.mp4' });
  });

  test('adds warnings that only its encode found to the original', async () => {
    const { token, whole } = await owned();
    await add(token, whole, {});
    await runPipeline(whole.video.ulid, 2, { warnings: ['Some frames cannot be decoded.'] });
    const { streams } = await again(whole);
    expect(streams.find(({ type }) => type === 'original')!.meta.warnings).toEqual(['Some frames cannot be decoded.']);
    expect(streams.find(({ name }) => name === 'New')).toMatchObject({ status: 'completed' });
  });

  test('one execution runs at a time; the next starts when it has ended', async () => {
    const { token, whole } = await owned();
    await Promise.all(
      [240, 360, 480].map((height) => add(token, whole, { name: `${height}`, input_params: { ...small, height } })),
    );
    const { ulid } = whole.video;
    expect(started()).toEqual([`${ulid}-edit-2`]);
    expect((await again(whole)).edits.map(({ planNumber }) => planNumber)).toEqual([2, 3, 4]);
    await runPipeline(ulid, 2);
    expect(started()).toEqual([`${ulid}-edit-2`, `${ulid}-edit-3`]);
    await runPipeline(ulid, 3);
    await runPipeline(ulid, 4);
    expect(started()).toEqual([2, 3, 4].map((planNumber) => `${ulid}-edit-${planNumber}`));
    expect(await resolutions(await again(whole))).toEqual([720, 480, 360, 240]);
  });

  test('in the requested language; one that the source does not have is 422 with the existing ones', async () => {
    const { token, whole } = await owned();
    const german = { type: 'audio', name: 'Deutsch', input_params: { codec: 'aac', bitrate: '96k', language: 'de' } };
    expect((await add(token, whole, german)).json.data).toMatchObject({ language: 'de', channels: 2 });
    await runPipeline(whole.video.ulid, 2);
    expect(await master(await again(whole))).toMatch(/LANGUAGE="en".*DEFAULT=YES[\s\S]*LANGUAGE="de".*DEFAULT=NO/);
    const french = { ...german, input_params: { codec: 'aac', language: 'fr' } };
    expect((await add(token, whole, french)).json.errors).toEqual({
      'input_params.language': ['The source has no audio in fr. It has: en, de.'],
    });
  });

  test('muxed, adds a file that is deleted with it', async () => {
    const { token, whole } = await owned();
    const { json } = await add(token, whole, { type: 'muxed', name: 'Download' });
    expect((await again(whole)).outputs.at(-1)).toMatchObject({ format: 'mp4', status: 'pending', name: '360p' });
    expect(json.data).toMatchObject({ name: 'Download', size: null, language: 'en', channels: 2, meta: {} });
    await runPipeline(whole.video.ulid, 2);
    const done = await again(whole);
    expect(named(done, 'Download')).toMatchObject({ bytes: 1, language: 'en', channels: 2, width: 640, height: 360 });
    expect(named(done, 'Download').meta).toMatchObject({
      codecs: 'avc1.64001f,mp4a.40.2',
      duration: 12,
      bitrate: 1,
      video: { codecs: 'avc1.64001f', level: '3.1', frame_rate: 30 },
      audio: { codecs: 'mp4a.40.2' },
    });
    const file = done.outputs.at(-1)!;
    expect(file).toMatchObject({ status: 'completed', bytes: 1, streams: [json.data.ulid] });
    expect(file.work).toEqual({ r2v0: 29 });
    expect(file.entryKey).toBe(`videos/${whole.video.ulid}/r2/package-00-00000-a1/video.mp4`);
    expect((await callHandler(handler, `DELETE /api/streams/${json.data.id}`, { token })).status).toBe(204);
    expect((await again(whole)).outputs.map(({ name }) => name)).toEqual(['hls', 'file']);
    expect((await again(whole)).edits).toEqual([]);
  });

  test('muxed, has its name in the outputs, also when it is renamed', async () => {
    const { token, whole } = await owned();
    const { json } = await add(token, whole, { type: 'muxed', name: 'Download' });
    const names = async (): Promise<string[]> => {
      const answer = await callHandler(videosHandler, `GET /api/videos/${whole.video.ulid}`, { token });
      return answer.json.data.outputs.map(({ name }: { name: string }) => name);
    };
    expect(await names()).toEqual(['hls', 'file', 'Download']);
    await callHandler(handler, `PUT /api/streams/${json.data.id}`, { token, body: { name: 'For the train' } });
    expect(await names()).toEqual(['hls', 'file', 'For the train']);
  });

  test('muxed, includes the current audio when it is encoded again', async () => {
    const { token, whole } = await owned();
    const { json } = await add(token, whole, { type: 'muxed', name: 'Download' });
    await runPipeline(whole.video.ulid, 2);
    const mono = { codec: 'aac', bitrate: '64k', channels: 1 };
    await callHandler(handler, `PUT /api/streams/${named(whole, 'stereo').id}`, {
      token,
      body: { input_params: mono },
    });
    await runPipeline(whole.video.ulid, 3);
    await callHandler(handler, `PUT /api/streams/${json.data.id}`, {
      token,
      body: { input_params: { ...small, height: 240 } },
    });
    await runPipeline(whole.video.ulid, 4);
    const done = await again(whole);
    expect(named(done, 'Download')).toMatchObject({ status: 'completed', errorLog: null, height: 240, channels: 1 });
  });

  let untouched: Awaited<ReturnType<typeof owned>> | undefined;
  test.each<[string, object, string]>([
    ['the original', { type: 'original' }, 'type'],
    ['a video without codec', { input_params: { height: 360, bitrate: '800k' } }, 'input_params.codec'],
    ['a video with the codec of sound', { input_params: { codec: 'aac' } }, 'input_params.codec'],
    [
      'sound with the codec of video',
      { type: 'audio', input_params: { codec: 'h264', crf: 23 } },
      'input_params.codec',
    ],
    ['no bitrate and no quality', { input_params: { codec: 'h264', height: 360 } }, 'input_params.bitrate'],
    ['key frames elsewhere than the others', { input_params: { ...small, gop: 4 } }, 'input_params.gop'],
    ['unknown parameters', { input_params: { ...small, filter: 'movie=/etc/passwd' } }, 'input_params'],
    ['an unknown video', { video_id: 999_999 }, 'video_id'],
  ])('is refused as %s', async (_, stream, field) => {
    untouched ??= await owned();
    const { token, whole } = untouched;
    const answer = await add(token, whole, stream);
    expect([answer.status, Object.keys(answer.json.errors)]).toEqual([422, [field]]);
    expect((await again(whole)).video.lastPlanNumber).toBe(1);
  });

  test('is rejected if no output can include it', async () => {
    const { token, whole } = await owned({ ...web, outputs: [{ name: 'file', format: 'mp4' }] });
    expect((await add(token, whole, {})).json.errors).toEqual({
      type: ['No HLS or DASH output of the video takes such a stream. Choose muxed.'],
    });
  });

  test('is rejected for a video that is being processed, and for the video of another user', async () => {
    const { user, token } = await createPerson();
    const { video } = await storeVideo(user, { status: 'running' });
    const body = { video_id: video.id, name: 'New', type: 'video', input_params: small };
    expect((await callHandler(handler, 'POST /api/streams', { token, body })).status).toBe(409);
    const stranger = await createPerson();
    const answer = await callHandler(handler, 'POST /api/streams', { token: stranger.token, body });
    expect(answer).toMatchObject({
      status: 422,
      json: { errors: { video_id: ['The selected video id is invalid.'] } },
    });
  });
});

describe('a stream that is changed', () => {
  const change = (token: string, id: number | string, body: object) =>
    callHandler(handler, `PUT /api/streams/${id}`, { token, body });

  test('keeps its position and ID; its old files are deleted when no viewer can be reading them', async () => {
    const { token, whole } = await owned();
    const before = named(whole, 'v720');
    const answer = await change(token, before.id, { name: 'HD', input_params: { ...small, bitrate: '900k' } });
    expect(answer).toMatchObject({
      status: 200,
      json: { data: { id: before.id, name: 'HD', status: 'pending', height: 720 } },
    });
    await runPipeline(whole.video.ulid, 2);
    const done = await again(whole);
    expect(named(done, 'HD')).toMatchObject({ ulid: before.ulid, status: 'completed', height: 360, planNumber: 2 });
    expect(await resolutions(done)).toEqual([360]);
    // The file contains the stream too, and is remuxed.
    expect(done.outputs.map(({ builtByPlan }) => builtByPlan)).toEqual([2, 2]);
    const retired = (await firstDue('retired', 1000)).length;
    expect(retired).toBeGreaterThanOrEqual(3);
  });

  test('is not encoded when the parameters do not change the result', async () => {
    const { token, whole } = await owned();
    const { id, inputParams } = named(whole, 'v720');
    const answer = await change(token, id, { input_params: inputParams });
    expect(answer).toMatchObject({ status: 200, json: { data: { status: 'completed' } } });
    expect(started()).toEqual([]);
  });

  test('keeps omitted parameters', async () => {
    const asked = {
      ...rung,
      profile: 'main',
      level: '4.0',
      max_bitrate: '3M',
      buffer_size: '5M',
      two_pass: true,
      gop: 4,
    };
    const { token, whole } = await owned({ ...web, video: [asked], audio: [{ ...sound, loudness: -16 }] });
    const picture = named(whole, 'v720');
    const stereo = named(whole, 'stereo');
    const video = {
      codec: 'h264',
      width: 1280,
      height: 720,
      bitrate: '2800k',
      max_bitrate: '3000k',
      buffer_size: '5000k',
      profile: 'main',
      level: '4.0',
      preset: 'medium',
      gop: 4,
      two_pass: true,
    };
    const audio = {
      codec: 'aac',
      bitrate: '128k',
      channels: 2,
      sample_rate: 48_000,
      language: 'en',
      loudness: -16,
    };
    expect([picture.inputParams, stereo.inputParams]).toEqual([video, audio]);
    const params = async (id: number, input_params: object) =>
      (await change(token, id, { input_params })).json.data.input_params;
    expect(await params(picture.id, { bitrate: '2M' })).toEqual({ ...video, bitrate: '2000k' });
    expect(await params(stereo.id, { bitrate: '96k' })).toEqual({ ...audio, bitrate: '96k' });
    await runPipeline(whole.video.ulid, 2);
    const { groups } = await readPlan(whole.video.ulid, 2);
    expect(groups[0]!.rungs[0]).toMatchObject({
      profile: 'main',
      level: '4.0',
      rate: { bitrateBps: 2e6, maxBitrateBps: 3e6, bufferBits: 5e6, twoPass: true },
    });
    await runPipeline(whole.video.ulid, 3);
    expect((await readPlan(whole.video.ulid, 3)).audio[0]).toMatchObject({ loudnessLufs: -16, bitrateBps: 96_000 });
    expect(await params(stereo.id, { loudness: null })).not.toHaveProperty('loudness');
  });

  test('waits for the edit of another stream of its outputs, and is played until then', async () => {
    const { token, whole } = await owned({
      ...web,
      video: [rung, { ...rung, name: 'v480', height: 480, bitrate: '1400k' }],
      outputs: [hls],
    });
    await change(token, named(whole, 'v720').id, { input_params: { height: 360 } });
    await change(token, named(whole, 'stereo').id, { input_params: { bitrate: '96k' } });
    await callHandler(handler, `DELETE /api/streams/${named(whole, 'v480').id}`, { token });
    await runPipeline(whole.video.ulid, 2);
    expect(new Set(await resolutions(await again(whole)))).toEqual(new Set([480, 360]));
    await runPipeline(whole.video.ulid, 3);
    await runPipeline(whole.video.ulid, 4);
    const done = await again(whole);
    expect(await resolutions(done)).toEqual([360]);
    expect(done.streams.map(({ name, status }) => [name, status])).toEqual([
      ['Original', 'completed'],
      ['v720', 'completed'],
      ['stereo', 'completed'],
    ]);
    expect(done.edits).toEqual([]);
  });

  test('keeps its source track if several have the same language', async () => {
    const { token, whole } = await owned({ ...web, audio: [{ ...sound, languages: 'all' }] }, ['en', 'en']);
    const [, commentary] = whole.streams.filter(({ type }) => type === 'audio');
    const before = (await readPlan(whole.video.ulid, 1)).audio.find(({ name }) => name === commentary!.track)!;
    await change(token, commentary!.id, { input_params: { bitrate: '64k' } });
    await runPipeline(whole.video.ulid, 2);
    const { audio } = await readPlan(whole.video.ulid, 2);
    expect(audio).toMatchObject([{ streamIndex: before.streamIndex, bitrateBps: 64_000 }]);
    expect(before.streamIndex).toBe(2);
  });

  test('rejects parameters of the other type, also without a codec', async () => {
    const { token, whole } = await owned();
    const video = await change(token, named(whole, 'v720').id, { input_params: { channels: 2 } });
    const audio = await change(token, named(whole, 'stereo').id, { input_params: { height: 360 } });
    expect([video, audio].map(({ status, json }) => [status, json.errors])).toEqual([
      [422, { 'input_params.channels': ['Leave channels out: it does not apply to h264.'] }],
      [422, { 'input_params.height': ['Leave height out: it does not apply to aac.'] }],
    ]);
  });

  test('muxed, gets a new file after its failed output was deleted', async () => {
    const { token, whole } = await owned();
    const { json } = await add(token, whole, { type: 'muxed', name: 'Download' });
    await runPipeline(whole.video.ulid, 2, { unpackaged: ['360p'] });
    const failed = (await again(whole)).outputs.at(-1)!;
    expect(failed.status).toBe('failed');
    expect((await callHandler(outputsHandler, `DELETE /api/outputs/${failed.ulid}`, { token })).status).toBe(204);
    expect((await change(token, json.data.id, { input_params: small })).status).toBe(200);
    await runPipeline(whole.video.ulid, 3);
    const done = await again(whole);
    expect(named(done, 'Download')).toMatchObject({ status: 'completed', errorLog: null });
    expect(done.outputs.map(({ name, status, streams }) => [name, status, streams.includes(json.data.ulid)])).toEqual([
      ['hls', 'completed', false],
      ['file', 'completed', false],
      [expect.stringMatching(/^360p/), 'completed', true],
    ]);
  });

  test('is still played as before when its encode fails, has the reason, and can be changed again', async () => {
    const { token, whole } = await owned();
    const { id, ulid } = named(whole, 'v720');
    await change(token, id, { input_params: small });
    const { videoUlid, planNumber } = (await findStreamEdit(whole.video.ulid, 2))!;
    const chunk = { videoUlid, planNumber, kind: 'encode-video' as const, group: 0, index: 0 };
    await finishJob(chunk, { warnings: ['Some frames cannot be decoded.'] });
    await failStreamEdit((await findStreamEdit(videoUlid, planNumber))!, 'OUTPUT_MISMATCH: It did not come out right.');
    const failed = await again(whole);
    const stream = failed.streams.find((one) => one.ulid === ulid)!;
    expect(stream).toMatchObject({
      status: 'failed',
      errorLog: 'OUTPUT_MISMATCH: It did not come out right.',
      planNumber: 1,
      track: 'v720',
    });
    expect(failed.streams.find(({ type }) => type === 'original')!.meta.warnings).toEqual([
      'Some frames cannot be decoded.',
    ]);
    expect(await resolutions(failed)).toEqual([720]);
    expect(failed.edits).toEqual([]);
    expect((await change(token, id, { input_params: small })).json.data.status).toBe('pending');
    await runPipeline(videoUlid, 3);
    expect(await resolutions(await again(whole))).toEqual([360]);
  });

  test('is still played as before when no output can be rebuilt, and has the reason', async () => {
    const { token, whole } = await owned({ ...web, outputs: [hls] });
    const { id, ulid } = named(whole, 'v720');
    await change(token, id, { input_params: small });
    await runPipeline(whole.video.ulid, 2, { unpackaged: ['hls'] });
    const failed = await again(whole);
    expect(failed.streams.find((one) => one.ulid === ulid)).toMatchObject({
      status: 'failed',
      errorLog: 'OUTPUT_MISMATCH: The service failed to process this video. It can be processed again.',
      planNumber: 1,
      track: 'v720',
      inputParams: named(whole, 'v720').inputParams,
    });
    expect(failed.outputs[0]).toMatchObject({ status: 'completed', builtByPlan: 1, errorLog: null });
    expect(await resolutions(failed)).toEqual([720]);
  });

  test('is completed when one of its outputs could be rebuilt', async () => {
    const { token, whole } = await owned();
    const { id, ulid } = named(whole, 'v720');
    await change(token, id, { input_params: small });
    await runPipeline(whole.video.ulid, 2, { unpackaged: ['hls'] });
    const done = await again(whole);
    expect(done.streams.find((one) => one.ulid === ulid)).toMatchObject({ status: 'completed', errorLog: null });
    expect(done.outputs.map(({ name, builtByPlan }) => [name, builtByPlan])).toEqual([
      ['hls', 1],
      ['file', 2],
    ]);
  });

  test('is rejected while it is being encoded, and always for the original', async () => {
    const { token, whole } = await owned();
    const { id } = named(whole, 'v720');
    await change(token, id, { input_params: small });
    expect((await change(token, id, { input_params: { ...small, height: 240 } })).status).toBe(409);
    expect((await change(token, id, { name: 'HD' })).json.data.name).toBe('HD');
    const original = whole.streams.find(({ type }) => type === 'original')!;
    expect((await change(token, original.id, { name: 'Mine' })).json.errors).toHaveProperty('name');
  });
});

describe('a stream that is deleted', () => {
  const remove = (token: string, id: number | string) => callHandler(handler, `DELETE /api/streams/${id}`, { token });

  test('is removed at once, and later from the manifests', async () => {
    const { token, whole } = await owned({
      ...web,
      video: [rung, { ...rung, name: 'v360', height: 360, bitrate: '800k' }],
      outputs: [hls],
    });
    const { id, ulid } = named(whole, 'v360');
    expect((await remove(token, id)).status).toBe(204);
    expect((await remove(token, id)).status).toBe(404);
    expect((await again(whole)).outputs[0]?.streams).not.toContain(ulid);
    await runPipeline(whole.video.ulid, 2);
    expect(await resolutions(await again(whole))).toEqual([720]);
  });

  test('cannot be deleted when it is the only video of an output, when it is the original, and while it is being processed', async () => {
    const { token, whole } = await owned();
    const answer = await remove(token, named(whole, 'v720').id);
    expect(answer).toMatchObject({ status: 409, json: { message: 'The output hls has no other video stream.' } });
    expect((await remove(token, whole.streams.find(({ type }) => type === 'original')!.id)).status).toBe(409);
    const { json } = await add(token, whole, {});
    expect((await remove(token, json.data.id)).status).toBe(409);
  });

  test('only by its owner or an administrator', async () => {
    const { user } = await createPerson();
    const { streams } = await storeVideo(user, {
      streams: [buildStream({ status: 'failed', bytes: null }), buildStream()],
    });
    const [stranger, administrator] = [await createPerson(), await createPerson({ isAdmin: true })];
    const id = streams[0]!.ulid.toLowerCase();
    expect((await remove(stranger.token, id)).status).toBe(404);
    expect((await callHandler(handler, `PUT /api/streams/${id}`, { token: stranger.token, body: {} })).status).toBe(
      404,
    );
    expect((await remove(administrator.token, streams[0]!.id)).status).toBe(204);
  });
});

describe('an edit whose execution failed', () => {
  const limits = { untilMilliseconds: Number.POSITIVE_INFINITY, concurrency: 1 };
  const repair = async () => (await reconcileStreamEdits(limits)).streamEdits;

  test('is started if it was not, and otherwise ended with its reason', async () => {
    const { token, whole } = await owned();
    await add(token, whole, {});
    machine.resetHistory();
    expect(await repair()).toBeGreaterThan(0);
    const { ulid } = whole.video;
    expect(started()).toContain(`${ulid}-edit-2`);
    const executionArnOfIt = executionArn(ulid, 2);
    await write({ update: keys.streamEdit(ulid, 2), set: { executionArn: executionArnOfIt } });
    machine
      .on(DescribeExecutionCommand as never)
      .rejects(Object.assign(new Error('no'), { name: 'ExecutionDoesNotExist' }) as never);
    expect(await repair()).toBeGreaterThan(0);
    expect(named(await again(whole), 'New')).toMatchObject({
      status: 'failed',
      errorLog: 'INTERNAL: The processing was stopped. Send the change again.',
    });
    expect((await again(whole)).edits).toEqual([]);
  });

  test('before it claimed the edit is ended with its reason, and the next edit is started', async () => {
    const { token, whole } = await owned();
    const { ulid } = whole.video;
    await add(token, whole, {});
    await add(token, whole, { name: 'Later', input_params: { ...small, height: 240 } });
    machine.resetHistory();
    const exists = new ExecutionAlreadyExists({ message: 'Execution Already Exists', $metadata: {} });
    machine.on(StartExecutionCommand as never, { name: `${ulid}-edit-2` } as never).rejects(exists as never);
    expect(await repair()).toBeGreaterThan(0);
    const ended = await again(whole);
    expect(named(ended, 'New')).toMatchObject({
      status: 'failed',
      errorLog: 'INTERNAL: The processing was stopped. Send the change again.',
    });
    expect(ended.edits.map(({ planNumber }) => planNumber)).toEqual([3]);
    expect(ended.video.editPlanNumber).toBe(3);
    expect(started()).toContain(`${ulid}-edit-3`);
    await runPipeline(ulid, 3);
    expect(await resolutions(await again(whole))).toEqual([720, 240]);
  });

  test('prevents reprocessing of its video until it ends', async () => {
    const { token, whole } = await owned();
    await add(token, whole, {});
    expect((await callHandler(videosHandler, `POST /api/videos/${whole.video.ulid}/reprocess`, { token })).status).toBe(
      409,
    );
  });
});
