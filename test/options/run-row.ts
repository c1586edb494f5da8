import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { checkMedia } from '../../encoder-task/verify/check-media.ts';
import { type TemplateQuery, templateQuerySchema } from '../../functions/templates/template-query.ts';
import { audioCodecFacts } from '../../shared/media/codecs.ts';
import { contrastsInput } from '../encoder-task/support/clips.ts';
import type { Client, Stream, Video } from '../journey/support/client.ts';
import { run, runOrThrow } from '../journey/support/ffmpeg.ts';
import type { OptionRow } from './option-rows.ts';

const partSeconds = 6;
const sourceSeconds = 3 * partSeconds;
const sourceRate = 10;
/** A ladder has two rungs for the larger one. */
const sizes: Record<string, string> = { ladder: '426x240' };
const usualSize = '256x144';

/**
 * A source with something for every option: three contents, H.264 that can be copied, 5.1 in English, stereo in German,
 * and German subtitles.
 */
export async function makeSource(folder: string, shape: string): Promise<string> {
  const subtitles = join(folder, 'german.srt');
  await writeFile(subtitles, '1\n00:00:01,000 --> 00:00:03,000\nGuten Tag\n');
  const file = join(folder, `${shape}.mp4`);
  const size = sizes[shape] ?? usualSize;
  await runOrThrow('ffmpeg', [
    ...['-y', ...contrastsInput({ size, seconds: partSeconds, rate: sourceRate })],
    ...['-f', 'lavfi', '-i', `sine=d=${sourceSeconds}:r=48000`, '-i', subtitles, '-filter_complex'],
    '[1]asplit[a][b];[a]aformat=channel_layouts=5.1[six];[b]aformat=channel_layouts=stereo[two]',
    ...['-map', '0', '-map', '[six]', '-map', '[two]', '-map', '2', '-pix_fmt', 'yuv420p'],
    ...['-c:v', 'libx264', '-preset', 'ultrafast', '-profile:v', 'high', '-bf', '2', '-g', String(sourceRate)],
    ...['-b:v', '1M', '-c:a', 'aac', '-c:s', 'mov_text', '-metadata:s:a:0', 'language=eng'],
    ...['-metadata:s:a:1', 'language=deu', '-metadata:s:s:0', 'language=deu', file],
  ]);
  return file;
}

type Sources = { sources: { url: string }[]; poster_url: string | null; storyboard_url: string | null };
type Jobs = { summary: { kind: string; total: number }[] };
export type RowResult = { problems: string[]; chunks: number };

/** Sends a source with the template of a row through the service, and checks everything that viewers get. */
export async function runRow(client: Client, { query }: OptionRow, file: string): Promise<RowResult> {
  const ulid = await client.upload({ file, template: await client.makeTemplate(query), partBytes: 2 ** 24 });
  const video = await client.waitUntilDone(ulid);
  const { summary } = await client.get<Jobs>(`/api/videos/${ulid}/jobs`);
  const chunks = summary.find(({ kind }) => kind === 'encode-video')?.total ?? 0;
  const failed = [...video.outputs, ...video.streams].filter(({ status }) => status !== 'completed');
  if (video.status !== 'completed' || failed.length > 0) {
    const reasons = new Set(failed.map(({ name, error_log }) => `${name}: ${error_log}`));
    return { problems: [`${video.status}, ${[...reasons].join('; ')}`], chunks };
  }
  const answer = await client.get<Sources>(`/api/videos/${ulid}/sources`);
  const problems = unlikeTemplate(video, templateQuerySchema.parse(query));
  if (answer.sources.length !== video.outputs.length) problems.push(`${answer.sources.length} outputs can be played`);
  for (const { url } of answer.sources) problems.push(...(await decodeErrors(url)));
  for (const url of [...answer.sources.map((source) => source.url), answer.poster_url, answer.storyboard_url]) {
    if (url !== null) problems.push(...(await checkMedia(url)).problems);
  }
  return { problems, chunks };
}

/** Messages of a decoder that plays all video and audio. */
async function decodeErrors(url: string): Promise<string[]> {
  const tracks = ['-map', '0:v?', '-map', '0:a?'];
  const { stderr, exitCode } = await run('ffmpeg', ['-xerror', '-i', url, ...tracks, '-f', 'null', '-']);
  const lines = stderr.split('\n').filter(Boolean);
  return exitCode === 0 || lines.length > 0 ? lines : [`ffmpeg ended with ${exitCode}`];
}

/** What the streams have that the template did not ask for. */
function unlikeTemplate({ streams }: Video, query: TemplateQuery): string[] {
  return streams.flatMap((stream) => {
    if (stream.type === 'original' || stream.type === 'muxed') return [];
    const wrong = stream.type === 'video' ? unlikeVideo(stream, query) : unlikeAudio(stream, query);
    const { duration } = stream.meta as { duration: number };
    if (Math.abs(duration - sourceSeconds) > 0.3) wrong.push(`lasts ${duration} s`);
    return wrong.map((what) => `${stream.name} ${what}`);
  });
}

type VideoMeta = { profile: string; level: string; frame_rate: number; pixel_format: string; copied?: true };

/** Names of profiles in the words of ffprobe. */
const profileNames: Record<string, RegExp> = {
  ...{ baseline: /Baseline/, main: /^Main$/, high: /^High$/, main10: /^Main 10$/ },
  ...{ profile0: /^Profile 0$/, profile2: /^Profile 2$/ },
};

function unlikeVideo({ name, width, height, meta }: Stream, { video, ladder }: TemplateQuery): string[] {
  const wrong: string[] = [];
  const entry = video.find((one) => one.name === name);
  const { profile, fps } = entry ?? ladder ?? {};
  const { pixel_format: pixelFormat, level, width: boxWidth, height: boxHeight } = entry ?? {};
  const has = meta as VideoMeta;
  // A copy may be simpler than what is asked for.
  if (profile && !has.copied && !profileNames[profile]!.test(has.profile)) wrong.push(`has the profile ${has.profile}`);
  if (level && !has.copied && Number(has.level) < Number(level)) wrong.push(`has the level ${has.level}`);
  if (fps && has.frame_rate > fps + 0.001) wrong.push(`has ${has.frame_rate} frames a second`);
  if (pixelFormat && has.pixel_format !== pixelFormat) wrong.push(`has the pixel format ${has.pixel_format}`);
  if (boxWidth && Number(width) > boxWidth) wrong.push(`is ${width} pixels wide`);
  if (boxHeight && Number(height) > boxHeight) wrong.push(`is ${height} pixels high`);
  return wrong;
}

function unlikeAudio({ name, channels, meta }: Stream, { audio }: TemplateQuery): string[] {
  // An entry for several languages makes a stream of each, whose names begin with its own.
  const entry = audio.find((one) => name === one.name || name.startsWith(`${one.name}-`));
  if (!entry) return [`belongs to no entry of the template`];
  const wrong: string[] = [];
  const { sample_rate: rate, loudness } = meta as { sample_rate: number; loudness?: number };
  const wanted = audioCodecFacts[entry.codec].fixedSampleRateHz ?? entry.sample_rate;
  if (rate !== wanted) wrong.push(`has a sample rate of ${rate}`);
  if (Number(channels) > entry.channels) wrong.push(`has ${channels} channels`);
  if (entry.loudness !== null && loudness === undefined) wrong.push('has no measured loudness');
  return wrong;
}
