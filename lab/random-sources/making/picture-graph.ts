import { formatRational } from '../../../shared/media/rational.ts';
import { pixelFormatOf, videoCodecs } from '../description/containers.ts';
import type { Colours, Shape, Turn, VideoTrack } from '../description/source.ts';

/** A picture shows its number as this many black or white bars in its upper half, the lowest bit first. */
export const numberBits = 10;
/** The lower half, from left to right. */
export const patches = [
  [200, 30, 30],
  [30, 160, 60],
  [40, 60, 200],
  [128, 128, 128],
] as const;
/** In a picture with alpha, this patch is transparent. */
export const transparentPatch = 1;

/** Two columns of the drawing are a bar, five a patch. */
const [columns, rows] = [numberBits * 2, 4];

/** Frames of a track, from number `from` to before `to`. */
export type Part = { from: number; to: number; shape: Shape };

/** A lavfi graph of the frames of a track. It draws few pixels and enlarges them. */
export function pictureGraph(track: VideoTrack, { from, to, shape }: Part): string {
  const { hasAlpha = false } = videoCodecs[track.codec];
  const drawn = [0, 1, 2].map((channel) => `${'rgb'[channel]}='if(lt(Y,2),${bars(track, from)},${patch(channel)})'`);
  const alpha = hasAlpha ? [`a='if(lt(Y,2),255,${between(transparentPatch, '0', '255')})'`] : [];
  const { width, height, sampleAspectRatio } = shape;
  const scale = `scale=${width}:${height}:flags=neighbor`;
  return [
    `color=black:s=${columns}x${rows}:r=${formatRational(track.rate)}`,
    `trim=end_frame=${to - from}`,
    `format=${hasAlpha ? 'gbrap' : 'gbrp'}`,
    `geq=${[...drawn, ...alpha].join(':')}`,
    `select='${shownFrames(track, from, to)}'`,
    [scale, ...conversion(track)].join(':'),
    `format=${pixelFormatOf(track)}`,
    `setsar=${formatRational(sampleAspectRatio)}`,
    ...turnedBack[track.turn],
    ...(track.colours === 'rgb' ? [] : [tagFrames(track.colours)]),
  ].join(',');
}

/** Filters from an upright picture to the stored one, with the shape of its pixels. */
const turnedBack: Record<Turn, readonly string[]> = {
  0: [],
  90: ['transpose=cclock'],
  180: ['hflip', 'vflip'],
  270: ['transpose=clock'],
};

const bars = ({ firstNumber }: VideoTrack, from: number): string =>
  `255*mod(floor((N+${firstNumber + from})/pow(2,floor(X/2))),2)`;

const patch = (channel: number): string => {
  const [first, second, third, fourth] = patches.map((colour) => colour[channel]);
  return `if(lt(X,5),${first},if(lt(X,10),${second},if(lt(X,15),${third},${fourth})))`;
};
const between = (index: number, inside: string, outside: string): string =>
  `if(between(X,${index * 5},${index * 5 + 4}),${inside},${outside})`;

/** Runs of consecutive frames, counted from the start of the part. */
function shownFrames({ numbers }: VideoTrack, from: number, to: number): string {
  const runs: [number, number][] = [];
  for (const number of numbers.filter((one) => one >= from && one < to)) {
    const last = runs.at(-1);
    if (last?.[1] === number - 1 - from) last[1] += 1;
    else runs.push([number - from, number - from]);
  }
  return runs.map(([first, last]) => `between(n,${first},${last})`).join('+');
}

/** `space` is the tag of the matrix where that is not called like the primaries. */
type Tags = { matrix: string; tags: string; space?: string; transfer: string; range: string };
const bt2020 = { matrix: 'bt2020', tags: 'bt2020', space: 'bt2020nc', range: 'tv' };
const stored: Record<Exclude<Colours, 'rgb'>, Tags> = {
  bt709: { matrix: 'bt709', tags: 'bt709', transfer: 'bt709', range: 'tv' },
  bt601: { matrix: 'bt601', tags: 'smpte170m', transfer: 'smpte170m', range: 'tv' },
  'full range': { matrix: 'bt709', tags: 'bt709', transfer: 'bt709', range: 'pc' },
  pq: { ...bt2020, transfer: 'smpte2084' },
  hlg: { ...bt2020, transfer: 'arib-std-b67' },
  // players take a video of few lines for BT.601
  untagged: { matrix: 'bt601', tags: 'unknown', transfer: 'unknown', range: 'unknown' },
};

function conversion(track: VideoTrack): string[] {
  const { colours } = track;
  if (colours === 'rgb') return [];
  const isFullRange = colours === 'full range' || pixelFormatOf(track).startsWith('yuvj');
  return [`out_color_matrix=${stored[colours].matrix}`, `out_range=${isFullRange ? 'pc' : 'tv'}`];
}

/** ffmpeg 7 writes the tags of the frames, ffmpeg 5 those of `tagOptions`. */
function tagFrames(colours: Exclude<Colours, 'rgb'>): string {
  const { tags, space = tags, transfer, range } = stored[colours];
  return `setparams=colorspace=${space}:color_primaries=${tags}:color_trc=${transfer}:range=${range}`;
}

export function tagOptions(colours: Colours, track: number): string[] {
  if (colours === 'rgb' || colours === 'untagged') return [];
  const { tags, space = tags, transfer, range } = stored[colours];
  return [
    ...[`-colorspace:${track}`, space, `-color_primaries:${track}`, tags],
    ...[`-color_trc:${track}`, transfer, `-color_range:${track}`, range],
  ];
}
