import { usageError } from '../exit-code.ts';

/** @throws CommandError when the text is not a ULID */
export function videoUlid(text: string): string {
  const ulid = text.toUpperCase();
  if (/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/.test(ulid)) return ulid;
  throw usageError(`'${text}' is not the ULID of a video. ULIDs are listed by: open-video-service videos`);
}
