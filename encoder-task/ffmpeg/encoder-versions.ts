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

/**
 * The encoders that this machine's ffmpeg has, with their versions. Each encodes one small picture, which takes about
 * 60 ms of CPU time. Rejects when ffmpeg cannot be run.
 */
export const readEncoders = (): Promise<Encoders> => {
  encodersOfProcess ??= readAll();
  return encodersOfProcess;
};

let encodersOfProcess: Promise<Encoders> | undefined;

async function readAll(): Promise<Encoders> {
  const versions = await Promise.all(videoCodecs.map(async (codec) => [codec, await readVersion(codec)] as const));
  return Object.fromEntries(versions.filter(([, version]) => version !== undefined));
}

/** Undefined when ffmpeg does not have it. */
async function readVersion(codec: VideoCodec): Promise<string | undefined> {
  const picture = ['-f', 'lavfi', '-i', 'color=s=64x64:r=1:d=1', '-pix_fmt', 'yuv420p'];
  const { encoder } = videoCodecProperties[codec];
  const args = [...picture, '-c:v', encoder, '-f', codec === 'h264' ? 'h264' : 'null', '-'];
  try {
    const { stdout, stderr } = await promisify(execFile)('ffmpeg', ['-hide_banner', '-nostdin', ...args], {
      encoding: 'latin1',
      timeout: timeLimitMs,
      env: { PATH: process.env.PATH, LC_ALL: 'C', AV_LOG_FORCE_NOCOLOR: '1' },
    });
    const [, version] = patterns[codec].exec(`${stdout}${stderr}`) ?? [];
    if (version === undefined) throw new Error(`${encoder} does not say its version`);
    return `${encoder} ${version}`;
  } catch (error) {
    if (String((error as { stderr?: string }).stderr).includes('Unknown encoder')) return undefined;
    throw error;
  }
}
