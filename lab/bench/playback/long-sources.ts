import { rename, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runOrThrow } from '../../../test/journey/support/ffmpeg.ts';

export type LongSource = { name: string; file: string; durationSeconds: number };

const clipSeconds = 10;

/** Ten seconds of 1080p30, generated once per machine and kept in its temporary folder. */
const keepShort = (): Promise<string> =>
  keep('10s.mp4', (file) => [
    ...['-f', 'lavfi', '-i', 'testsrc2=s=1920x1080:r=30,noise=alls=8:allf=t'],
    ...['-f', 'lavfi', '-i', 'anoisesrc=a=0.2:r=48000'],
    ...['-t', String(clipSeconds), '-c:v', 'libx264', '-preset', 'superfast', '-b:v', '2M', '-g', '60'],
    ...['-pix_fmt', 'yuv420p', '-c:a', 'aac', '-b:a', '128k', '-ac', '2', '-movflags', '+faststart', file],
  ]);

async function keepRepeated(name: string, durationSeconds: number): Promise<string> {
  const clip = await keepShort();
  return keep(name, (file) => [
    ...['-stream_loop', String(durationSeconds / clipSeconds - 1), '-i', clip, '-c', 'copy'],
    ...(name.endsWith('.mp4') ? ['-movflags', '+faststart'] : []),
    file,
  ]);
}

/** The same ten seconds twelve times. */
export const keepTwoMinutes = (): Promise<string> => keepRepeated('120s.mp4', 120);

/** A source of ten seconds, and longer ones that repeat it: 2 GB. */
export async function keepLongSources(): Promise<
  Record<'short' | 'minutes' | 'medium' | 'matroska' | 'long', LongSource>
> {
  return {
    short: { name: '10 s MP4', file: await keepShort(), durationSeconds: clipSeconds },
    minutes: { name: '2 min MP4', file: await keepTwoMinutes(), durationSeconds: 120 },
    medium: { name: '10 min MP4', file: await keepRepeated('600s.mp4', 600), durationSeconds: 600 },
    matroska: { name: '10 min MKV', file: await keepRepeated('600s.mkv', 600), durationSeconds: 600 },
    long: { name: '2 h MP4', file: await keepRepeated('7200s.mp4', 7200), durationSeconds: 7200 },
  };
}

async function keep(name: string, args: (file: string) => string[]): Promise<string> {
  const file = join(tmpdir(), `video-service-bench-1080p30-2M-v1-${name}`);
  if (await stat(file).catch(() => undefined)) return file;
  const aside = file.replace(name, `${process.pid}-${name}`);
  await runOrThrow('ffmpeg', ['-y', ...args(aside)]);
  await rename(aside, file);
  return file;
}
