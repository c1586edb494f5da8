import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { changeFile, turnVideo } from '../../../test/encoder-task/support/clips/mp4.ts';
import { runOrThrow } from '../../../test/journey/support/ffmpeg.ts';
import { audioCodecs, containers, pixelFormatOf, videoCodecs } from '../description/containers.ts';
import {
  type AudioTrack,
  mainVideo,
  type Source,
  secondsOf,
  type TextTrack,
  type VideoTrack,
} from '../description/source.ts';
import { pictureGraph, tagOptions } from './picture-graph.ts';
import { toneGraph } from './tone-graph.ts';

/** Makes the file of a source in its own folder, and resolves with its path. */
export async function makeSource(source: Source, folder: string): Promise<string> {
  const inputs: string[] = [];
  const outputs: string[] = [];
  for (const [index, track] of source.tracks.entries()) {
    if (track.type === 'video') {
      inputs.push(...(await videoInput(track, join(folder, `part-${index}`))));
      outputs.push(...videoOutput(source, track, index));
    } else if (track.type === 'audio') {
      inputs.push('-itsoffset', String(track.startSeconds), '-f', 'lavfi', '-i', toneGraph(track));
      outputs.push(...audioOutput(track, index));
    } else {
      const file = join(folder, `${index}.srt`);
      await writeFile(file, subtitleText(track));
      inputs.push('-i', file);
      outputs.push(...textOutput(source, track, index));
    }
  }
  const file = join(folder, `source.${source.container}`);
  await runOrThrow('ffmpeg', [
    ...['-nostdin', '-y', ...inputs],
    ...source.tracks.flatMap((_, index) => ['-map', String(index)]),
    ...['-fps_mode', 'passthrough', ...outputs, ...muxer(source), file],
  ]);
  const { turn = 0 } = mainVideo(source) ?? {};
  if (turn !== 0) await changeFile(file, (bytes) => turnVideo(bytes, turn));
  return file;
}

/** The frames of a track. Those of two shapes are encoded one after the other, since an encoder has one. */
async function videoInput(track: VideoTrack, part: string): Promise<string[]> {
  const { numbers, shape, change, rate, startSeconds } = track;
  const offset = ['-itsoffset', String(startSeconds)];
  const after = numbers.at(-1)! + 1;
  if (!change) return [...offset, '-f', 'lavfi', '-i', pictureGraph(track, { from: 0, to: after, shape })];
  const parts = [
    { from: 0, to: change.atNumber, shape },
    { from: change.atNumber, to: after, shape: change.shape },
  ];
  const list: string[] = [];
  for (const [n, one] of parts.entries()) {
    const file = `${part}-${n}.${track.codec === 'h264' ? 'ts' : 'webm'}`;
    const encoded = [...encoder(track, 0), '-fps_mode', 'passthrough', file];
    await runOrThrow('ffmpeg', ['-nostdin', '-y', '-f', 'lavfi', '-i', pictureGraph(track, one), ...encoded]);
    list.push(`file '${file}'`, `duration ${secondsOf(one.to - one.from, rate)}`);
  }
  await writeFile(`${part}.txt`, `${list.join('\n')}\n`);
  return [...offset, '-f', 'concat', '-safe', '0', '-i', `${part}.txt`];
}

function encoder(track: VideoTrack, index: number): string[] {
  const { codec, keyFrameEvery, bFrames, colours } = track;
  return [
    ...[`-c:${index}`, ...videoCodecs[codec].encoder, `-pix_fmt:${index}`, pixelFormatOf(track)],
    ...[`-g:${index}`, String(keyFrameEvery), `-threads:${index}`, '1'],
    ...(bFrames > 0 || codec === 'h264' ? [`-bf:${index}`, String(bFrames)] : []),
    ...tagOptions(colours, index),
  ];
}

function videoOutput({ container, timescale }: Source, track: VideoTrack, index: number): string[] {
  const isIso = container === 'mp4' || container === 'mov';
  return [
    ...(track.change ? [`-c:${index}`, 'copy'] : encoder(track, index)),
    ...(track.codec === 'hevc' && isIso ? [`-tag:${index}`, 'hvc1'] : []),
    ...(timescale !== null && isIso ? ['-video_track_timescale', String(timescale)] : []),
    ...disposition(index, [
      ...(track.isDefault ? ['default'] : []),
      ...(track.role === 'cover' ? ['attached_pic'] : []),
    ]),
  ];
}

const audioOutput = ({ codec, language, isDefault, role }: AudioTrack, index: number): string[] => [
  ...[`-c:${index}`, ...audioCodecs[codec].encoder, ...languageTag(index, language)],
  ...disposition(index, [
    ...(isDefault ? ['default'] : []),
    ...(role === 'description' ? ['visual_impaired'] : []),
    ...(role === 'commentary' ? ['comment'] : []),
  ]),
];

const textOutput = ({ container }: Source, track: TextTrack, index: number): string[] => [
  ...[`-c:${index}`, containers[container].textCodec!, ...languageTag(index, track.language)],
  ...disposition(index, [...(track.isDefault ? ['default'] : []), ...(track.isForced ? ['forced'] : [])]),
];

const languageTag = (index: number, language: string | null): string[] =>
  language === null ? [] : [`-metadata:s:${index}`, `language=${language}`];
const disposition = (index: number, flags: string[]): string[] => [`-disposition:${index}`, flags.join('+') || '0'];

function muxer({ container, tracks, clockSeconds }: Source): string[] {
  const programs = new Set(tracks.flatMap((track) => (track.type === 'text' ? [] : [track.program])));
  const members = (program: number): string =>
    tracks
      .flatMap((track, index) => (track.type !== 'text' && track.program === program ? [`st=${index}`] : []))
      .join(':');
  return [
    ...(programs.size > 1 ? [...programs].flatMap((one) => ['-program', `program_num=${one}:${members(one)}`]) : []),
    ...(clockSeconds === 0 ? [] : ['-output_ts_offset', String(clockSeconds)]),
    ...(container === 'mpg' ? ['-f', 'mpeg'] : []),
  ];
}

const time = (seconds: number): string => `00:00:0${seconds.toFixed(3).replace('.', ',')}`;

/** SubRip of two sentences, or of the positions of a drone ten times a second. */
function subtitleText({ isTelemetry, language }: TextTrack): string {
  const count = isTelemetry ? 20 : 2;
  const seconds = isTelemetry ? 0.1 : 0.9;
  const text = (n: number): string =>
    isTelemetry
      ? `F/2.8, SS 640.0, ISO 100, EV 0, GPS (8.5${410 + n}, 47.3${769 + n}, 18), D 24.1m, H 6.0m, H.S 3.2m/s, V.S 0.1m/s`
      : `Sentence ${n + 1} in ${language}.`;
  return Array.from({ length: count }, (_, n) =>
    [n + 1, `${time(n * seconds)} --> ${time((n + 1) * seconds - 0.01)}`, text(n), ''].join('\n'),
  ).join('\n');
}
