import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type VideoCodec, videoCodecProperties, videoCodecs } from '../../shared/media/codecs.ts';
import type { Encoders } from '../../shared/protocol/jobs.ts';

/** How each encoder says its version: x264 in its stream, the others in their messages. */
const patterns: Record<VideoCodec, RegExp> = {
  h264: /x264 - core (\d+)/,
  hevc: /HEVC encoder version ([\w.+-]+)/,
  av1: /SVT-AV1 Encoder Lib v([\w.+-]+)/,
  vp9: /\[libvpx-vp9 @ \w+\] v([\w.+-]+)/,
};

const timeLimitMs = 30_000;

/** The encoders of this machine's ffmpeg, read once in a process. */
export const readEncoders = (): Promise<Encoders> => {
  encodersOfProcess ??= readEncodersOf('ffmpeg');
  return encodersOfProcess;
};

/** Empty when they cannot be read: arguments are then those that all versions take. */
export const knownEncoders = (): Promise<Encoders> => readEncoders().catch(() => ({}));

let encodersOfProcess: Promise<Encoders> | undefined;

/**
 * The encoders that an ffmpeg has, with their versions. One run encodes a small picture with all of them, since the
 * start of ffmpeg takes most of the CPU time: 0.15 s instead of 0.45 s for a run of each. Rejects when ffmpeg cannot be
 * run.
 */
export async function readEncodersOf(program: string): Promise<Encoders> {
  let codecs: VideoCodec[] = videoCodecs;
  for (;;) {
    const { text, unknown } = await encodePicture(program, codecs);
    if (unknown === undefined) return Object.fromEntries(await readVersions(program, codecs, text));
    const others = codecs.filter((codec) => videoCodecProperties[codec].encoder !== unknown);
    if (others.length === codecs.length) throw new Error(`ffmpeg does not know ${unknown}`);
    if (others.length === 0) return {};
    codecs = others;
  }
}

type Version = [VideoCodec, string];

/**
 * The encoders write at the same time, some of them a line in pieces, so that a line can have another one in it. One
 * whose version is not found is asked alone.
 */
const readVersions = (program: string, codecs: VideoCodec[], text: string): Promise<Version[]> =>
  Promise.all(
    codecs.map(async (codec): Promise<Version> => {
      const { encoder } = videoCodecProperties[codec];
      const version = versionIn(text, codec) ?? versionIn((await encodePicture(program, [codec])).text, codec);
      if (version === undefined) throw new Error(`${encoder} does not say its version`);
      return [codec, `${encoder} ${version}`];
    }),
  );

const versionIn = (text: string, codec: VideoCodec): string | undefined => patterns[codec].exec(text)?.[1];

/** What ffmpeg writes, or the first encoder that it does not have. */
async function encodePicture(program: string, codecs: VideoCodec[]): Promise<{ text: string; unknown?: string }> {
  const args = [
    ...['-hide_banner', '-nostdin', '-f', 'lavfi', '-i', 'color=s=64x64:r=1:d=1'],
    ...codecs.flatMap((codec) => [
      ...['-map', '0', '-pix_fmt', 'yuv420p', '-c:v', videoCodecProperties[codec].encoder],
      ...['-f', ...(codec === 'h264' ? ['h264', 'pipe:1'] : ['null', '-'])],
    ]),
  ];
  try {
    const { stdout, stderr } = await promisify(execFile)(program, args, {
      encoding: 'latin1',
      timeout: timeLimitMs,
      env: { PATH: process.env.PATH, LC_ALL: 'C', AV_LOG_FORCE_NOCOLOR: '1' },
    });
    return { text: `${stdout}${stderr}` };
  } catch (error) {
    const [, unknown] = /Unknown encoder '([\w-]+)'/.exec(String((error as { stderr?: string }).stderr)) ?? [];
    if (unknown === undefined) throw error;
    return { text: '', unknown };
  }
}
