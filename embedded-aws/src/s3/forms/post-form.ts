import { Readable } from 'node:stream';
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import { S3Error } from '../protocol/s3-errors.ts';

const maxFieldsBytes = 20 * 1024;

/** Field names are in lower case. `file` can be read once; reading it fails when the body is incomplete. */
export type PostForm = {
  fields: Map<string, string>;
  file: { name: string; chunks: AsyncIterable<Buffer> };
};

/**
 * Reads the fields of a form up to `file`, which remains unread. Fields after the file are ignored, as in S3.
 * @throws MalformedPOSTRequest, MaxPostPreDataLengthExceeded, InvalidArgument without a file
 */
export async function readPostForm(contentType: string | undefined, body: AsyncIterable<Buffer>): Promise<PostForm> {
  const parser = createParser(contentType);
  const input = Readable.from(body);
  const form = Promise.withResolvers<PostForm>();
  const fields = new Map<string, string>();
  let fieldsBytes = 0;
  let file: Readable | undefined;
  const fail = (error: Error): void => {
    form.reject(error);
    file?.destroy(error);
  };

  parser.on('field', (fieldName, value, _nameTruncated, isTruncated) => {
    if (file) return;
    const name = fieldName.toLowerCase();
    fieldsBytes += Buffer.byteLength(name) + Buffer.byteLength(value);
    if (isTruncated || fieldsBytes > maxFieldsBytes) form.reject(new S3Error('MaxPostPreDataLengthExceeded'));
    else if (fields.has(name)) form.reject(new S3Error('InvalidArgument', `Duplicate form field ${fieldName}`));
    else fields.set(name, value);
  });
  parser.on('file', (_, stream, fileName) => {
    file = stream;
    // A rejected form leaves its file unread.
    stream.on('error', () => {});
    form.resolve({ fields, file: { name: baseName(fileName), chunks: stream } });
  });
  parser.on('finish', () => form.reject(noFile()));
  // Also when the body ends inside the file.
  parser.on('error', () => fail(new S3Error('MalformedPOSTRequest')));
  input.on('error', fail);
  input.pipe(parser);
  try {
    return await form.promise;
  } catch (error) {
    // Stops reading without destroying the request, which still needs its response.
    input.unpipe(parser);
    throw error;
  }
}

function createParser(contentType = ''): BusboyInstance {
  if (!/^multipart\/form-data\b/i.test(contentType)) throw new S3Error('MalformedPOSTRequest');
  try {
    return new Busboy({
      headers: { 'content-type': contentType },
      // The content type or a file name does not make another field a file.
      isPartAFile: (name) => name?.toLowerCase() === 'file',
      preservePath: true,
      limits: { fieldSize: maxFieldsBytes, files: 1 },
    });
  } catch {
    throw new S3Error('MalformedPOSTRequest');
  }
}

/** Some browsers send a path. They escape the characters that would end the quoted string. */
const baseName = (fileName = ''): string =>
  fileName
    .replace(/%(22|0D|0A)/gi, (code) => decodeURIComponent(code))
    .split(/[/\\]/)
    .at(-1)!;

const noFile = (): S3Error =>
  new S3Error('InvalidArgument', 'POST requires exactly one file upload per request.', {
    details: { ArgumentName: 'file', ArgumentValue: 0 },
  });
