import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, inject, onTestFinished, test } from 'vitest';
import { videoCodecs } from '../../../shared/media/codecs.ts';
import { ffmpeg } from '../../encoder-task/support/ffmpeg.ts';
import { tinyModel } from '../../fixtures/speech/tiny-model.ts';
import { openAccount } from '../../journey/support/account.ts';
import { type Client, createClient } from '../../journey/support/client.ts';
import { type Service, startService, until } from '../../journey/support/service.ts';
import { makeSourceClip } from '../../journey/support/source-clip.ts';
import { codecOutputs, everyFormat } from '../../journey/support/templates.ts';
import { engineOf, images } from './engine.ts';

const { docker } = engineOf(inject('engine'));
const name = `worker-${process.pid}`;
/** As on Fargate and on nodes. The engine has no other network than that of this machine. */
const confined = ['--network', 'host', '--read-only', '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges'];

let folder: string;
let service: Service;
let admin: Client;
let token: string;
let clip: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'worker-image-'));
  const dataFolder = join(folder, 'data');
  const model = join(folder, 'models/tiny.bin');
  await mkdir(join(folder, 'models'));
  await writeFile(model, tinyModel());
  service = await startService({ dataFolder, env: { WORKERS: '0', TRANSCRIPTION_MODEL: model } });
  admin = createClient(service.apiUrl, await readFile(join(dataFolder, 'api-token'), 'utf8'));
  const account = await openAccount(dataFolder);
  token = await account.parameter('worker-token');
  account.close();
  ({ file: clip } = await makeSourceClip(join(folder, 'clip.mp4'), { durationSeconds: 3, width: 426, height: 240 }));
});
beforeEach(() => onTestFinished(async () => void (await docker('rm', '--force', '--volumes', name).catch(() => {}))));
afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true });
});

async function encode(query: object, file = clip) {
  const template = await admin.makeTemplate(query);
  const video = await admin.upload({ file, template, partBytes: 16 * 2 ** 20 });
  return admin.waitUntilDone(video, { atMostMs: 900_000 });
}

test('a confined container encodes every format and every codec, and stops at once', async () => {
  await docker(
    ...['run', '--detach', '--name', name, ...confined, '--memory', '2g', '--pids-limit', '1024', '--init'],
    ...['--env', `SYNC_URL=${service.apiUrl}/api/workers/sync`, '--env', `WORKER_TOKEN=${token}`, images.worker],
  );
  expect(await encode(everyFormat)).toMatchObject({ status: 'completed' });
  expect(await encode(codecOutputs(videoCodecs))).toMatchObject({ status: 'completed' });
  await docker('stop', '--time', '10', name);
  expect(await docker('inspect', '--format', '{{.State.ExitCode}} {{.State.OOMKilled}}', name)).toBe('0 false');
});

test('its engine of speech runs with a model of a volume', async () => {
  await docker(
    ...['run', '--detach', '--name', name, ...confined, '--volume', `${folder}/models:/models:ro`],
    ...['--env', 'TRANSCRIPTION_MODEL=/models/tiny.bin', '--env', `SYNC_URL=${service.apiUrl}/api/workers/sync`],
    ...['--env', `WORKER_TOKEN=${token}`, images.worker],
  );
  // Noise with syllables is taken for speech. The model knows no words.
  const syllables = "'0.6*(2*random(0)-1)*(0.05+0.5*pow(max(0,sin(6*PI*t)),2))'";
  const spoken = join(folder, 'spoken.mp4');
  await ffmpeg('-f', 'lavfi', '-i', 'color=s=160x96:d=6', '-f', 'lavfi', '-i', `aevalsrc=${syllables}:d=6`, spoken);
  const { ulid } = await encode(everyFormat, spoken);
  await admin.post(`/api/videos/${ulid}/captions/generate`, { language: 'en' });
  let caption: { status: string; error: string | null } | undefined;
  await until(async () => {
    [caption] = (await admin.get<{ data: [typeof caption] }>(`/api/videos/${ulid}/captions`)).data;
    return caption?.status !== 'pending';
  });
  expect(caption?.error ?? 'Nobody speaks in the video.').toBe('Nobody speaks in the video.');
});

test('the same image is a function of Lambda: it takes an invocation, works, and answers', async () => {
  const runtime = await startRuntimeApi({
    syncUrl: `${service.apiUrl}/api/workers/sync`,
    token,
    workerName: 'early-1',
  });
  onTestFinished(() => void runtime.server.close());
  const done = encode(everyFormat);
  await docker(
    ...['run', '--detach', '--name', name, ...confined, '--tmpfs', '/tmp', '--user', '993:990', '--workdir', '/tmp'],
    ...['--env', `AWS_LAMBDA_RUNTIME_API=${runtime.address}`, '--env', 'WORK_FOLDER=/tmp', '--env', 'TMPDIR=/tmp'],
    ...['--env', 'IDLE_EXIT_SECONDS=30', '--entrypoint', '/usr/local/bin/node', images.worker, '/app/main.mjs'],
  );
  expect(await done).toMatchObject({ status: 'completed' });
  expect(await runtime.answered).toEqual({ path: '/2018-06-01/runtime/invocation/1/response', body: 'null' });
});

/** The runtime interface of Lambda, with one invocation. */
async function startRuntimeApi(event: object) {
  const answered = Promise.withResolvers<{ path: string | undefined; body: string }>();
  let isTaken = false;
  const invoke = (response: ServerResponse) => {
    // The next one never comes.
    if (isTaken) return;
    isTaken = true;
    response.setHeader('lambda-runtime-aws-request-id', '1');
    response.setHeader('lambda-runtime-deadline-ms', Date.now() + 900_000);
    response.end(JSON.stringify(event));
  };
  const server = createServer(async (request, response) => {
    if (request.method === 'GET') return invoke(response);
    answered.resolve({ path: request.url, body: Buffer.concat(await request.toArray()).toString() });
    response.writeHead(202).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, address: `127.0.0.1:${(server.address() as AddressInfo).port}`, answered: answered.promise };
}
