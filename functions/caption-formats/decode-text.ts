import { CaptionError } from './caption-error.ts';

const encodings = [
  { mark: [0xef, 0xbb, 0xbf], name: 'utf-8' },
  { mark: [0xff, 0xfe], name: 'utf-16le' },
  { mark: [0xfe, 0xff], name: 'utf-16be' },
] as const;

/**
 * The text of a file in UTF-8, or in UTF-16 with a byte order mark.
 * @throws CaptionError for other encodings: a guess would show wrong letters to viewers
 */
export function decodeText(bytes: Uint8Array): string {
  const known = encodings.find(({ mark }) => mark.every((byte, index) => bytes[index] === byte));
  try {
    return new TextDecoder(known?.name ?? 'utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new CaptionError(`The file is not valid ${known?.name.toUpperCase() ?? 'UTF-8'}: save it as UTF-8.`);
  }
}
