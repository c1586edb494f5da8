import type { Random } from '../faults/random.ts';
import type { Clips } from './clips.ts';

/** A kind of odd file. `how` describes what `make` chose. */
export type OddKind = { name: string; make: (clips: Clips, random: Random) => Made };
export type Made = { bytes: Buffer; how: string };
