import { mkdir, open, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JobError } from '../../shared/protocol/job-errors.ts';
import type { EncodeAudioSpec, EncodeVideoSpec } from '../../shared/protocol/jobs.ts';
import { type EncoderRun, segmentFile } from '../../shared/protocol/track-files.ts';
import type { TrackProperties } from '../../shared/protocol/track-properties.ts';
import { needBox, readBoxHeader } from '../isobmff/boxes.ts';
import { readCodecString } from '../isobmff/codec-string.ts';
import { readTrackFiles, type TrackOnDisk } from '../isobmff/track-on-disk.ts';
import { initFileType, segmentFileType } from '../isobmff/write-box.ts';
import { describeTrack } from '../probe/describe-track.ts';
import { createStoredCount } from '../transfer/stored-count.ts';
import { uploadWhileWritten } from '../transfer/upload-while-written.ts';
import type { JobContext } from './job-context.ts';

export type TracksRun = {
  names: string[];
  run: EncoderRun;
  /** numbers of the segments that the job makes, without the last one */
  segments: { from: number; to: number };
  /** the init segment of a track as viewers get it, if it is not the one that ffmpeg writes */
  changeInit?: (track: string, init: Buffer) => Buffer;
  /** whether the tracks get `facts` */
  areDescribed: boolean;
  /** whether stored segments are reported, if the service asks for it */
  isReported: boolean;
  /** the error for a run without segments, if that means more than an incomplete track */
  emptyError?: () => JobError;
};

/**
 * Runs ffmpeg once with `encode`, whose signal aborts when an upload fails. Uploads its segments as soon as they are
 * complete and reports how many are stored, so that they can be played while the job runs. Describes the tracks by
 * their first segments while ffmpeg runs, and reads them when it has ended.
 */
export async function encodeTracks(
  context: JobContext<EncodeVideoSpec | EncodeAudioSpec>,
  { names, run, segments, changeInit, areDescribed, isReported, emptyError }: TracksRun,
  encode: (signal: AbortSignal) => Promise<unknown>,
): Promise<TrackOnDisk[]> {
  const { folder, spec, reportStored } = context;
  for (const name of names) await emptyFolder(join(folder, name));
  const codecs: Record<string, string> = {};
  const properties = new Map<string, Promise<TrackProperties>>();
  const finishInit = async (name: string, file: string): Promise<void> => {
    const path = join(folder, file);
    const written = withBrands(await readFile(path));
    const init = changeInit?.(name, written) ?? written;
    await writeFile(path, init);
    codecs[name] = readCodecString(needBox(init, 'moov'));
    if (areDescribed) {
      const first = { file: `${name}/${segmentFile(segments.from, run)}` };
      const described = describeTrack(context, { name, init: { file }, segments: [first] });
      // Awaited below; without this, the failure of another part of the job would leave an unhandled rejection.
      described.catch(() => undefined);
      properties.set(name, described);
    }
  };
  const countStored = createStoredCount(names, segments.from);
  let reported = 0;
  const files = await uploadWhileWritten(
    context,
    {
      names,
      run,
      finish: ({ track, part, file }) => (part === 'init' ? finishInit(track, file) : setBrands(join(folder, file))),
      isPlanned: (segment) => segment < segments.to,
      onStored: (track, part) => {
        const stored = countStored(track, part);
        if (stored === reported || !isReported || !spec.reportsSegments) return;
        // The result follows at once, and a call about the last segments would delay it.
        if (stored === segments.to - segments.from && !areDescribed) return;
        reported = stored;
        reportStored({ segments: stored, run, codecs: { ...codecs } });
      },
    },
    encode,
  );
  if (files.length === 0 && emptyError) throw emptyError();
  const filesOf = (name: string): string[] => files.filter((file) => file.startsWith(`${name}/`));
  return Promise.all(
    names.map(async (name) => ({
      ...(await readTrackFiles(folder, { name, run, segmentFiles: filesOf(name) })),
      facts: await properties.get(name),
    })),
  );
}

/** An init segment of ffmpeg with the brands of CMAF. ffmpeg writes them only together with other edit lists. */
function withBrands(init: Buffer): Buffer {
  const first = readBoxHeader(init, init.length);
  return first?.type === 'ftyp' ? Buffer.concat([initFileType, init.subarray(first.size)]) : init;
}

/** Changes the brands of a segment of ffmpeg to those of CMAF, without reading the rest of it. */
async function setBrands(path: string): Promise<void> {
  await using file = await open(path, 'r+');
  const { buffer } = await file.read(Buffer.alloc(8), 0, 8, 0);
  const first = readBoxHeader(buffer, segmentFileType.length);
  if (first?.type === 'styp' && first.size === segmentFileType.length) {
    await file.write(segmentFileType, 0, segmentFileType.length, 0);
  }
}

async function emptyFolder(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true });
  await mkdir(path, { recursive: true });
}
