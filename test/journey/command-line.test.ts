import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { listen } from '../../infra/local/server/listen.ts';
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
  expect(await refusal({ dataFolder, arguments_: [file] })).toMatch(/^\S+text\.mp4 failed: INPUT_NOT_MEDIA: [^\n]+\.$/);
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

/** The stderr of a command that must fail. */
async function refusal(options: CommandOptions): Promise<string> {
  const command = await runCommand(options);
  expect(await command.ended).toBe(1);
  return command.errors.join('\n');
}
