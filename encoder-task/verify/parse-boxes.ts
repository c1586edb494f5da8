import { type Box, createFile, type ISOFile, MP4BoxBuffer } from 'mp4box';

export type TrackBox = ISOFile['moov']['traks'][number];

/**
 * Parses files that belong together, such as an init segment and a media segment, as one. The parser is mp4box and not
 * the worker's, so that an error in the worker's parser cannot hide itself. Throws RangeError for a box that is cut off
 * or cannot be parsed.
 */
export function parseBoxes(...files: Buffer[]): ISOFile {
  const bytes = Buffer.concat(files);
  const parsed = createFile();
  const errors: string[] = [];
  parsed.onError = (_module, message) => void errors.push(message);
  const copy = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
  parsed.appendBuffer(MP4BoxBuffer.fromArrayBuffer(copy, 0), true);
  const last = parsed.boxes.at(-1);
  const end = last ? endOf(last) : 0;
  if (last && end > bytes.length) throw new RangeError(`box ${last.type} is cut off at byte ${last.start}`);
  if (end < bytes.length) throw new RangeError(`a box is cut off at byte ${end}`);
  if (errors[0] !== undefined) throw new RangeError(errors[0]);
  return parsed;
}

/** The moov box. Throws RangeError when there is none. */
export function movieBox({ moov }: ISOFile): ISOFile['moov'] {
  if (!(moov as ISOFile['moov'] | undefined)?.traks?.[0]) throw new RangeError('no moov box with a track');
  return moov;
}

/** Position after the last byte of a box. */
export const endOf = ({ start = 0, size }: Box): number => start + size;

/** Time that the edit list removes from every composition time, in ticks: the encoder's reordering delay or priming. */
export const editOffset = ({ edts }: TrackBox): number => Math.max(0, edts?.elst?.entries.at(-1)?.media_time ?? 0);
