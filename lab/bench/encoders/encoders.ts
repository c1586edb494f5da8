import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { lookaheadFrames } from '../../../encoder-task/ffmpeg/codecs/lookahead.ts';
import { videoEncoderArgs } from '../../../encoder-task/ffmpeg/codecs/video-encoder.ts';
import { measureCpu } from '../../../encoder-task/runtime/child-cpu.ts';
import { type EncoderPreset, encoderPresets, type VideoCodec, videoCodecs } from '../../../shared/media/codecs.ts';
import type { Rung } from '../../../shared/protocol/encode-spec.ts';
import { runOrThrow } from '../../../test/journey/support/ffmpeg.ts';
import { eachClip } from '../ladder/ladder.ts';
import { constantCurve } from '../ladder/rate-curves.ts';
import { xpsnr } from '../ladder/xpsnr.ts';
import { type Row, row } from '../row.ts';
import { type Build, type BuildChoice, openBuilds } from './builds.ts';
import { bytesDelta, cpuDelta, type Encode, sumOf } from './compare.ts';

export type EncoderChoice = BuildChoice & {
  /** all if there are none */
  codecs: VideoCodec[];
  /** names of the service, or numbers of the encoder; the names of the service if there are none */
  presets: string[];
  /** names of clips, or paths of files; all clips if there are none */
  wanted: string[];
  /** of all clips, evenly spread */
  clipCount?: number;
};

/** Of each clip. One GOP. */
const seconds = 2;
/** The shorter side at most. Larger frames take longer and say the same. */
const mostLines = 360;
/** That of templates which name none. Every encode is compared with it. */
const defaultPreset = 'medium';

/** A clip as the encoders get it: frames without compression, so that decoding costs hardly anything. */
type Source = { name: string; file: string; width: number; height: number; frames: number; frameRate: number };
type Setting = { build: Build; codec: VideoCodec; preset: string };

/**
 * CPU time, bytes and XPSNR of each preset of each encoder in several builds of ffmpeg, at four constant qualities of
 * each clip. All are compared with the default preset of the first build.
 */
export async function measureEncoders(choice: EncoderChoice): Promise<Row[]> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-encoders-'));
  try {
    const builds = await openBuilds(choice, folder);
    const settings = settingsOf(builds, choice);
    const encodes = new Map<Setting, Encode[]>(settings.map((setting) => [setting, []]));
    await eachClip(
      async ({ name }, file, inner) => {
        const source = await openSource(name, file, inner);
        for (const build of builds) {
          const emptySeconds = await cpuSecondsOf(build, source, ['-c:v', 'wrapped_avframe', '-f', 'null', '-']);
          for (const setting of settings.filter((each) => each.build === build)) {
            encodes.get(setting)!.push(...(await encodeClip(setting, source, { emptySeconds, folder: inner })));
          }
        }
      },
      choice.wanted,
      choice.clipCount,
    );
    return settings.flatMap((setting) => {
      const first = settings.find(({ codec }) => codec === setting.codec)!;
      return settingRows(setting, encodes.get(setting)!, encodes.get(first)!);
    });
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** What is measured of each codec; the default preset of the first build with the encoder comes first. */
function settingsOf(builds: Build[], { codecs, presets }: EncoderChoice): Setting[] {
  const names = new Set([defaultPreset, ...(presets.length > 0 ? presets : encoderPresets)]);
  return (codecs.length > 0 ? codecs : videoCodecs).flatMap((codec) =>
    builds
      .filter(({ encoders }) => encoders[codec] !== undefined)
      .flatMap((build) => [...names].map((preset) => ({ build, codec, preset }))),
  );
}

async function openSource(name: string, file: string, folder: string): Promise<Source> {
  const reference = join(folder, 'reference.nut');
  // even sizes, as the ladder has
  const scale = `scale='if(gt(iw,ih),-2,min(iw,${mostLines}))':'if(gt(iw,ih),min(ih,${mostLines}),-2)'`;
  await runOrThrow('ffmpeg', [
    ...['-i', file, '-t', String(seconds), '-an', '-vf', `${scale},format=yuv420p`],
    ...['-c:v', 'rawvideo', '-fps_mode', 'cfr', '-y', reference],
  ]);
  const { stdout } = await runOrThrow('ffprobe', [
    ...['-count_packets', '-select_streams', 'v:0', '-of', 'json'],
    ...['-show_entries', 'stream=width,height,r_frame_rate,nb_read_packets', reference],
  ]);
  const [stream] = JSON.parse(stdout.toString()).streams;
  const [numerator, denominator] = stream.r_frame_rate.split('/').map(Number);
  return {
    name,
    file: reference,
    width: stream.width,
    height: stream.height,
    frames: Number(stream.nb_read_packets),
    frameRate: numerator / denominator,
  };
}

async function cpuSecondsOf({ program }: Build, { file }: Source, args: string[]): Promise<number> {
  const { cpuSeconds } = await measureCpu(() =>
    promisify(execFile)(program, ['-v', 'error', '-nostdin', '-i', file, ...args], {
      env: { ...process.env, SVT_LOG: '1' },
    }),
  );
  return cpuSeconds;
}

/** @param emptySeconds of a run that encodes nothing, which is left out of the CPU time */
async function encodeClip(
  setting: Setting,
  source: Source,
  { emptySeconds, folder }: { emptySeconds: number; folder: string },
): Promise<Encode[]> {
  const encodes: Encode[] = [];
  for (const rung of constantCurve(rungOf(setting, source))) {
    const file = join(folder, `${rung.name}.mkv`);
    const args = [...encoderArgs(setting, rung, source), '-f', 'matroska', '-y', file];
    const cpuSeconds = Math.max(0, (await cpuSecondsOf(setting.build, source, args)) - emptySeconds);
    const { stdout } = await runOrThrow('ffprobe', ['-show_entries', 'packet=size', '-of', 'csv=p=0', file]);
    const bytes = sumOf(stdout.toString().trim().split('\n'), (size) => Number.parseInt(size, 10));
    const decibels = await xpsnr(file, source.file, source.frames);
    const encode = { clip: source.name, quality: rung.name, cpuSeconds, bytes, decibels };
    process.stderr.write(`${labelOf(setting)}: ${JSON.stringify(encode)}\n`);
    encodes.push(encode);
  }
  return encodes;
}

export const isPreset = (name: string): name is EncoderPreset => (encoderPresets as readonly string[]).includes(name);

function rungOf({ codec, preset }: Setting, { width, height }: Source): Rung {
  return {
    name: 'rung',
    codec,
    width,
    height,
    crop: null,
    pad: null,
    profile: null,
    level: null,
    preset: isPreset(preset) ? preset : defaultPreset,
    pixelFormat: 'yuv420p',
    rate: { mode: 'crf', crf: 0, maxBitrateBps: null, bufferBits: null },
  };
}

/** The arguments of the worker, with the number of a preset in the place of its own. */
function encoderArgs({ preset, build: { encoders } }: Setting, rung: Rung, { frameRate }: Source): string[] {
  const args = videoEncoderArgs(rung, {
    gopFrames: Math.round(seconds * frameRate),
    pass: null,
    hdr10: null,
    encoders,
    coreShare: availableParallelism(),
    lookahead: lookaheadFrames(rung, [rung]),
  });
  if (isPreset(preset)) return args;
  return args.map((arg, n) => (['-preset', '-cpu-used'].includes(args[n - 1] ?? '') ? preset : arg));
}

const labelOf = ({ build, codec, preset }: Setting): string => `${codec}, ${build.name}, ${preset}`;

function settingRows(setting: Setting, encodes: Encode[], first: Encode[]): Row[] {
  const name = labelOf(setting);
  const mean = (of: Encode[]): number => sumOf(of, ({ decibels }) => decibels) / of.length;
  const total = (of: Encode[], key: 'bytes' | 'cpuSeconds'): number => sumOf(of, (encode) => encode[key]);
  const percents = [
    { name: `${name}: bytes at equal XPSNR`, value: bytesDelta(first, encodes) },
    { name: `${name}: CPU at equal XPSNR`, value: cpuDelta(first, encodes) },
  ];
  return [
    row({ name: `${name}: CPU`, unit: 's', value: total(encodes, 'cpuSeconds'), baseline: total(first, 'cpuSeconds') }),
    row({
      name: `${name}: bytes`,
      unit: 'kB',
      value: total(encodes, 'bytes') / 1000,
      baseline: total(first, 'bytes') / 1000,
    }),
    row({ name: `${name}: XPSNR`, unit: 'dB', value: mean(encodes), baseline: mean(first) }),
    ...percents.flatMap((each) => (each.value === null ? [] : [row({ ...each, value: each.value, unit: '%' })])),
  ];
}
