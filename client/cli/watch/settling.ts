import type { FoundFile } from './scan-folder.ts';

/** Since when a file has its size and time. */
export type Sighting = FoundFile & { sinceMs: number };

/** By name. */
export type Sightings = ReadonlyMap<string, Sighting>;

/** What is known about the files after another look at the folder. */
export const lookAgain = (sightings: Sightings, found: readonly FoundFile[], nowMs: number): Sightings =>
  new Map(
    found.map((file) => {
      const before = sightings.get(file.name);
      return [file.name, { ...file, sinceMs: before && isSameVersion(before, file) ? before.sinceMs : nowMs }];
    }),
  );

/** A program that writes the file would have changed it since. */
export const isSettled = ({ sinceMs }: Sighting, nowMs: number, settleMs: number): boolean =>
  nowMs - sinceMs >= settleMs;

type Version = Pick<FoundFile, 'sizeBytes' | 'mtimeMs'>;

export const isSameVersion = (one: Version, other: Version): boolean =>
  one.sizeBytes === other.sizeBytes && one.mtimeMs === other.mtimeMs;
