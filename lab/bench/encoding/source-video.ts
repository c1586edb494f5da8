import { rename, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runOrThrow } from '../../../test/journey/support/ffmpeg.ts';

/** A minute of 1080p30 with motion, noise and audio. Generated once per machine and kept in its temporary folder. */
export const keepSourceVideo = (): Promise<string> =>
  keep('60s', [
    ...['-f', 'lavfi', '-i', 'testsrc2=s=1920x1080:r=30,noise=alls=8:allf=t'],
    ...['-f', 'lavfi', '-i', 'anoisesrc=a=0.2:r=48000'],
    ...['-t', '60', '-c:v', 'libx264', '-preset', 'superfast', '-b:v', '12M', '-g', '120', '-pix_fmt', 'yuv420p'],
    ...['-c:a', 'aac', '-b:a', '128k', '-ac', '2'],
  ]);

/** That minute four times. */
export async function keepFourMinutes(): Promise<string> {
  return keep('240s', ['-stream_loop', '3', '-i', await keepSourceVideo(), '-c', 'copy']);
}

async function keep(length: string, args: string[]): Promise<string> {
  const file = join(tmpdir(), `video-service-bench-1080p30-${length}-v1.mp4`);
  if (await stat(file).catch(() => undefined)) return file;
  const aside = `${file}.${process.pid}.mp4`;
  await runOrThrow('ffmpeg', ['-y', ...args, '-movflags', '+faststart', aside]);
  await rename(aside, file);
  return file;
}
