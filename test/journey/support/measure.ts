import { run, runOrThrow } from './ffmpeg.ts';
import { beepOffsetSeconds, frameRate, numberBits, stripShare } from './source-clip.ts';

/** A decoded frame: the number drawn into it, and when it is shown. */
export type Frame = { number: number; seconds: number };

export type Track = { index: number; type: 'video' | 'audio'; codec: string; width: number; height: number };

const audioRateHz = 48_000;
const samplesPerMs = audioRateHz / 1000;

/** ffmpeg's messages when it decodes every track of a file or manifest to the end. */
export async function playbackErrors(url: string): Promise<string[]> {
  const { stderr, exitCode } = await run('ffmpeg', ['-xerror', '-i', url, '-map', '0', '-f', 'null', '-']);
  const lines = stderr.split('\n').filter(Boolean);
  return exitCode === 0 || lines.length > 0 ? lines : [`ffmpeg ended with ${exitCode}`];
}

export async function tracks(url: string): Promise<Track[]> {
  const { stdout } = await runOrThrow('ffprobe', [
    ...['-show_entries', 'stream=index,codec_type,codec_name,width,height', '-of', 'json', url],
  ]);
  type Probed = { index: number; codec_type: Track['type']; codec_name: string; width?: number; height?: number };
  const { streams } = JSON.parse(stdout.toString()) as { streams: Probed[] };
  return streams.map(({ index, codec_type: type, codec_name: codec, width = 0, height = 0 }) => {
    return { index, type, codec, width, height };
  });
}

/** The duration that a player shows. For a DASH manifest ffprobe gives whole seconds only. */
export async function durationSeconds(url: string): Promise<number> {
  if (url.endsWith('.mpd')) {
    const manifest = await (await fetch(url)).text();
    return Number(/mediaPresentationDuration="PT([\d.]+)S"/.exec(manifest)?.[1]);
  }
  const { stdout } = await runOrThrow('ffprobe', ['-show_entries', 'format=duration', '-of', 'csv=p=0', url]);
  return Number(stdout.toString());
}

/** Every frame of the rendition with this height, in presentation order. */
export async function frames(url: string, height: number): Promise<Frame[]> {
  const track = (await tracks(url)).find((candidate) => candidate.height === height);
  if (!track) throw new Error(`${url} has no video of ${height} lines`);
  const { stdout, side } = await runOrThrow('ffmpeg', [
    ...['-copyts', '-i', url, '-filter_complex'],
    `[0:${track.index}]crop=iw:ih*${stripShare}*0.8:0:0,scale=${numberBits}:1:flags=area,format=gray,split[picture][time]`,
    ...['-map', '[picture]', '-fps_mode', 'passthrough', '-f', 'rawvideo', 'pipe:1'],
    ...['-map', '[time]', '-fps_mode', 'passthrough', '-enc_time_base', '1:90000', '-f', 'framecrc', 'pipe:3'],
  ]);
  return shownSeconds(side).map((seconds, n) => {
    return { number: drawnNumber(stdout.subarray(n * numberBits, (n + 1) * numberBits)), seconds };
  });
}

/** Start times of the beeps in the first audio track, to the millisecond. */
export async function beeps(url: string): Promise<number[]> {
  const { stdout } = await runOrThrow('ffmpeg', [
    ...['-copyts', '-i', url, '-map', '0:a:0', '-af', `aresample=${audioRateHz}:async=1:first_pts=0`],
    ...['-ac', '1', '-f', 's16le', 'pipe:1'],
  ]);
  const loudness = Array.from({ length: Math.floor(stdout.length / 2 / samplesPerMs) }, (_, ms) => rms(stdout, ms));
  const loud = Math.max(...loudness) / 2;
  return loudness.flatMap((value, ms) => {
    const silentBefore = loudness.slice(Math.max(0, ms - 200), ms).every((earlier) => earlier < loud);
    return value >= loud && silentBefore ? [ms / 1000] : [];
  });
}

/** How much later the audio is than the video, at the first and at the last beep. Negative when it is earlier. */
export async function audioVideoOffsetSeconds(url: string, height: number): Promise<{ first: number; last: number }> {
  const [shown, heard] = await Promise.all([frames(url, height), beeps(url)]);
  const secondsOf = new Map(shown.map(({ number, seconds }) => [number, seconds]));
  const offset = (second: number, heardAt: number | undefined): number => {
    const beepSeconds = second + beepOffsetSeconds;
    const frame = Math.round((beepSeconds * frameRate.num) / frameRate.den);
    const shownAt = secondsOf.get(frame);
    if (shownAt === undefined || heardAt === undefined)
      throw new Error(`no frame ${frame} or beep ${second} in ${url}`);
    return heardAt - shownAt - (beepSeconds - (frame * frameRate.den) / frameRate.num);
  };
  return { first: offset(0, heard[0]), last: offset(heard.length - 1, heard.at(-1)) };
}

/** ffmpeg's list of frames: `stream, dts, pts, …` after a line with the time base. */
function shownSeconds(framecrc: string): number[] {
  const [, num, den] = /^#tb 0: (\d+)\/(\d+)$/m.exec(framecrc) ?? [];
  const rows = framecrc.split('\n').filter((line) => /^0,/.test(line));
  return rows.map((row) => (Number(row.split(',')[2]) * Number(num)) / Number(den));
}

const drawnNumber = (squares: Buffer): number =>
  squares.reduce((sum, luma, bit) => sum + (luma > 128 ? 2 ** bit : 0), 0);

function rms(samples: Buffer, ms: number): number {
  let sum = 0;
  for (let n = 0; n < samplesPerMs; n++) sum += samples.readInt16LE((ms * samplesPerMs + n) * 2) ** 2;
  return Math.sqrt(sum / samplesPerMs);
}
