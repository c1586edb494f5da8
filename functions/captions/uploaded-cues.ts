import { captionLimits } from '../../shared/captions/caption-limits.ts';
import type { Cue } from '../../shared/captions/cue.ts';
import { CaptionError, parseCaptions } from '../../shared/captions/parse-captions.ts';
import { ValidationFailed } from '../common/errors.ts';

type UploadedFile = { type: string; bytes: Buffer; isText: boolean };

/**
 * The cues of an uploaded file.
 * @throws ValidationFailed with a sentence for its author
 */
export function uploadedCues({ type, bytes, isText }: UploadedFile): Cue[] {
  try {
    const cues = parseCaptions(isText ? asSent(bytes) : bytes, type === 'text/vtt' ? 'vtt' : 'srt');
    // A `<` that is no tag becomes four characters.
    if (cues.reduce((sum, { text }) => sum + text.length, 0) <= captionLimits.maxFileBytes) return cues;
    throw new CaptionError('The text is longer than 2 MiB with its special characters escaped: remove stray < and &.');
  } catch (error) {
    if (error instanceof CaptionError) throw new ValidationFailed({ file: [error.message] });
    throw error;
  }
}

/** What the gateway makes of the byte order mark of UTF-16: it decodes a body of the type text/… as UTF-8. */
const damagedMark = '\ufffd\ufffd';

/**
 * The file behind a text of the gateway. UTF-16 survives its decoding when all bytes are below 128, as in English.
 * @throws CaptionError for other UTF-16
 */
function asSent(bytes: Buffer): Buffer {
  const text = bytes.toString('utf8');
  if (!text.startsWith(damagedMark)) return bytes;
  const rest = text.slice(damagedMark.length);
  if (rest.includes('\ufffd') || Buffer.byteLength(rest) !== rest.length) {
    const message =
      'The file is UTF-16, which is not read as text/vtt: save it as UTF-8, or send it as application/x-subrip.';
    throw new CaptionError(message);
  }
  const mark = rest.charCodeAt(0) === 0 ? [0xfe, 0xff] : [0xff, 0xfe];
  return Buffer.concat([Buffer.from(mark), Buffer.from(rest, 'latin1')]);
}
