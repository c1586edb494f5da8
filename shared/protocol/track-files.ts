/**
 * Which run of the encoder wrote a file. A chunk or a track may be encoded a second time within one attempt. The files
 * of the second run have other names, so that an object never changes under its name.
 */
export type EncoderRun = 1 | 2;
export const encoderRuns: readonly EncoderRun[] = [1, 2];

const prefixes: Record<EncoderRun, string> = { 1: '', 2: 'r2-' };
const numberDigits = 5;

/** Name of the init segment in the folder of its track. */
export const initFile = (run: EncoderRun): string => `${prefixes[run]}init.mp4`;

/** Name of a media segment in the folder of its track. Segments are numbered through the whole track, from 0. */
export const segmentFile = (number: number, run: EncoderRun): string =>
  `${prefixes[run]}${String(number).padStart(numberDigits, '0')}.m4s`;

/** The same as a pattern for printf. */
export const segmentPattern = (run: EncoderRun): string => `${prefixes[run]}%0${numberDigits}d.m4s`;

const segmentName = new RegExp(`^(${prefixes[2]})?([0-9]{${numberDigits},})\\.m4s$`);

/** The number of a media segment by its file name. Undefined for other files, and for files of the other run. */
export function segmentNumber(name: string, run: EncoderRun): number | undefined {
  const [, prefix = '', digits] = segmentName.exec(name) ?? [];
  return digits !== undefined && prefix === prefixes[run] ? Number(digits) : undefined;
}

/** Whether a file of a track was written by the first run. `file` is a path below the folder of an attempt. */
export const isOfFirstRun = (file: string): boolean => !file.slice(file.lastIndexOf('/') + 1).startsWith(prefixes[2]);
