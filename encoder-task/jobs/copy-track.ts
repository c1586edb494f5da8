import { createHash } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EncodedTrack, Rung, Segment } from '../../shared/protocol/encode-spec.ts';
import type { EncodeVideoSpec } from '../../shared/protocol/jobs.ts';
import { type EncoderRun, initFile, segmentFile } from '../../shared/protocol/track-files.ts';
import { type AvcTrack, checkPicture, readAvcTrack } from '../copy/avc-track.ts';
import { copiedInit } from '../copy/copied-init.ts';
import { type CopiedSample, type CopiedSegment, copiedSegment } from '../copy/copied-segment.ts';
import { type FrameOrder, frameOrder } from '../copy/frame-order.ts';
import { NotCopyable } from '../copy/not-copyable.ts';
import { readSamples } from '../copy/read-samples.ts';
import { createSampleChecker } from '../copy/sample-checker.ts';
import { needBox } from '../isobmff/boxes.ts';
import { readCodecString } from '../isobmff/codec-string.ts';
import type { MovieTrack } from '../isobmff/track.ts';
import { describeTrack } from '../probe/describe-track.ts';
import type { Source } from '../source/open-source.ts';
import { uploadBytes } from '../transfer/upload.ts';
import { createUploadQueue } from '../transfer/upload-queue.ts';
import type { JobContext } from './job-context.ts';

type Context = JobContext<EncodeVideoSpec>;
/** `frames` of the track from `firstFrame` on are copied. */
type Copy = { track: MovieTrack; avc: AvcTrack; order: FrameOrder; firstFrame: number; frames: number };

const run: EncoderRun = 1;

/**
 * Packages the samples of the source as the segments of a rung, without decoding or changing them. Throws NotCopyable
 * as soon as a sample is not what the index of the source says. Segments may be stored by then. They are not reported
 * before all are, because those of an encode that replaces them need another init segment.
 */
export async function copyTrack(context: Context, source: Source, rung: Rung): Promise<EncodedTrack> {
  const { spec, folder } = context;
  const copy = openCopy(spec, source, rung);
  await rm(join(folder, rung.name), { recursive: true, force: true });
  await mkdir(join(folder, rung.name), { recursive: true });
  const init = copiedInit(copy.avc, spec.grid, copy.order.delayFrames);
  const codecs = readCodecString(needBox(init, 'moov'));
  const file = `${rung.name}/${initFile(run)}`;
  await writeFile(join(folder, file), init);
  await uploadBytes(context, file, init as Uint8Array<ArrayBuffer>);

  const count = Math.ceil(copy.frames / spec.grid.segmentFrames);
  const segments: Segment[] = [];
  let stored = 0;
  let properties: ReturnType<typeof describeTrack> | undefined;
  const store = async (number: number): Promise<void> => {
    const { bytes, ...times } = await makeSegment(copy, source, spec, number);
    const name = `${rung.name}/${segmentFile(number, run)}`;
    segments[number] = { file: name, bytes: bytes.length, ...times };
    if (number === 0) {
      await writeFile(join(folder, name), bytes);
      properties = describeTrack(context, { name: rung.name, init: { file }, segments: [{ file: name }] });
      // awaited below
      properties.catch(() => undefined);
    }
    await uploadBytes(context, name, bytes as Uint8Array<ArrayBuffer>);
    stored += 1;
    context.reportProgress(stored / count);
  };
  const queue = createUploadQueue(store);
  for (let number = 0; number < count; number++) queue.push(number);
  await queue.drain();
  return {
    name: rung.name,
    codecs,
    timescale: spec.grid.timescale,
    segments,
    copied: true,
    init: { file, bytes: init.length, sha256: createHash('sha256').update(init).digest('hex') },
    facts: await properties,
  };
}

/** The track in the index of the source, if it is the one that was planned. */
function openCopy({ source: { streamIndex, part }, chunk }: EncodeVideoSpec, source: Source, rung: Rung): Copy {
  const track = source.movie()?.tracks[streamIndex];
  if (!track || !source.moov) throw new NotCopyable('container', 'the source has no index');
  const avc = readAvcTrack(source.moov, streamIndex);
  const order = frameOrder(track);
  const { firstFrame = 0 } = part ?? {};
  const possible = order.frames.length - firstFrame;
  if (chunk.startFrame !== 0 || (part ? chunk.endFrame > possible : chunk.endFrame !== possible)) {
    throw new NotCopyable('frames', `${possible} frames instead of ${chunk.endFrame}`);
  }
  checkPicture(avc, rung);
  return { track, avc, order, firstFrame, frames: chunk.endFrame };
}

/** Reads and checks the samples of one segment. Those of other segments are not needed for that. */
async function makeSegment(
  { track, avc, order, firstFrame, frames }: Copy,
  source: Source,
  { grid }: EncodeVideoSpec,
  number: number,
): Promise<CopiedSegment> {
  const first = number * grid.segmentFrames;
  const after = Math.min(first + grid.segmentFrames, frames);
  const check = createSampleChecker(avc);
  const samples: CopiedSample[] = [];
  const pictures: { frame: number; sequence: number; order: number }[] = [];
  let sequence = 0;
  const read = await readSamples(source, track, firstFrame + first, firstFrame + after);
  for (const [n, bytes] of read.entries()) {
    const frame = order.frames[firstFrame + first + n]! - firstFrame;
    const picture = check(bytes);
    if (picture.isIdr) sequence += 1;
    samples.push({ bytes, frame, isIdr: picture.isIdr });
    pictures.push({ frame, sequence, order: picture.order });
  }
  pictures.sort((a, b) => a.frame - b.frame);
  const isInOrder = pictures.every(({ frame, ...here }, n) => {
    const before = pictures[n - 1];
    if (frame !== first + n) return false;
    return (
      !before || here.sequence > before.sequence || (here.sequence === before.sequence && here.order > before.order)
    );
  });
  if (!isInOrder) throw new NotCopyable('order', `segment ${number} is presented in another order than it is coded`);
  return copiedSegment(samples, grid, { number, firstFrame: first, delayFrames: order.delayFrames });
}
