import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { checkMedia } from '../../encoder-task/verify/check-media.ts';
import { type TemplateQuery, templateQuerySchema } from '../../functions/templates/template-query.ts';
import { audioCodecProperties } from '../../shared/media/codecs.ts';
import { contrastsInput } from '../encoder-task/support/clips.ts';
import type { Client, Stream, Video } from '../journey/support/client.ts';
import { run, runOrThrow } from '../journey/support/ffmpeg.ts';
import type { OptionRow } from './option-rows.ts';

const contents = 3;
const sourceRate = 10;
/** A ladder has two rungs for the larger one. */
const sizes: Record<string, string> = { ladder: '426x240' };
const usualSize = '256x144';

/** The source of a row: at least three segments, each of another content, since a chunk has at least one. */
export type RowSource = { shape: string; partSeconds: number };
export const sourceOf = ({ shape, query }: OptionRow): RowSource => ({
  shape,
  partSeconds: Math.max(6, ...queryOf(query).outputs.map((output) => output.segment_duration ?? 0)),
});
const sourceSeconds = (row: OptionRow): number => contents * sourceOf(row).partSeconds;
const queryOf = (query: OptionRow['query']): TemplateQuery => templateQuerySchema.parse(query);

/**
 * A source with something for every option: three contents, H.264 that can be copied, 5.1 in English, stereo in German,
 * and German subtitles.
 */
export async function makeSource(folder: string, { shape, partSeconds }: RowSource): Promise<string> {
  const subtitles = join(folder, 'german.srt');
  await writeFile(subtitles, '1\n00:00:01,000 --> 00:00:03,000\nGuten Tag\n');
  const file = join(folder, `${shape}-${partSeconds}.mp4`);
  const size = sizes[shape] ?? usualSize;
  await runOrThrow('ffmpeg', [
    ...['-y', ...contrastsInput({ size, seconds: partSeconds, rate: sourceRate })],
    ...['-f', 'lavfi', '-i', `sine=d=${contents * partSeconds}:r=48000`, '-i', subtitles, '-filter_complex'],
    '[1]asplit[a][b];[a]aformat=channel_layouts=5.1[six];[b]aformat=channel_layouts=stereo[two]',
    ...['-map', '0', '-map', '[six]', '-map', '[two]', '-map', '2', '-pix_fmt', 'yuv420p'],
    ...['-c:v', 'libx264', '-preset', 'ultrafast', '-profile:v', 'high', '-bf', '2', '-g', String(sourceRate)],
    ...['-b:v', '1M', '-c:a', 'aac', '-c:s', 'mov_text', '-metadata:s:a:0', 'language=eng'],
    ...['-metadata:s:a:1', 'language=deu', '-metadata:s:s:0', 'language=deu', file],
  ]);
  return file;
}

type Sources = {
  sources: { url: string }[];
  poster_url: string | null;
  storyboard_url: string | null;
  preview_url: string | null;
  thumbnails: { url: string }[];
};
type Jobs = { summary: { kind: string; total: number }[] };
export type RowResult = { problems: string[]; chunks: number };

/** Sends a source with the template of a row through the service, and checks everything that viewers get. */
export async function runRow(client: Client, row: OptionRow, file: string): Promise<RowResult> {
  const { query } = row;
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
  const { outputs, ...asked } = queryOf(query);
  const problems = unlikeTemplate(video, { outputs, ...asked }, sourceSeconds(row));
  const encoded = video.streams.some(({ type, meta }) => type === 'video' && !(meta as VideoMeta).copied);
  if (encoded && chunks < contents) problems.push(`has ${chunks} chunks`);
  if (answer.sources.length !== video.outputs.length) problems.push(`${answer.sources.length} outputs can be played`);
  for (const [n, { url }] of answer.sources.entries()) {
    const hasVideo = video.streams.some(({ type }) => type === 'video') && outputs[n]?.video?.length !== 0;
    const decoding = (await decodeErrors(url)).filter((line) => hasVideo || !isFirstSoundPacket(line));
    const found = [...decoding, ...(await checkMedia(url)).problems];
    const [late, others] = [found.filter(isLateIndex), found.filter((problem) => !isLateIndex(problem))];
    problems.push(...others);
    if (late.length > 0 !== (outputs[n]?.faststart === false)) problems.push(late[0] ?? 'the index precedes the media');
  }
  const images = answer.thumbnails.map(({ url }) => url);
  for (const url of [answer.poster_url, answer.storyboard_url, answer.preview_url, ...images]) {
    if (url !== null) problems.push(...(await checkMedia(url)).problems);
  }
  return { problems, chunks };
}

/** What `faststart: false` asks for. */
const isLateIndex = (problem: string): boolean => problem.endsWith('has its index after the media');

/**
 * ffmpeg's HLS reader gives the first two packets of a playlist of MPEG-TS with sound alone the same time, also in
 * playlists that ffmpeg wrote.
 */
const isFirstSoundPacket = (line: string): boolean =>
  /non monotonically increasing dts to muxer in stream 0: (\d+) >= \1$/.test(line);

/**
 * Messages of a decoder that plays all video and audio. Without -copyts, ffmpeg 5 moves times where it guesses
 * discontinuities, as it does in MPEG-TS with 5 frames a second.
 */
async function decodeErrors(url: string): Promise<string[]> {
  const tracks = ['-map', '0:v?', '-map', '0:a?'];
  const { stderr, exitCode } = await run('ffmpeg', ['-xerror', '-copyts', '-i', url, ...tracks, '-f', 'null', '-']);
  const lines = stderr.split('\n').filter(Boolean);
  return exitCode === 0 || lines.length > 0 ? lines : [`ffmpeg ended with ${exitCode}`];
}

/** What the streams have that the template did not ask for. */
function unlikeTemplate({ streams }: Video, query: TemplateQuery, seconds: number): string[] {
  return streams.flatMap((stream) => {
    if (stream.type === 'original' || stream.type === 'muxed') return [];
    const wrong = stream.type === 'video' ? unlikeVideo(stream, query) : unlikeAudio(stream, query);
    const { duration } = stream.meta as { duration: number };
    if (Math.abs(duration - seconds) > 0.3) wrong.push(`lasts ${duration} s`);
    return wrong.map((what) => `${stream.name} ${what}`);
  });
}

type VideoMeta = { profile: string; level: string; frame_rate: number; pixel_format: string; copied?: true };

/** Names of profiles in the words of ffprobe. */
const profileNames: Record<string, RegExp> = {
  baseline: /Baseline/,
  main: /^Main$/,
  high: /^High$/,
  main10: /^Main 10$/,
  profile0: /^Profile 0$/,
  profile2: /^Profile 2$/,
};
/** x264 writes the profile of the tools that it uses. This preset uses none of those that the others need. */
const isBaseline = ({ codec, preset }: { codec: string; preset: string }): boolean =>
  codec === 'h264' && preset === 'ultrafast';

/** Of H.264 and HEVC. Higher ones become this one. */
const highestLevel = 6.2;

function unlikeVideo({ name, width, height, meta }: Stream, { video, ladder }: TemplateQuery): string[] {
  const wrong: string[] = [];
  const entry = video.find((one) => one.name === name);
  const { profile, fps } = entry ?? ladder ?? {};
  const profileName = isBaseline(entry ?? ladder!) ? profileNames.baseline : profileNames[profile ?? ''];
  const { pixel_format: pixelFormat, level, width: boxWidth, height: boxHeight } = entry ?? {};
  const has = meta as VideoMeta;
  // A copy may be simpler than what is asked for.
  if (profile && !has.copied && !profileName!.test(has.profile)) wrong.push(`has the profile ${has.profile}`);
  const leastLevel = Math.min(Number(level), highestLevel);
  if (level && !has.copied && Number(has.level) < leastLevel) wrong.push(`has the level ${has.level}`);
  if (fps && has.frame_rate > fps + 0.001) wrong.push(`has ${has.frame_rate} frames a second`);
  if (pixelFormat && has.pixel_format !== pixelFormat) wrong.push(`has the pixel format ${has.pixel_format}`);
  // boxes are those of landscape pictures, and are turned for others
  const [long, short] = Number(height) > Number(width) ? [height, width] : [width, height];
  if (boxWidth && Number(long) > boxWidth) wrong.push(`is ${width} × ${height} pixels large`);
  if (boxHeight && Number(short) > boxHeight) wrong.push(`is ${width} × ${height} pixels large`);
  return wrong;
}

function unlikeAudio({ name, channels, meta }: Stream, { audio }: TemplateQuery): string[] {
  // An entry for several languages makes a stream of each, whose names begin with its own.
  const entry = audio.find((one) => name === one.name || name.startsWith(`${one.name}-`));
  if (!entry) return [`belongs to no entry of the template`];
  const wrong: string[] = [];
  const { sample_rate: rate, loudness } = meta as { sample_rate: number; loudness?: number };
  const wanted = audioCodecProperties[entry.codec].fixedSampleRateHz ?? entry.sample_rate;
  if (rate !== wanted) wrong.push(`has a sample rate of ${rate}`);
  if (Number(channels) > entry.channels) wrong.push(`has ${channels} channels`);
  if (entry.loudness !== null && loudness === undefined) wrong.push('has no measured loudness');
  return wrong;
}
