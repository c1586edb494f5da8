import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type EncoderRun, initFile, segmentNumber } from '../../shared/protocol/track-files.ts';
import type { TrackPart } from './stored-count.ts';
import { type Uploader, uploadFile } from './upload.ts';
import { createUploadQueue } from './upload-queue.ts';
import { watchFolders } from './watch-folders.ts';

export type WrittenTracks = {
  /** names of the tracks, which are also the names of their folders */
  names: string[];
  run: EncoderRun;
  /** Segments that are not planned are returned but not uploaded; the caller decides what they mean. */
  isPlanned: (segment: number) => boolean;
  /** called before a file is uploaded */
  finish: (upload: Upload) => Promise<void>;
  onStored: (track: string, part: TrackPart) => void;
};

export type Upload = { track: string; part: TrackPart; file: string };

/**
 * Uploads the segments of tracks while `write` produces them. The muxer uses temporary names until a segment is
 * complete, and it has written the init segment by then. The first error of an upload aborts the signal of `write`.
 * Resolves with the segment files of all tracks in the order of their numbers.
 */
export async function uploadWhileWritten(
  context: Uploader,
  { names, run, isPlanned, finish, onStored }: WrittenTracks,
  write: (signal: AbortSignal) => Promise<unknown>,
): Promise<string[]> {
  const failed = new AbortController();
  const upload = async (file: string): Promise<void> => {
    try {
      await uploadFile(context, file);
    } catch (error) {
      failed.abort(error);
      throw error;
    }
  };
  const queue = createUploadQueue(async (next: Upload) => {
    // its error does not end `write`: that ends with the cause of an incomplete file, such as a full disk
    await finish(next);
    await upload(next.file);
    onStored(next.track, next.part);
  });
  const begun = new Set<string>();
  const seen = new Set<string>();
  const uploadNew = async (): Promise<void> => {
    for (const { track, segment, file } of await writtenSegments(context.folder, names, run)) {
      if (seen.has(file)) continue;
      seen.add(file);
      if (!begun.has(track)) queue.push({ track, part: 'init', file: `${track}/${initFile(run)}` });
      begun.add(track);
      if (isPlanned(segment)) queue.push({ track, part: segment, file });
    }
  };
  const looks = createLooks(uploadNew);
  const folders = names.map((name) => join(context.folder, name));
  const endWatch = watchFolders(folders, looks.start);
  try {
    await write(AbortSignal.any([context.signal, failed.signal]));
  } finally {
    endWatch();
    await looks.ended();
  }
  await uploadNew();
  await queue.drain();
  return (await writtenSegments(context.folder, names, run)).map(({ file }) => file);
}

type Looks = { start: () => void; ended: () => Promise<void> };

/**
 * Runs `look` once at a time, and once more if `start` is called during it. Its errors are ignored, because a last look
 * follows, whose errors are not.
 */
function createLooks(look: () => Promise<void>): Looks {
  let looking = Promise.resolve();
  let isDue = false;
  return {
    start: () => {
      if (isDue) return;
      isDue = true;
      looking = looking
        .then(() => {
          isDue = false;
          return look();
        })
        .catch(() => undefined);
    },
    ended: () => looking,
  };
}

type WrittenSegment = { track: string; segment: number; file: string };

async function writtenSegments(root: string, names: string[], run: EncoderRun): Promise<WrittenSegment[]> {
  const found = await Promise.all(
    names.map(async (track) => {
      const files = await readdir(join(root, track));
      return files.flatMap((name) => {
        const segment = segmentNumber(name, run);
        return segment === undefined ? [] : [{ track, segment, file: `${track}/${name}` }];
      });
    }),
  );
  return found.flat().sort((a, b) => a.segment - b.segment);
}
