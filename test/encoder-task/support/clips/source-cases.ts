import { writeFile } from 'node:fs/promises';
import { ffmpeg } from '../ffmpeg.ts';
import { changeFile, turnVideo, zeroMatrices } from './mp4.ts';

/** The expected output of a source. The beep is `beepLateSeconds` after the flash. */
export type Expected = {
  frames?: number;
  seconds?: number;
  /** of the audio, when audio and video do not start together */
  audioSeconds?: number;
  beepLateSeconds?: number;
  audioTracks?: number;
  hasVideo?: boolean;
  /** a part of one warning; by default there must be none */
  warning?: string;
};

export type SourceCase = Expected & { name: string; file: string; make: (path: string) => Promise<void> };

export const seconds = 9;
const signalSeconds = 6.2;

type VideoInput = { size?: string; rate?: string; filters?: string; inputArgs?: string[] };

/**
 * Nine seconds of black with a grey corner that shows the orientation, one white flash and one beep at the same time.
 */
function videoInput({ size = '160x90', rate = '25', filters, inputArgs = [] }: VideoInput = {}): string[] {
  const graph = [
    `color=black:s=${size}:r=${rate}:d=${seconds}`,
    'drawbox=w=iw/2:h=ih/2:color=0x606060:t=fill',
    `drawbox=color=white:t=fill:enable='between(t,${signalSeconds - 0.001},${signalSeconds + 0.1})'`,
    ...(filters ? [filters] : []),
  ];
  return [...inputArgs, '-f', 'lavfi', '-i', graph.join(',')];
}

function audioInput(layout = 'mono', inputArgs: string[] = []): string[] {
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
/** Makes a plain clip, then the source from it with the given arguments. */
const remade =
  (first: string[], args: (plain: string) => string[], plainName = '.plain.mp4') =>
  async (path: string): Promise<void> => {
    await ffmpeg(...first, path + plainName);
    await ffmpeg(...args(path + plainName), path);
  };
const plain = [...videoInput(), ...audioInput(), ...x264, '-bf', '2', ...aac];
const changed =
  (first: string[], change: (bytes: Buffer) => void) =>
  async (path: string): Promise<void> => {
    await ffmpeg(...first, path);
    await changeFile(path, change);
  };
const turnRight = (file: Buffer): void => turnVideo(file, 90);

export const containersAndCodecs: SourceCase[] = [
  { name: 'MP4, H.264 with B-frames, AAC', file: 'a.mp4', make: made(...plain) },
  {
    name: 'MOV, 10-bit HEVC, PCM',
    file: 'b.mov',
    make: made(
      ...[
        ...videoInput(),
        ...audioInput(),
        '-c:v',
        'libx265',
        '-preset',
        'ultrafast',
        '-x265-params',
        'log-level=error',
      ],
      ...['-pix_fmt', 'yuv420p10le', '-tag:v', 'hvc1', '-c:a', 'pcm_s16le'],
    ),
  },
  {
    name: 'M4V, MPEG-4 part 2',
    file: 'c.m4v',
    make: made(...videoInput(), ...audioInput(), '-c:v', 'mpeg4', '-bf', '2', ...aac),
  },
  { name: 'Matroska, FLAC', file: 'd.mkv', make: made(...videoInput(), ...audioInput(), ...x264, '-c:a', 'flac') },
  {
    name: 'WebM, VP8, Vorbis',
    file: 'e.webm',
    make: made(
      ...videoInput(),
      ...audioInput(),
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
    name: 'WebM, VP9, Opus',
    file: 'f.webm',
    make: made(
      ...videoInput(),
      ...audioInput(),
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
    name: 'Matroska, AV1, Opus',
    file: 'g.mkv',
    make: made(
      ...videoInput(),
      ...audioInput(),
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
    // ffmpeg's muxer writes an empty entry for the second frame
    frames: 226,
    make: made(...videoInput(), ...audioInput(), '-c:v', 'mpeg4', '-c:a', 'libmp3lame'),
  },
  {
    name: 'AVI, Motion JPEG, PCM',
    file: 'i.avi',
    make: made(...videoInput(), ...audioInput(), '-c:v', 'mjpeg', '-pix_fmt', 'yuvj420p', '-c:a', 'pcm_s16le'),
  },
  {
    name: 'MPEG-TS that starts at ten hours, AC-3',
    file: 'j.ts',
    make: made(...videoInput(), ...audioInput(), ...x264, '-c:a', 'ac3', '-output_ts_offset', '37489'),
  },
  {
    name: 'MTS of a camcorder',
    file: 'k.mts',
    make: made(...videoInput(), ...audioInput(), ...x264, '-c:a', 'ac3', '-f', 'mpegts', '-mpegts_m2ts_mode', '1'),
  },
  {
    name: 'MPEG program stream, MPEG-2, MP2',
    file: 'l.mpg',
    make: made(...videoInput(), ...audioInput(), '-c:v', 'mpeg2video', '-bf', '2', '-c:a', 'mp2'),
  },
  { name: 'FLV, H.264', file: 'm.flv', make: made(...videoInput(), ...audioInput(), ...x264, '-ar', '44100', ...aac) },
  {
    name: 'FLV, Sorenson, MP3',
    file: 'n.flv',
    make: made(...videoInput(), ...audioInput(), '-c:v', 'flv', '-ar', '44100', '-c:a', 'libmp3lame'),
  },
  {
    name: '3GP, H.263',
    file: 'o.3gp',
    make: made(...videoInput({ size: '176x144', rate: '15' }), ...audioInput(), '-c:v', 'h263', ...aac),
    frames: 135,
  },
  // ASF starts the pictures 43 ms after the sound
  {
    name: 'WMV',
    file: 'p.wmv',
    frames: 226,
    make: made(...videoInput(), ...audioInput(), '-c:v', 'wmv2', '-c:a', 'wmav2'),
  },
  {
    name: 'MXF, MPEG-2, PCM',
    file: 'q.mxf',
    make: made(...videoInput(), ...audioInput(), '-c:v', 'mpeg2video', '-bf', '2', '-c:a', 'pcm_s16le'),
  },
  {
    // noise, because the encoder drops repeated frames
    name: 'Ogg, Theora, Vorbis',
    file: 'r.ogv',
    make: made(
      ...videoInput({ filters: 'noise=alls=8:allf=t' }),
      ...audioInput(),
      '-c:v',
      'libtheora',
      '-c:a',
      'libvorbis',
    ),
  },
  { name: 'GIF', file: 's.gif', make: made(...videoInput()), audioTracks: 0 },
  {
    name: 'MOV, ProRes, 24-bit PCM',
    file: 't.mov',
    make: made(...videoInput(), ...audioInput(), '-c:v', 'prores_ks', '-c:a', 'pcm_s24le'),
  },
  {
    name: 'DV',
    file: 'u.dv',
    make: made(
      ...videoInput({ size: '720x576' }),
      ...audioInput('stereo'),
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

export const oddFrames: SourceCase[] = [
  {
    name: '29.97 frames per second',
    file: 'ntsc.mp4',
    make: made(...videoInput({ rate: '30000/1001' }), ...audioInput(), ...x264, ...aac),
    frames: 270,
  },
  {
    name: 'interlaced',
    file: 'interlaced.ts',
    audioTracks: 0,
    make: made(
      ...videoInput({ rate: '50', filters: 'interlace' }),
      '-c:v',
      'mpeg2video',
      '-flags',
      '+ilme+ildct',
      '-bf',
      '2',
    ),
  },
  {
    name: 'interlaced H.264',
    file: 'mbaff.mp4',
    make: made(
      ...videoInput({ size: '192x108', rate: '50', filters: 'interlace' }),
      ...audioInput(),
      ...x264,
      '-flags',
      '+ilme+ildct',
      ...aac,
    ),
  },
  ...([90, 180, 270] as const).map((degrees) => ({
    name: `turned by ${degrees}°`,
    file: `turned-${degrees}.mp4`,
    make: changed(plain, (file) => turnVideo(file, degrees)),
  })),
  { name: 'with a matrix of zeros', file: 'zeros.mp4', make: changed(plain, zeroMatrices) },
  {
    name: 'a rotated phone video with a variable frame rate',
    file: 'phone.mov',
    frames: undefined,
    make: changed(
      [
        ...videoInput({ rate: '60', filters: "select='not(mod(n,3))+gt(n,300)*not(mod(n,2))'" }),
        ...audioInput(),
        ...x264,
        '-fps_mode',
        'passthrough',
        ...aac,
      ],
      turnRight,
    ),
  },
  {
    name: 'anamorphic',
    file: 'wide.mpg',
    make: made(...videoInput({ filters: 'setsar=16/11' }), ...audioInput(), '-c:v', 'mpeg2video', '-c:a', 'mp2'),
  },
  {
    name: 'anamorphic and rotated',
    file: 'wide-turned.mp4',
    make: changed([...videoInput({ filters: 'setsar=4/3' }), ...audioInput(), ...x264, ...aac], turnRight),
  },
  {
    name: 'an odd frame size',
    file: 'odd.mkv',
    make: made(
      ...videoInput({ size: '161x91' }),
      ...audioInput(),
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
    name: 'an odd frame size in 4:4:4',
    file: 'odd444.mp4',
    make: made(...videoInput({ size: '161x91' }), ...audioInput(), ...x264, '-pix_fmt', 'yuv444p', ...aac),
  },
  {
    name: 'in RGB with transparency',
    file: 'rgba.mov',
    make: made(...videoInput(), ...audioInput(), '-c:v', 'qtrle', '-pix_fmt', 'argb', ...aac),
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
    name: 'an open GOP in MPEG-TS',
    file: 'open.ts',
    make: made(
      ...videoInput(),
      ...audioInput(),
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
  {
    name: 'one key frame',
    file: 'one-key.mp4',
    make: made(...videoInput(), ...audioInput(), ...x264, '-g', '9999', ...aac),
  },
  {
    name: 'one key frame in MPEG-TS',
    file: 'one-key.ts',
    make: made(...videoInput(), ...audioInput(), ...x264, '-g', '9999', ...aac),
  },
  {
    name: 'video that starts late',
    file: 'late-video.mp4',
    make: made(...videoInput({ inputArgs: ['-itsoffset', '0.7'] }), ...audioInput(), ...x264, ...aac),
    seconds: 9.7,
    audioSeconds: 9,
    beepLateSeconds: -0.7,
  },
  {
    name: 'audio that starts late',
    file: 'late-audio.mkv',
    make: made(...videoInput(), ...audioInput('mono', ['-itsoffset', '0.7']), ...x264, ...aac),
    seconds: 9.7,
    audioSeconds: 9,
    beepLateSeconds: 0.7,
  },
  {
    name: 'variable frame rate with gaps',
    file: 'holes.mkv',
    frames: undefined,
    make: made(
      ...videoInput({ rate: '30', filters: "select='not(between(t,2,3.5))*not(mod(n+gt(n,100)*n,2))'" }),
      ...audioInput(),
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
      ...videoInput(),
      ...audioInput(),
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
    // without an edit list, the delay of the encoder for B-frames is at the start
    name: 'fragments without an index',
    file: 'fragments.mp4',
    frames: 227,
    make: made(...plain, '-movflags', 'frag_keyframe+empty_moov'),
  },
  {
    name: 'fragments after samples in moov',
    file: 'hybrid.mp4',
    frames: 227,
    make: made(...plain, '-movflags', 'frag_keyframe'),
  },
  {
    name: 'a declared duration of a hundred hours',
    file: 'lie.mp4',
    warning: 'declares a duration',
    make: changed(plain, (bytes) => {
      // mvhd: after version, flags, two times and the timescale
      bytes.writeUInt32BE(360_000 * 1000, bytes.indexOf('mvhd', 0, 'latin1') + 20);
      bytes.writeUInt32BE(360_000 * 1000, bytes.indexOf('tkhd', 0, 'latin1') + 24);
    }),
  },
] as SourceCase[];

export const oddTracks: SourceCase[] = [
  { name: 'no audio', file: 'silent.mp4', make: made(...videoInput(), ...x264), audioTracks: 0 },
  { name: 'audio only', file: 'song.m4a', make: made(...audioInput('stereo'), ...aac), hasVideo: false },
  {
    name: 'audio with a cover image',
    file: 'cover.mp3',
    hasVideo: false,
    make: remade(
      ['-f', 'lavfi', '-i', 'testsrc2=s=64x64:d=1', '-frames:v', '1'],
      (cover) => [
        ...[
          ...audioInput('stereo'),
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
    name: 'video with a cover image',
    file: 'covered.mp4',
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
    name: 'several video and audio tracks, audio first',
    file: 'many.mp4',
    audioTracks: 2,
    make: remade(plain, (file) => [
      ...['-i', file, '-map', '0:a', '-map', '0:v', '-map', '0:a', '-map', '0:v', '-c', 'copy'],
      ...['-metadata:s:a:0', 'language=ger', '-metadata:s:a:1', 'language=eng'],
    ]),
  },
  {
    name: 'subtitles, chapters and data',
    file: 'extras.mkv',
    audioTracks: 2,
    make: async (path) => {
      await writeFile(`${path}.srt`, '1\n00:00:00,500 --> 00:00:08,000\nHello\n');
      await writeFile(`${path}.txt`, ';FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1\nSTART=0\nEND=5\ntitle=One\n');
      await ffmpeg(
        ...videoInput(),
        ...audioInput('stereo'),
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
  { name: '5.1', file: 'surround.mp4', make: made(...videoInput(), ...audioInput('5.1'), ...x264, ...aac) },
  { name: '7.1', file: 'surround71.mkv', make: made(...videoInput(), ...audioInput('7.1'), ...x264, '-c:a', 'flac') },
  {
    name: 'six channels without a layout',
    file: 'no-layout.mov',
    make: made(
      ...videoInput(),
      ...audioInput('5.1'),
      ...x264,
      '-af',
      'channelmap=map=0|1|2|3|4|5:channel_layout=6c',
      '-c:a',
      'pcm_s16le',
    ),
  },
  {
    name: 'audio at 8,000 samples per second',
    file: 'telephone.mkv',
    make: made(...videoInput(), ...audioInput(), ...x264, '-c:a', 'pcm_alaw', '-ar', '8000'),
  },
] as SourceCase[];
