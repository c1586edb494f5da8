import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { openAsBlob } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { DescribeTasksCommand, ECSClient, ListTasksCommand } from '@aws-sdk/client-ecs';
import { DisableRuleCommand, EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { type Billed, type Meter, readAssembly, region } from 'embedded-aws';
import HLS from 'hls-parser';
import { bodyOf } from '../../client/api.ts';
import { type Client, createClient } from '../../client/create-client.ts';
import { settingsOf } from '../../infra/settings.ts';
import { startCloud } from '../../local/server/cloud.ts';
import { readOperatorFile } from '../../local/server/operator-file.ts';
import { synthesise } from '../../local/synthesise.ts';

/** What was used, by what AWS bills and by its source. */
export type Uses = ReadonlyMap<Billed, ReadonlyMap<string, number>>;

export type MeasuredRun = {
  /** One video, from its upload until its worker has exited. */
  video: Uses;
  taskSeconds: number;
  /** One viewer of the video from its start to its end. */
  playback: Uses;
  /** A video becomes public and is deleted: two changes of playback, each applied twice. */
  playbackChanges: Uses;
  /** One run of each scheduled function that finds nothing to do, and the minutes from one run to the next. */
  scheduled: { minutes: number; uses: Uses }[];
};

export const measuredClip = { durationSeconds: 90, segmentSeconds: 6, heights: [180, 120] };
type Clip = typeof measuredClip;

const quietMs = 3000;
const settledMs = 61_000;

/**
 * Processes and plays a video in the embedded AWS, with the intervals of a deployed stage, and counts what AWS would
 * bill. Takes two to three minutes: a worker exits after half a minute, and a change of playback is applied again after
 * a minute. @throws when the video fails
 */
export async function measureRun(
  stage: string,
  report: (line: string) => void,
  clip: Clip = measuredClip,
): Promise<MeasuredRun> {
  const folder = await mkdtemp(join(tmpdir(), 'cost-'));
  const { meter, take, seen, untilQuiet } = createCounter();
  const { workers } = settingsOf(stage);
  const templateFolder = await synthesise();
  const cloud = await startCloud({
    dataFolder: join(folder, 'data'),
    port: 0,
    templateFolder,
    workers: 1,
    meter,
    writeLine: () => {},
    env: {
      IDLE_SYNC_MS: String(workers.idleSyncMs),
      BUSY_SYNC_MS: String(workers.busySyncMs),
      PROGRESS_STEP: String(workers.progressStep),
    },
    admin: { name: 'Cost', email: 'cost@example.com', password: randomBytes(12).toString('hex'), tokenName: 'cost' },
  });
  try {
    const template = await readAssembly(templateFolder, cloud.apiUrl);
    const access = (await readOperatorFile(join(folder, 'data')))!;
    const operator = { region, endpoint: access.controlUrl, credentials: access.credentials };
    const rules = template.rules().filter(({ schedule }) => schedule !== undefined);
    const bus = new EventBridgeClient(operator);
    const logs = template.rules().filter(({ pattern }) => JSON.stringify(pattern ?? {}).includes('logs/'));
    for (const { name } of [...rules, ...logs]) await bus.send(new DisableRuleCommand({ Name: name }));
    bus.destroy();

    const client = createClient({ url: cloud.apiUrl, token: cloud.adminToken! });
    const file = await makeClip(folder, clip);
    await untilQuiet();
    take();
    report('A video is processed.');
    const { ulid } = await upload(client, file, clip);
    while (seen('state transitions', 'Completed') === 0) {
      if (seen('state transitions', 'Failed') > 0) throw new Error('the video failed');
      await sleep(200);
    }
    const taskSeconds = await untilTasksStopped(operator, template.resources('AWS::ECS::Cluster')[0]!.ref);
    await untilQuiet();
    const video = take();
    report('It is played.');

    await play(client, ulid);
    await untilQuiet();
    const playback = take();

    const lambda = new LambdaClient(operator);
    const invoke = async (rule: (typeof rules)[number]): Promise<void> => {
      const [{ arn, input = '{}' }] = rule.targets as [(typeof rule.targets)[number]];
      await lambda.send(new InvokeCommand({ FunctionName: arn, Payload: Buffer.from(input) }));
    };
    const path = { ulid };
    report('Its playback changes twice.');
    const sweeps = rules.filter(({ targets }) => targets.some(({ input }) => input?.includes('waiting')));
    await client.api.PUT('/api/videos/{ulid}', { params: { path }, body: { playback: 'public' } });
    await sleep(settledMs);
    for (const rule of sweeps) await invoke(rule);
    await client.api.DELETE('/api/videos/{ulid}', { params: { path } });
    await sleep(settledMs);
    for (const rule of sweeps) await invoke(rule);
    await untilQuiet();
    const playbackChanges = take();

    report('Scheduled functions find nothing to do.');
    const scheduled: MeasuredRun['scheduled'] = [];
    for (const rule of rules) {
      // The first run finds what the video has left.
      await invoke(rule);
      await untilQuiet();
      take();
      await invoke(rule);
      await untilQuiet();
      scheduled.push({ minutes: Number(/\d+/.exec(rule.schedule!)![0]), uses: take() });
    }
    lambda.destroy();
    return { video, taskSeconds, playback, playbackChanges, scheduled };
  } finally {
    await cloud.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function makeClip(folder: string, { durationSeconds }: Clip): Promise<string> {
  const file = join(folder, 'clip.mp4');
  await promisify(execFile)('ffmpeg', [
    ...['-nostdin', '-v', 'error'],
    ...['-f', 'lavfi', '-i', `testsrc2=size=320x180:rate=25:duration=${durationSeconds}`],
    ...['-f', 'lavfi', '-i', `sine=frequency=440:duration=${durationSeconds}`],
    ...['-pix_fmt', 'yuv420p', '-c:v', 'libx264', '-preset', 'ultrafast', '-c:a', 'aac', file],
  ]);
  return file;
}

async function upload(client: Client, file: string, clip: Clip): Promise<{ ulid: string }> {
  const { data: template } = await bodyOf(
    client.api.POST('/api/templates', {
      body: {
        name: 'cost',
        query: {
          version: 1,
          video: clip.heights.map((height) => ({
            name: `v${height}`,
            codec: 'h264' as const,
            height,
            bitrate: '200k',
            preset: 'veryfast' as const,
          })),
          audio: [{ name: 'stereo', codec: 'aac', bitrate: '96k' }],
          outputs: [
            { name: 'hls', format: 'hls', segment_duration: clip.segmentSeconds },
            { name: 'ts', format: 'hls', container: 'ts', segment_duration: clip.segmentSeconds },
          ],
          thumbnails: { poster: { at: '10%' } },
        },
      },
    }),
  );
  return client.upload(await openAsBlob(file), { filename: 'clip.mp4', template: template.ulid });
}

/** Waits until the tasks have exited. Returns the time for which they are billed. */
async function untilTasksStopped(operator: object, cluster: string): Promise<number> {
  const ecs = new ECSClient(operator);
  try {
    for (;;) {
      const { taskArns: running = [] } = await ecs.send(new ListTasksCommand({ cluster }));
      if (running.length === 0) break;
      await sleep(500);
    }
    const { taskArns = [] } = await ecs.send(new ListTasksCommand({ cluster, desiredStatus: 'STOPPED' }));
    const { tasks = [] } = await ecs.send(new DescribeTasksCommand({ cluster, tasks: taskArns }));
    return tasks.reduce((sum, { createdAt, stoppedAt }) => sum + (Number(stoppedAt) - Number(createdAt)) / 1000, 0);
  } finally {
    ecs.destroy();
  }
}

/** Fetches what a player does that stays in one rendition: manifests, segments of video and of audio. */
async function play(client: Client, ulid: string): Promise<void> {
  const { sources } = await bodyOf(client.api.GET('/api/videos/{ulid}/sources', { params: { path: { ulid } } }));
  const url = sources.find(({ name }) => name === 'hls')!.url;
  const main = HLS.parse(await textAt(url));
  if (!main.isMasterPlaylist) throw new Error('the HLS output has no main playlist');
  const [variant] = main.variants.filter(({ isIFrameOnly }) => !isIFrameOnly);
  const audio = variant!.audio.map(({ uri }) => uri!);
  for (const uri of [variant!.uri, ...audio]) {
    const address = new URL(uri, url).href;
    const playlist = HLS.parse(await textAt(address));
    if (playlist.isMasterPlaylist) throw new Error(`${uri} is a main playlist`);
    const files = [playlist.segments[0]?.map?.uri, ...playlist.segments.map((segment) => segment.uri)];
    for (const file of files) if (file) await textAt(new URL(file, address).href);
  }
}

async function textAt(url: string): Promise<string> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${new URL(url).pathname} is answered with ${response.status}`);
  return response.text();
}

function createCounter() {
  let uses = new Map<Billed, Map<string, number>>();
  let lastMs = 0;
  const meter: Meter = (billed, amount, source) => {
    const bySource = uses.get(billed) ?? new Map<string, number>();
    uses.set(billed, bySource);
    bySource.set(source, (bySource.get(source) ?? 0) + amount);
    lastMs = performance.now();
  };
  return {
    meter,
    /** What was used since the last call. */
    take(): Uses {
      const taken = uses;
      uses = new Map();
      return taken;
    },
    seen: (billed: Billed, source: string): number => uses.get(billed)?.get(source) ?? 0,
    async untilQuiet(): Promise<void> {
      while (performance.now() - lastMs < quietMs) await sleep(200);
    },
  };
}
