import { gzipSync } from 'node:zlib';
import type { Hdr10 } from '../../shared/encode.ts';
import { JobError } from '../../shared/job-errors.ts';
import type { JobResult, ProbeSpec } from '../../shared/jobs.ts';
import type { ProbeResult } from '../../shared/probe.ts';
import { measureCpu } from '../ffmpeg/child-cpu.ts';
import { failureOf } from '../ffmpeg/failure.ts';
import { describeArgs, firstFrameArgs, listPacketsArgs, type Packet, readPacketLine } from '../ffmpeg/probe.ts';
import { run } from '../ffmpeg/run.ts';
import type { JobContext } from '../job-context.ts';
import { describeAudio } from '../probe/describe-audio.ts';
import { describeVideo } from '../probe/describe-video.ts';
import { readHdr10 } from '../probe/hdr10.ts';
import { createPacketIndex, type PacketIndex } from '../probe/packet-index.ts';
import { type ProbeDocument, probeDocumentSchema, publicMeta } from '../probe/probe-document.ts';
import { inputUrl } from '../store/input-url.ts';
import { type SourceServer, serveSource } from '../store/source-server.ts';
import { uploadBytes } from '../store/upload.ts';

type Context = JobContext<ProbeSpec>;

/** Finds out what a source is, by its headers for what it holds and by its packets for how long it is. Uploads `index.json.gz`. */
export async function probe(context: Context): Promise<JobResult<'probe'>> {
  if (context.spec.sizeBytes === 0)
    throw new JobError('INPUT_EMPTY', 'The file is empty. Upload one that has content.');
  const source = await serveSource(inputUrl(context, 'source'), context.signal);
  try {
    const { result, cpuSeconds } = await measureCpu(() => inspect(context, source));
    return { ...result, cpuSeconds };
  } finally {
    source.close();
  }
}

async function inspect(context: Context, source: SourceServer): Promise<Omit<ProbeResult, 'cpuSeconds'>> {
  const document = await describe(context, source);
  context.reportProgress(0.1);
  const videoStream = document.streams.find((stream) => stream.codec_type === 'video' && !isCoverArt(stream));
  const audioStreams = document.streams.filter((stream) => stream.codec_type === 'audio');
  if (!videoStream && audioStreams.length === 0) {
    throw new JobError('INPUT_NO_TRACKS', 'The file has neither a video nor an audio track. Upload one that has.');
  }
  const index = await indexPackets(context, source, videoStream?.index);
  if (videoStream) checkInventory(videoStream, index.video.listed);
  const hdr10 =
    videoStream?.color_transfer === 'smpte2084' ? await findHdr10(context, source, videoStream.index) : null;
  const video = videoStream && describeVideo(videoStream, index.video, hdr10);
  const audio = audioStreams.flatMap((stream) => describeAudio(stream, index.audio.get(stream.index)) ?? []);
  if (!video && audio.length === 0) {
    throw new JobError(
      'INPUT_TRUNCATED',
      'The file has headers but no video or audio in it. It may be incomplete: upload it again.',
    );
  }
  if (video) await uploadBytes(context, 'index.json.gz', gzipSync(JSON.stringify(video.index)));
  return {
    formatName: document.format.format_name,
    sizeBytes: context.spec.sizeBytes,
    durationSeconds: spanSeconds(video?.track, audio),
    video: video?.track ?? null,
    audio: audio.slice(0, 64),
    meta: publicMeta(document),
  };
}

async function describe(context: Context, source: SourceServer): Promise<ProbeDocument> {
  const lines: string[] = [];
  const ended = await run({
    ...context,
    program: 'ffprobe',
    args: describeArgs(source.url),
    onLine: (line) => lines.push(line),
  });
  const sourceFailure = source.failure();
  if (sourceFailure) throw sourceFailure;
  const notMedia = () =>
    new JobError(
      'INPUT_NOT_MEDIA',
      'This is no video or audio that the service can read. Upload an MP4, MOV, MKV, WebM or another common format.',
    );
  if (ended.exitCode !== 0) throw failureOf(ended, notMedia);
  const parsed = probeDocumentSchema.safeParse(JSON.parse(lines.join('\n')));
  if (!parsed.success) throw notMedia();
  return parsed.data;
}

/** Null too when the first frame does not decode: an encode goes without it. */
async function findHdr10(context: Context, source: SourceServer, streamIndex: number): Promise<Hdr10 | null> {
  const lines: string[] = [];
  const { exitCode } = await run({
    ...{ ...context, program: 'ffprobe', args: firstFrameArgs(source.url, streamIndex) },
    onLine: (line) => lines.push(line),
  });
  return exitCode === 0 ? readHdr10(JSON.parse(lines.join('\n'))) : null;
}

async function indexPackets(
  context: Context,
  source: SourceServer,
  videoStream: number | undefined,
): Promise<PacketIndex> {
  const index = createPacketIndex(videoStream);
  let bytes = 0;
  const add = (packet: Packet): void => {
    index.add(packet);
    bytes += packet.bytes;
    context.reportProgress(0.1 + (0.9 * bytes) / context.spec.sizeBytes);
  };
  await run({
    ...{ ...context, program: 'ffprobe', args: listPacketsArgs(source.url) },
    onLine: (line) => {
      const packet = readPacketLine(line);
      if (packet) add(packet);
    },
  });
  // a bad end is no error of its own: what was listed before a file breaks off is what can be shown
  const sourceFailure = source.failure();
  if (sourceFailure) throw sourceFailure;
  return index.finish();
}

/** Players skip a damaged end; a file that lacks more than this of its frames was cut off. */
const bearableLoss = 0.05;

/** MP4 lists its frames ahead of them, so that a file which ends early can be told from a short one. */
function checkInventory({ nb_frames }: ProbeDocument['streams'][number], listed: number): void {
  const promised = Number(nb_frames ?? 0);
  if (!(listed < promised * (1 - bearableLoss))) return;
  throw new JobError(
    'INPUT_TRUNCATED',
    `The file ends early: ${listed} of its ${promised} frames are there. Upload the whole file again.`,
  );
}

const isCoverArt = (stream: ProbeDocument['streams'][number]): boolean => stream.disposition?.attached_pic === 1;

/** From the first thing shown or heard to the last. */
function spanSeconds(video: ProbeResult['video'] | undefined, audio: ProbeResult['audio']): number {
  const starts = audio.map((track) => track.startSeconds);
  const ends = audio.map((track) => track.startSeconds + track.durationSeconds);
  if (video) {
    const tickSeconds = video.timeBase.num / video.timeBase.den;
    starts.push(video.startPts * tickSeconds);
    ends.push(video.endPts * tickSeconds);
  }
  return Math.max(...ends) - Math.min(...starts);
}
