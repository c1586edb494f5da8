import { expect, test } from 'vitest';
import { type ChunkRun, encodeChunkArgs, firstPassArgs } from '../../../encoder-task/ffmpeg/encode-chunk.ts';
import type { VideoSource } from '../../../shared/protocol/encode-spec.ts';
import { smallRung } from '../support/plan.ts';

const source: VideoSource = {
  streamIndex: 0,
  formatName: 'mov,mp4',
  timeBase: { num: 1, den: 30_000 },
  displayWidth: 1920,
  displayHeight: 1080,
  interlaced: false,
  bitDepth: 8,
  colorPrimaries: 'bt709',
  colorTransfer: 'bt709',
  colorSpace: 'bt709',
  colorRange: 'tv',
  hdr10: null,
};

/** The second chunk of a source at 29.97 fps: frames 60 to 150 in segments of 60, decoded from 1.5 s on. */
const chunkRun: ChunkRun = {
  source,
  grid: {
    mode: 'passthrough',
    frameRate: { num: 30_000, den: 1001 },
    timescale: 30_000,
    ticksPerFrame: 1001,
    startTicks: 0,
    sourceStartSeconds: 0,
    gopFrames: 30,
    segmentFrames: 60,
  },
  chunk: {
    index: 1,
    startFrame: 60,
    endFrame: 150,
    startPts: 60_060,
    endPts: 150_150,
    seekSeconds: 1.5,
    untilByte: null,
  },
  rungs: [smallRung('v0', { width: 1280, height: 720, profile: 'high', level: '4.0' })],
  sourceUrl: 'http://127.0.0.1:1234/secret',
  asGrid: false,
  run: 1,
  cores: 4,
  encoders: {},
};

const graphOf = (args: string[]): string => args[args.indexOf('-filter_complex') + 1]!;
const argAfter = (args: string[], option: string): string | undefined => args[args.indexOf(option) + 1];

test('a chunk is cut at source ticks and numbered on the output clock', () => {
  expect(encodeChunkArgs(chunkRun)).toEqual([
    ...['-v', 'repeat+level+info'],
    ...['-protocol_whitelist', 'http,tcp', '-format_whitelist', expect.stringMatching(/^mov,matroska,mpegts,/)],
    ...[
      '-max_pixels',
      '35389440',
      '-reconnect',
      '1',
      '-reconnect_delay_max',
      '1',
      '-copyts',
      '-seek_timestamp',
      '1',
      '-noaccurate_seek',
      '-ss',
      '1.500000',
    ],
    ...['-reinit_filter', '0'],
    ...['-i', 'http://127.0.0.1:1234/secret', '-filter_complex'],
    [
      '[0:0]split[all][lead];[lead]trim=start_pts=45060,trim=end_frame=1,showinfo=checksum=0,nullsink;',
      '[all]trim=start_pts=60060:end_pts=150150,settb=1/30000,setpts=(N+60)*1001,',
      'fps=fps=30000/1001:round=near,settb=1/30000,split=1[s0];',
      '[s0]scale=1280:720:out_range=tv,setsar=1,format=yuv420p,setparams=range=tv:color_primaries=bt709:color_trc=bt709:colorspace=bt709[v0]',
    ].join(''),
    ...['-map', '[v0]', '-map_metadata', '-1', '-map_chapters', '-1'],
    ...['-fps_mode', 'passthrough', '-enc_time_base', '1:30000'],
    ...['-c:v', 'libx264', '-preset', 'superfast', '-crf', '18', '-maxrate', '2000000', '-bufsize', '2857142'],
    ...['-profile:v', 'high', '-level:v', '4.0', '-x264-params', 'threads=6:vbv-init=0.4:stitchable=1'],
    ...['-g', '30', '-keyint_min', '30', '-sc_threshold', '0', '-flags', '+cgop'],
    ...['-color_primaries', 'bt709', '-color_trc', 'bt709', '-colorspace', 'bt709', '-color_range', 'tv'],
    ...['-avoid_negative_ts', 'disabled'],
    ...['-f', 'hls', '-hls_segment_type', 'fmp4', '-hls_playlist_type', 'vod', '-hls_time', '1.993658'],
    ...[
      '-hls_flags',
      'temp_file',
      '-hls_segment_options',
      'movflags=+frag_discont+skip_sidx:video_track_timescale=30000',
      '-start_number',
      '1',
    ],
    ...['-hls_fmp4_init_filename', 'init.mp4', '-hls_segment_filename', 'v0/%05d.m4s', 'v0/list.m3u8'],
  ]);
});

test('a grid selects frames by time from the same origin in every chunk', () => {
  const grid = { ...chunkRun.grid, mode: 'grid' as const, startTicks: 3000, sourceStartSeconds: 1.4 };
  expect(graphOf(encodeChunkArgs({ ...chunkRun, grid, asGrid: true })).split(',split')[0]).toBe(
    [
      '[0:0]split[all][lead];[lead]trim=start_pts=45060,trim=end_frame=1,showinfo=checksum=0,nullsink;[all]settb=1/30000,setpts=PTS-42000,tpad=stop=1:stop_mode=clone',
      'fps=fps=30000/1001:round=near:eof_action=pass:start_time=2.002',
      'tpad=stop=-1:stop_mode=clone,trim=start_pts=60:end_pts=150,settb=1/30000,setpts=PTS+3000',
    ].join(','),
  );
});

test('a grid that leaves out frames divides them in the middle between two frames of the source', () => {
  const grid = { ...chunkRun.grid, mode: 'grid' as const, sourceStartSeconds: 1.4, pictureDelaySeconds: 0.01 };
  expect(graphOf(encodeChunkArgs({ ...chunkRun, grid, asGrid: true }))).toContain(',setpts=PTS-41700,');
});

test('the frames of each edit are shifted to its start', () => {
  const editShifts = [
    { frames: 50, shiftTicks: 0 },
    { frames: 40, shiftTicks: -1024 },
    { frames: 60, shiftTicks: 512 },
  ];
  expect(graphOf(encodeChunkArgs({ ...chunkRun, source: { ...source, editShifts } }))).toMatch(
    /^\[0:0\]setpts='PTS\+\(if\(lt\(N,50\),0,if\(lt\(N,90\),-1024,512\)\)\)',split\[all\]\[lead\];/,
  );
});

test('the first chunk is read from the start of the file', () => {
  const chunk = { ...chunkRun.chunk, seekSeconds: null };
  expect(encodeChunkArgs({ ...chunkRun, chunk })).not.toContain('-ss');
});

test('the source is decoded once for all rungs', () => {
  const rungs = [smallRung('v0'), smallRung('v1', { width: 80, height: 44 })];
  const args = encodeChunkArgs({ ...chunkRun, rungs });
  expect(args.filter((arg) => arg === '-i')).toHaveLength(1);
  expect(graphOf(args)).toContain('split=2[s0][s1];[s0]scale=160:90:');
  expect(args.filter((arg) => arg.endsWith('/list.m3u8'))).toEqual(['v0/list.m3u8', 'v1/list.m3u8']);
});

test('the crop is relative to the rotated frame, padding comes last', () => {
  const rungs = [smallRung('v0', { crop: { width: 1440, height: 1080 }, pad: { width: 200, height: 100 } })];
  expect(graphOf(encodeChunkArgs({ ...chunkRun, rungs }))).toMatch(
    /\[s0\]crop=w=iw\*1440\/1920:h=ih\*1080\/1080,scale=160:90:out_range=tv,setsar=1,pad=200:100:-1:-1,format=yuv420p,setparams=[^[]*\[v0\]$/,
  );
});

test('PQ is tone-mapped and tagged for 8 bits, and unchanged for 10 bits', () => {
  const hdr: VideoSource = {
    ...source,
    bitDepth: 10,
    colorPrimaries: 'bt2020',
    colorTransfer: 'smpte2084',
    colorSpace: 'bt2020nc',
  };
  const rungs = [smallRung('sdr'), smallRung('hdr', { codec: 'hevc', pixelFormat: 'yuv420p10le' })];
  const args = encodeChunkArgs({ ...chunkRun, source: hdr, rungs });
  const [, , , sdr, ten] = graphOf(args).split(';');
  expect(sdr).toContain('tonemap=tonemap=hable');
  expect(ten).not.toContain('tonemap');
  expect(args.flatMap((arg, n) => (arg === '-color_trc' ? [args[n + 1]] : []))).toEqual(['bt709', 'smpte2084']);
});

test('an invalid colour name of a file is in no argv', () => {
  const odd = { ...source, colorPrimaries: 'bt709 -f tee', colorTransfer: 'unknown', colorSpace: null };
  const args = encodeChunkArgs({ ...chunkRun, source: odd });
  expect(args.some((arg) => ['-color_primaries', '-color_trc', '-colorspace'].includes(arg))).toBe(false);
});

test('each interlaced frame becomes one progressive frame', () => {
  expect(graphOf(encodeChunkArgs({ ...chunkRun, source: { ...source, interlaced: true } }))).toContain(
    'end_pts=150150,bwdif=mode=send_frame:parity=auto:deint=interlaced,settb=',
  );
});

test('the first of two passes writes only statistics', () => {
  const rate = { mode: 'bitrate', bitrateBps: 1e6, maxBitrateBps: 2e6, bufferBits: 2e6, twoPass: true } as const;
  const rungs = [smallRung('v0', { rate }), smallRung('v1', { rate, codec: 'hevc' }), smallRung('v2')];
  const pass = (number: 1 | 2) =>
    new Map([
      ['v0', { number, statsFile: '/job/v0' }],
      ['v1', { number, statsFile: '/job/v1' }],
    ]);
  const first = firstPassArgs({ ...chunkRun, rungs }, pass(1));
  expect(first.filter((arg) => arg === 'null')).toHaveLength(2);
  expect(first).not.toContain('hls');
  expect(argAfter(first, '-passlogfile')).toBe('/job/v0');
  expect(argAfter(first, '-x265-params')).toContain('pass=1:stats=/job/v1.x265');
  const second = encodeChunkArgs({ ...chunkRun, rungs }, pass(2));
  expect(argAfter(second, '-pass')).toBe('2');
  expect(argAfter(second, '-x265-params')).toContain('pass=2:stats=/job/v1.x265');
});

test('VP9 has one tick per frame, unless the clock starts between two frames', () => {
  const tickFor = (startTicks: number) => {
    const grid = { ...chunkRun.grid, startTicks };
    return argAfter(
      encodeChunkArgs({ ...chunkRun, grid, rungs: [smallRung('v0', { codec: 'vp9' })] }),
      '-enc_time_base',
    );
  };
  expect([0, 3003, 700].map(tickFor)).toEqual(['1001:30000', '1001:30000', '1:30000']);
});
