import type { Random } from '../faults/random.ts';
import type { Clips } from './clips.ts';
import { extremeKinds } from './kinds/extremes.ts';
import { movieKinds } from './kinds/movie.ts';
import { notMediaKinds } from './kinds/not-media.ts';
import { otherContainerKinds } from './kinds/other-containers.ts';
import { transportKinds } from './kinds/transport.ts';
import { wholeFileKinds } from './kinds/whole-file.ts';
import type { Made, OddKind } from './odd-kind.ts';

export type OddFile = Made & { position: number; kind: string };

const kinds: readonly OddKind[] = [
  ...movieKinds,
  ...transportKinds,
  ...otherContainerKinds,
  ...wholeFileKinds,
  ...extremeKinds,
  ...notMediaKinds,
];

/** The odd file at a position, from 1. The kinds alternate, and the seed determines the clip and the change. */
export function oddFile(clips: Clips, random: Random, position: number): OddFile {
  const kind = kinds[(position - 1) % kinds.length]!;
  return { position, kind: kind.name, ...kind.make(clips, random) };
}

export const kindCount = kinds.length;
