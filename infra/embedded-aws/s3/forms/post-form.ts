import { S3Error } from '../protocol/s3-errors.ts';

const maxFieldsBytes = 20 * 1024;
const maxPartHeadBytes = 8 * 1024;

/** Field names are in lower case. `file` can be read once, and ends at the end of its part. */
export type PostForm = {
  fields: Map<string, string>;
  file: { name: string; chunks: AsyncIterable<Buffer> };
};

/** @throws MalformedPOSTRequest */
function boundaryOf(contentType: string | undefined): Buffer {
  const match = /^multipart\/form-data\s*;.*?boundary=(?:"([^"]{1,70})"|([^;\s]{1,70}))/i.exec(contentType ?? '');
  if (!match) throw new S3Error('MalformedPOSTRequest');
  return Buffer.from(`\r\n--${match[1] ?? match[2]}`, 'latin1');
}

/** Reads a stream up to delimiters. */
function markReader(source: AsyncIterable<Buffer>, start: Buffer) {
  const iterator = source[Symbol.asyncIterator]();
  let rest = start;

  async function more(): Promise<void> {
    const { done, value } = await iterator.next();
    if (done) throw new S3Error('MalformedPOSTRequest');
    rest = rest.length === 0 ? value : Buffer.concat([rest, value]);
  }

  /** The bytes before the next delimiter, in pieces. The delimiter is skipped. */
  async function* until(mark: Buffer): AsyncGenerator<Buffer> {
    for (;;) {
      const found = rest.indexOf(mark);
      // The last bytes may be the start of a delimiter.
      const sure = found >= 0 ? found : Math.max(rest.length - mark.length + 1, 0);
      const piece = rest.subarray(0, sure);
      rest = rest.subarray(found >= 0 ? found + mark.length : sure);
      if (piece.length > 0) yield piece;
      if (found >= 0) return;
      await more();
    }
  }

  /** The text before the next delimiter. @throws `tooLong` over `limitBytes` */
  async function textUntil(mark: Buffer, limitBytes: number, tooLong: S3Error): Promise<string> {
    const pieces: Buffer[] = [];
    let bytes = 0;
    for await (const piece of until(mark)) {
      bytes += piece.length;
      if (bytes > limitBytes) throw tooLong;
      pieces.push(piece);
    }
    return Buffer.concat(pieces).toString('utf8');
  }

  return { until, textUntil };
}

function dispositionOf(head: string): { name: string; filename: string | undefined } {
  const line = head.split('\r\n').find((text) => /^content-disposition\s*:/i.test(text)) ?? '';
  const parameter = (name: string) => {
    const value = new RegExp(`;\\s*${name}="([^"]*)"`, 'i').exec(line)?.[1];
    // Browsers escape these characters, which would otherwise end the quoted string.
    return value?.replace(/%(22|0D|0A)/gi, (code) => decodeURIComponent(code));
  };
  const name = parameter('name');
  if (name === undefined) throw new S3Error('MalformedPOSTRequest');
  return { name, filename: parameter('filename') };
}

/**
 * Reads the fields of a form up to `file`, which remains unread. Fields after the file are ignored, as in S3.
 * @throws MalformedPOSTRequest, MaxPostPreDataLengthExceeded, InvalidArgument without a file
 */
export async function readPostForm(contentType: string | undefined, body: AsyncIterable<Buffer>): Promise<PostForm> {
  const boundary = boundaryOf(contentType);
  const reader = markReader(body, Buffer.from('\r\n')); // makes the first boundary look like the others
  const lineEnd = Buffer.from('\r\n');
  const malformed = new S3Error('MalformedPOSTRequest');
  const fields = new Map<string, string>();
  let fieldsBytes = 0;

  await reader.textUntil(boundary, maxPartHeadBytes, malformed);
  for (;;) {
    const end = await reader.textUntil(lineEnd, 16, malformed);
    if (end.startsWith('--')) {
      throw new S3Error('InvalidArgument', 'POST requires exactly one file upload per request.', {
        details: { ArgumentName: 'file', ArgumentValue: 0 },
      });
    }
    const head = await reader.textUntil(Buffer.from('\r\n\r\n'), maxPartHeadBytes, malformed);
    const { name, filename } = dispositionOf(head);
    if (name.toLowerCase() === 'file') {
      const baseName = (filename ?? '').split(/[/\\]/).at(-1)!;
      return { fields, file: { name: baseName, chunks: reader.until(boundary) } };
    }
    const tooLong = new S3Error('MaxPostPreDataLengthExceeded');
    const value = await reader.textUntil(boundary, maxFieldsBytes, tooLong);
    fieldsBytes += name.length + value.length;
    if (fieldsBytes > maxFieldsBytes) throw tooLong;
    if (fields.has(name.toLowerCase())) throw new S3Error('InvalidArgument', `Duplicate form field ${name}`);
    fields.set(name.toLowerCase(), value);
  }
}
