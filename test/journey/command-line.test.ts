import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { listen } from '../../local/server/listen.ts';
import { signUp } from './support/client.ts';
import { playbackErrors } from './support/measure.ts';
import { processesOf } from './support/processes.ts';
import { type CommandOptions, runCommand, startService, until, untilGone } from './support/service.ts';

const clip = inject('clip');
/** Time limit for the command to end after Ctrl-C: five seconds, or twice its start time on a slow machine. */
const longestStopMs = (startMs: number): number => Math.max(5000, 2 * startMs);
let folder: string;
let dataFolder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'command-line-'));
  dataFolder = join(folder, 'data');
});

afterAll(() => rm(folder, { recursive: true }));

test('npm start -- FILE prints playable URLs, and Ctrl-C ends every process', async () => {
  const command = await runCommand({ dataFolder, arguments_: [clip.file] });
  await command.line(/^Ready at http:\/\/127\.0\.0\.1:\d+ in [\d.]+ s$/);
  await command.line(/^Administrator: admin@example\.com, password \S+ \(shown this once\)$/);
  await command.line(/^API token: in \S+\/data\/api-token$/);
  await command.line(/^Open http:\/\/127\.0\.0\.1:\d+\/ in a browser\.$/);
  for (const format of ['hls', 'dash', 'mp4']) {
    const [, url] = await command.line(new RegExp(`^ +${format} +(http\\S+)$`));
    expect(await playbackErrors(url!)).toEqual([]);
  }
  expect(command.errors).toEqual([]);

  // the data folder is locked while this service runs
  const second = await refusal({ dataFolder });
  expect(second).toMatch(/^The data folder \S+ is in use by another instance: .+\.$/);

  command.child.kill('SIGINT');
  expect(await command.ended).toBe(0);
  await untilGone(dataFolder);
});

test('Ctrl-C during an encode ends every process within five seconds', async () => {
  const startedMs = performance.now();
  const service = await startService({ dataFolder, arguments_: [clip.file] });
  const tookMs = performance.now() - startedMs;
  await until(async () => (await processesOf(dataFolder)).some(({ command }) => command.startsWith('ffmpeg')));
  const stoppedMs = performance.now();
  service.child.kill('SIGINT');
  expect(await service.ended).toBe(0);
  expect(performance.now() - stoppedMs).toBeLessThan(longestStopMs(tookMs));
  expect(await processesOf(dataFolder)).toEqual([]);
});

test('a file that is not a video gives one sentence and a failing exit status', async () => {
  const file = join(folder, 'text.mp4');
  await writeFile(file, 'no video');
  // In the other data folder, a video is under way.
  const answer = await refusal({ dataFolder: join(folder, 'new'), arguments_: [file] });
  expect(answer).toMatch(/^\S+text\.mp4 failed: INPUT_NOT_MEDIA: [^\n]+\.$/);
});

test.each([
  ['a file that is not there', { arguments_: ['/nowhere/clip.mp4'] }, /^There is no file \/nowhere\/clip\.mp4: .+\.$/],
  ['an option that it does not know', { arguments_: ['--fast'] }, /'--fast'.+\.$/],
  ['a setting that cannot be', { env: { WORKERS: 'many' } }, /^WORKERS is a whole number .+\.$/],
])('%s gives one sentence and a failing exit status before anything starts', async (_, options, sentence) => {
  expect(await refusal({ dataFolder, ...options })).toMatch(sentence);
});

test('a port in use gives one sentence and a failing exit status', async () => {
  const server = createServer();
  const port = await listen(server, 0);
  expect(await refusal({ dataFolder, port })).toMatch(new RegExp(`^Port ${port} is in use: .+\\.$`));
  server.close();
});

test('a data folder that cannot be created gives one sentence and a failing exit status', async () => {
  await writeFile(join(folder, 'file'), '');
  expect(await refusal({ dataFolder: join(folder, 'file/data') })).toMatch(
    /^The data folder .+ cannot be written .+\.$/,
  );
});

test('an upload whose command was killed is continued by the same command, and makes one video', async () => {
  const client = await signUp(inject('apiUrl'));
  const template = await client.makeTemplate({ ladder: { codec: 'h264' }, outputs: [{ format: 'hls' }] });
  const file = join(folder, 'large.mp4');
  await writeFile(file, randomBytes(40 * 2 ** 20));
  const upload = () =>
    spawn(process.execPath, ['client/cli/main.ts', 'upload', file, '--template', template, '--json'], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: {
        ...process.env,
        XDG_STATE_HOME: join(folder, 'state'),
        XDG_CONFIG_HOME: folder,
        OPEN_VIDEO_SERVICE_URL: inject('apiUrl'),
        OPEN_VIDEO_SERVICE_TOKEN: client.token,
      },
    });
  const states = join(folder, 'state/open-video-service/uploads');
  const killed = upload();
  // The command stores its state after the service has created the upload.
  await until(async () => (await readdir(states).catch(() => [])).some((name) => name.endsWith('.json')));
  killed.kill('SIGKILL');
  await once(killed, 'close');
  const [state] = await Promise.all((await readdir(states)).map((name) => readFile(join(states, name), 'utf8')));

  const { ulid } = JSON.parse(await text(upload().stdout));
  expect(ulid).toBe(JSON.parse(state!).upload.ulid);
  await client.waitUntilDone(ulid).catch(() => {});
  expect((await client.get<{ data: unknown[] }>('/api/videos')).data).toMatchObject([{ ulid, name: 'large.mp4' }]);
  expect((await client.get<{ data: unknown[] }>('/api/uploads')).data).toEqual([]);
  expect(await readdir(states)).toEqual([]);
});

/** The stderr of a command that must fail. */
async function refusal(options: CommandOptions): Promise<string> {
  const command = await runCommand(options);
  expect(await command.ended).toBe(1);
  return command.errors.join('\n');
}
