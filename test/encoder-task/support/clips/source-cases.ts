import { readFile, writeFile } from 'node:fs/promises';
import { ffmpeg } from '../ffmpeg.ts';
import { zeroMatrices } from './mp4.ts';

/** What is to become of a source. Frames and seconds are of the output; the beep comes `beepLateSeconds` after the flash. */
export type Expected = {
  frames?: number;
  seconds?: number;
  /** of the sound alone, where picture and sound do not start together */
  soundSeconds?: number;
  beepLateSeconds?: number;
  audioTracks?: number;
  hasVideo?: boolean;
  /** a part of one of the warnings; without it there may be none */
  warning?: string;
};

export type SourceCase = Expected & { name: string; file: string; make: (path: string) => Promise<void> };

export const seconds = 9;
const signalSeconds = 6.2;

type Picture = { size?: string; rate?: string; filters?: string; inputArgs?: string[] };

/** Nine seconds of black with a grey corner that tells up from down, one white flash and one beep at the same time. */
function picture({ size = '160x90', rate = '25', filters, inputArgs = [] }: Picture = {}): string[] {
  const graph = [
    `color=black:s=${size}:r=${rate}:d=${seconds}`,
    'drawbox=w=iw/2:h=ih/2:color=0x606060:t=fill',
    `drawbox=color=white:t=fill:enable='between(t,${signalSeconds - 0.001},${signalSeconds + 0.1})'`,
    ...(filters ? [filters] : []),
  ];
  return [...inputArgs, '-f', 'lavfi', '-i', graph.join(',')];
}

function sound(layout = 'mono', inputArgs: string[] = []): string[] {
  const beep = `if(between(t,${signalSeconds},${signalSeconds}+0.1),sin(2*PI*1000*t),0)`;
  const channels = { mono: 1, stereo: 2, '5.1': 6, '7.1': 8 }[layout] ?? 1;
  return [
    ...[...inputArgs, '-f', 'lavfi', '-i'],
    `aevalsrc='${Array(channels).fill(beep).join('|')}':c=${layout}:s=48000:d=${seconds}`,
  ];
}

const x264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-g', '50'];
const aac = ['-c:a', 'aac'];
const made =
  (...args: string[]) =>
  async (path: string): Promise<void> => {
    await ffmpeg(...args, path);
  };
/** A plain clip first, which the arguments then make another of. */
const remade =
  (first: string[], args: (plain: string) => string[], plainName = '.plain.mp4') =>
  async (path: string): Promise<void> => {
    await ffmpeg(...first, path + plainName);
    await ffmpeg(...args(path + plainName), path);
  };
const plain = [...picture(), ...sound(), ...x264, '-bf', '2', ...aac];
const changed =
  (first: string[], change: (bytes: Buffer) => void) =>
  async (path: string): Promise<void> => {
    await ffmpeg(...first, path);
    const bytes = await readFile(path);
    change(bytes);
    await writeFile(path, bytes);
  };

export const containersAndCodecs: SourceCase[] = [
  { name: 'MP4, H.264 with B-frames, AAC', file: 'a.mp4', make: made(...plain) },
  {
    ...{ name: 'MOV, HEVC in ten bits, PCM', file: 'b.mov' },
    make: made(
      ...[...picture(), ...sound(), '-c:v', 'libx265', '-preset', 'ultrafast', '-x265-params', 'log-level=error'],
      ...['-pix_fmt', 'yuv420p10le', '-tag:v', 'hvc1', '-c:a', 'pcm_s16le'],
    ),
  },
  {
    name: 'M4V, MPEG-4 part 2',
    file: 'c.m4v',
    make: made(...picture(), ...sound(), '-c:v', 'mpeg4', '-bf', '2', ...aac),
  },
  { name: 'Matroska, FLAC', file: 'd.mkv', make: made(...picture(), ...sound(), ...x264, '-c:a', 'flac') },
  {
    ...{ name: 'WebM, VP8, Vorbis', file: 'e.webm' },
    make: made(
      ...picture(),
      ...sound(),
      '-c:v',
      'libvpx',
      '-deadline',
      'realtime',
      '-cpu-used',
      '8',
      '-c:a',
      'libvorbis',
    ),
  },
  {
    ...{ name: 'WebM, VP9, Opus', file: 'f.webm' },
    make: made(
      ...picture(),
      ...sound(),
      '-c:v',
      'libvpx-vp9',
      '-deadline',
      'realtime',
      '-cpu-used',
      '8',
      '-c:a',
      'libopus',
    ),
  },
  {
    ...{ name: 'Matroska, AV1, Opus', file: 'g.mkv' },
    make: made(
      ...picture(),
      ...sound(),
      '-c:v',
      'libaom-av1',
      '-cpu-used',
      '8',
      '-usage',
      'realtime',
      '-c:a',
      'libopus',
    ),
  },
  {
    name: 'AVI, MPEG-4, MP3',
    file: 'h.avi',
    // ffmpeg's muxer leaves the place of the second frame empty
    frames: 226,
    make: made(...picture(), ...sound(), '-c:v', 'mpeg4', '-c:a', 'libmp3lame'),
  },
  {
    ...{ name: 'AVI, Motion JPEG, PCM', file: 'i.avi' },
    make: made(...picture(), ...sound(), '-c:v', 'mjpeg', '-pix_fmt', 'yuvj420p', '-c:a', 'pcm_s16le'),
  },
  {
    ...{ name: 'MPEG-TS that begins after ten hours, AC-3', file: 'j.ts' },
    make: made(...picture(), ...sound(), ...x264, '-c:a', 'ac3', '-output_ts_offset', '37489'),
  },
  {
    ...{ name: 'MTS of a camcorder', file: 'k.mts' },
    make: made(...picture(), ...sound(), ...x264, '-c:a', 'ac3', '-f', 'mpegts', '-mpegts_m2ts_mode', '1'),
  },
  {
    name: 'MPEG program stream, MPEG-2, MP2',
    file: 'l.mpg',
    make: made(...picture(), ...sound(), '-c:v', 'mpeg2video', '-bf', '2', '-c:a', 'mp2'),
  },
  { name: 'FLV, H.264', file: 'm.flv', make: made(...picture(), ...sound(), ...x264, '-ar', '44100', ...aac) },
  {
    name: 'FLV, Sorenson, MP3',
    file: 'n.flv',
    make: made(...picture(), ...sound(), '-c:v', 'flv', '-ar', '44100', '-c:a', 'libmp3lame'),
  },
  {
    ...{ name: '3GP, H.263', file: 'o.3gp' },
    make: made(...picture({ size: '176x144', rate: '15' }), ...sound(), '-c:v', 'h263', ...aac),
    frames: 135,
  },
  { name: 'WMV', file: 'p.wmv', make: made(...picture(), ...sound(), '-c:v', 'wmv2', '-c:a', 'wmav2') },
  {
    ...{ name: 'MXF, MPEG-2, PCM', file: 'q.mxf' },
    make: made(...picture(), ...sound(), '-c:v', 'mpeg2video', '-bf', '2', '-c:a', 'pcm_s16le'),
  },
  {
    // noise, since frames that repeat are left out of the file
    name: 'Ogg, Theora, Vorbis',
    file: 'r.ogv',
    make: made(...picture({ filters: 'noise=alls=8:allf=t' }), ...sound(), '-c:v', 'libtheora', '-c:a', 'libvorbis'),
  },
  { name: 'GIF', file: 's.gif', make: made(...picture()), audioTracks: 0 },
  {
    ...{ name: 'MOV, ProRes, 24-bit PCM', file: 't.mov' },
    make: made(...picture(), ...sound(), '-c:v', 'prores_ks', '-c:a', 'pcm_s24le'),
  },
  {
    ...{ name: 'DV', file: 'u.dv' },
    make: made(
      ...picture({ size: '720x576' }),
      ...sound('stereo'),
      '-c:v',
      'dvvideo',
      '-pix_fmt',
      'yuv420p',
      '-c:a',
      'pcm_s16le',
      '-t',
      '9',
    ),
  },
];

export const oddPictures: SourceCase[] = [
  {
    name: '29.97 frames a second',
    file: 'ntsc.mp4',
    make: made(...picture({ rate: '30000/1001' }), ...sound(), ...x264, ...aac),
    frames: 270,
  },
  {
    ...{ name: 'interlaced', file: 'interlaced.ts', audioTracks: 0 },
    make: made(
      ...picture({ rate: '50', filters: 'interlace' }),
      '-c:v',
      'mpeg2video',
      '-flags',
      '+ilme+ildct',
      '-bf',
      '2',
    ),
  },
  {
    ...{ name: 'interlaced H.264', file: 'mbaff.mp4' },
    make: made(
      ...picture({ size: '192x108', rate: '50', filters: 'interlace' }),
      ...sound(),
      ...x264,
      '-flags',
      '+ilme+ildct',
      ...aac,
    ),
  },
  ...[90, 180, 270].map((degrees) => ({
    name: `turned by ${degrees}°`,
    file: `turned-${degrees}.mp4`,
    make: remade(plain, (file) => ['-i', file, '-c', 'copy', '-metadata:s:v:0', `rotate=${degrees}`]),
  })),
  { name: 'with a matrix of zeros', file: 'zeros.mp4', make: changed(plain, zeroMatrices) },
  {
    ...{ name: 'a phone held upright, at varying rate', file: 'phone.mov', frames: undefined },
    make: remade(
      [
        ...picture({ rate: '60', filters: "select='not(mod(n,3))+gt(n,300)*not(mod(n,2))'" }),
        ...sound(),
        ...x264,
        '-fps_mode',
        'passthrough',
        ...aac,
      ],
      (file) => ['-i', file, '-c', 'copy', '-metadata:s:v:0', 'rotate=90'],
    ),
  },
  {
    name: 'anamorphic',
    file: 'wide.mpg',
    make: made(...picture({ filters: 'setsar=16/11' }), ...sound(), '-c:v', 'mpeg2video', '-c:a', 'mp2'),
  },
  {
    ...{ name: 'anamorphic and turned', file: 'wide-turned.mp4' },
    make: remade([...picture({ filters: 'setsar=4/3' }), ...sound(), ...x264, ...aac], (file) => [
      ...['-i', file, '-c', 'copy', '-metadata:s:v:0', 'rotate=90'],
    ]),
  },
  {
    name: 'of odd size',
    file: 'odd.mkv',
    make: made(
      ...picture({ size: '161x91' }),
      ...sound(),
      '-c:v',
      'libvpx-vp9',
      '-deadline',
      'realtime',
      '-cpu-used',
      '8',
      ...aac,
    ),
  },
  {
    name: 'of odd size in 4:4:4',
    file: 'odd444.mp4',
    make: made(...picture({ size: '161x91' }), ...sound(), ...x264, '-pix_fmt', 'yuv444p', ...aac),
  },
  {
    name: 'in RGB with transparency',
    file: 'rgba.mov',
    make: made(...picture(), ...sound(), '-c:v', 'qtrle', '-pix_fmt', 'argb', ...aac),
  },
].map((each) => ({ ...each })) as SourceCase[];

export const oddTimes: SourceCase[] = [
  {
    name: 'cut between key frames by an edit list',
    file: 'edit.mp4',
    make: remade(plain, (file) => ['-ss', '1.28', '-i', file, '-c', 'copy']),
    frames: 193,
    seconds: 7.72,
  },
  {
    ...{ name: 'an open GOP in MPEG-TS', file: 'open.ts' },
    make: made(
      ...picture(),
      ...sound(),
      '-c:v',
      'libx264',
      '-preset',
      'superfast',
      '-pix_fmt',
      'yuv420p',
      '-x264-params',
      'open-gop=1:keyint=30:bframes=3',
      ...aac,
    ),
  },
  { name: 'one key frame', file: 'one-key.mp4', make: made(...picture(), ...sound(), ...x264, '-g', '9999', ...aac) },
  {
    name: 'one key frame in MPEG-TS',
    file: 'one-key.ts',
    make: made(...picture(), ...sound(), ...x264, '-g', '9999', ...aac),
  },
  {
    name: 'video that begins late',
    file: 'late-video.mp4',
    make: made(...picture({ inputArgs: ['-itsoffset', '0.7'] }), ...sound(), ...x264, ...aac),
    seconds: 9.7,
    soundSeconds: 9,
    beepLateSeconds: -0.7,
  },
  {
    name: 'audio that begins late',
    file: 'late-audio.mkv',
    make: made(...picture(), ...sound('mono', ['-itsoffset', '0.7']), ...x264, ...aac),
    seconds: 9.7,
    soundSeconds: 9,
    beepLateSeconds: 0.7,
  },
  {
    ...{ name: 'varying rate with holes', file: 'holes.mkv', frames: undefined },
    make: made(
      ...picture({ rate: '30', filters: "select='not(between(t,2,3.5))*not(mod(n+gt(n,100)*n,2))'" }),
      ...sound(),
      ...x264,
      '-fps_mode',
      'passthrough',
      ...aac,
    ),
  },
  {
    name: 'no duration, as of a live recording',
    file: 'live.webm',
    make: made(
      ...picture(),
      ...sound(),
      '-c:v',
      'libvpx',
      '-deadline',
      'realtime',
      '-cpu-used',
      '8',
      '-c:a',
      'libopus',
      '-live',
      '1',
    ),
  },
  {
    name: 'fragments without an index',
    file: 'fragments.mp4',
    make: made(...plain, '-movflags', 'frag_keyframe+empty_moov'),
  },
  { name: 'fragments after samples in moov', file: 'hybrid.mp4', make: made(...plain, '-movflags', 'frag_keyframe') },
  {
    ...{ name: 'a declared duration of a hundred hours', file: 'lie.mp4', warning: 'declares a duration' },
    make: changed(plain, (bytes) => {
      // mvhd: version, flags, two times and the timescale come first
      bytes.writeUInt32BE(360_000 * 1000, bytes.indexOf('mvhd', 0, 'latin1') + 20);
      bytes.writeUInt32BE(360_000 * 1000, bytes.indexOf('tkhd', 0, 'latin1') + 24);
    }),
  },
] as SourceCase[];

export const oddTracks: SourceCase[] = [
  { name: 'no audio', file: 'silent.mp4', make: made(...picture(), ...x264), audioTracks: 0 },
  { name: 'audio only', file: 'song.m4a', make: made(...sound('stereo'), ...aac), hasVideo: false },
  {
    ...{ name: 'audio with a cover', file: 'cover.mp3', hasVideo: false },
    make: remade(
      ['-f', 'lavfi', '-i', 'testsrc2=s=64x64:d=1', '-frames:v', '1'],
      (cover) => [
        ...[
          ...sound('stereo'),
          '-i',
          cover,
          '-map',
          '0',
          '-map',
          '1',
          '-c:v',
          'copy',
          '-disposition:v',
          'attached_pic',
        ],
      ],
      '.jpg',
    ),
  },
  {
    ...{ name: 'a video with a cover', file: 'covered.mp4' },
    make: async (path) => {
      await ffmpeg('-f', 'lavfi', '-i', 'testsrc2=s=64x64:d=1', '-frames:v', '1', `${path}.jpg`);
      await ffmpeg(...plain, `${path}.plain.mp4`);
      await ffmpeg(
        '-i',
        `${path}.plain.mp4`,
        '-i',
        `${path}.jpg`,
        '-map',
        '1',
        '-map',
        '0',
        '-c',
        'copy',
        '-disposition:v:0',
        'attached_pic',
        path,
      );
    },
  },
  {
    ...{ name: 'several video and audio tracks, audio first', file: 'many.mp4', audioTracks: 2 },
    make: remade(plain, (file) => [
      ...['-i', file, '-map', '0:a', '-map', '0:v', '-map', '0:a', '-map', '0:v', '-c', 'copy'],
      ...['-metadata:s:a:0', 'language=ger', '-metadata:s:a:1', 'language=eng'],
    ]),
  },
  {
    ...{ name: 'subtitles, chapters and data beside it', file: 'extras.mkv', audioTracks: 2 },
    make: async (path) => {
      await writeFile(`${path}.srt`, '1\n00:00:00,500 --> 00:00:08,000\nHello\n');
      await writeFile(`${path}.txt`, ';FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1\nSTART=0\nEND=5\ntitle=One\n');
      await ffmpeg(
        ...picture(),
        ...sound('stereo'),
        '-i',
        `${path}.srt`,
        '-f',
        'ffmetadata',
        '-i',
        `${path}.txt`,
        '-map',
        '0',
        '-map',
        '1',
        '-map',
        '1',
        '-map',
        '2',
        ...x264,
        ...aac,
        path,
      );
    },
  },
  { name: 'a timecode track', file: 'timecode.mov', make: made(...plain, '-timecode', '01:00:00:00') },
  { name: '5.1', file: 'surround.mp4', make: made(...picture(), ...sound('5.1'), ...x264, ...aac) },
  { name: '7.1', file: 'surround71.mkv', make: made(...picture(), ...sound('7.1'), ...x264, '-c:a', 'flac') },
  {
    ...{ name: 'six channels without a layout', file: 'no-layout.mov' },
    make: made(
      ...picture(),
      ...sound('5.1'),
      ...x264,
      '-af',
      'channelmap=map=0|1|2|3|4|5:channel_layout=6c',
      '-c:a',
      'pcm_s16le',
    ),
  },
  {
    name: 'sound of 8,000 samples a second',
    file: 'telephone.mkv',
    make: made(...picture(), ...sound(), ...x264, '-c:a', 'pcm_alaw', '-ar', '8000'),
  },
] as SourceCase[];
