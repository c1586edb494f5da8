import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ImageHeader, readImageHeader, riffChunks, type UploadedImage } from '../../shared/media/image-header.ts';
import type { VideoSource } from '../../shared/protocol/encode-spec.ts';
import { JobError } from '../../shared/protocol/job-errors.ts';
import { maxImageBytes, posterFile, type UploadedPosterSpec } from '../../shared/protocol/jobs.ts';
import { runFfmpeg } from '../ffmpeg/run-ffmpeg.ts';
import { type ImageFile, uploadedPosterArgs, watermarkFileArgs } from '../ffmpeg/uploaded-image-args.ts';
import { readRange } from '../transfer/read-range.ts';
import type { JobContext } from './job-context.ts';

const file = 'upload';

/** Decodes an uploaded image and encodes it again: no byte of it is delivered. Returns the name of the poster. */
export async function makeUploadedPoster(context: JobContext<UploadedPosterSpec>): Promise<string> {
  const { spec } = context;
  await decode(context, { role: 'image', image: spec.image }, (file) => uploadedPosterArgs(spec, file));
  return posterFile(spec.poster);
}

/** Decodes the watermark of a source into the file that the filters of its jobs read. */
export async function writeWatermark(context: JobContext, { watermark }: VideoSource): Promise<void> {
  if (!watermark) return;
  const { image, opacity } = watermark;
  await decode(context, { role: 'watermark', image }, (file) => watermarkFileArgs(opacity, file));
}

async function decode(
  context: JobContext,
  { role, image }: { role: string; image: UploadedImage },
  argsOf: (file: ImageFile) => string[],
): Promise<void> {
  const { folder, inputUrl, signal } = context;
  const read = await readRange((rejected) => inputUrl(role, rejected), 0, maxImageBytes, signal);
  const header = read && readImageHeader(read.bytes);
  // The file can be sent again until the URL expires that it was sent to.
  if (!header || !isPlanned(header, image)) throw unreadable();
  const { bytes, ...frame } = stillOf(read.bytes, header);
  await writeFile(join(folder, file), bytes);
  try {
    await runFfmpeg(context, { args: argsOf({ file, image, frame }) });
  } catch (error) {
    if (error instanceof JobError && error.code === 'ENCODER_FAILED') throw unreadable(error);
    throw error;
  }
}

const isPlanned = ({ type, width, height }: ImageHeader, image: UploadedImage): boolean =>
  type === image.type && width === image.width && height === image.height;

const unreadable = (cause?: JobError): JobError =>
  new JobError(
    'INPUT_DAMAGED',
    'The image is damaged and cannot be decoded. Export it again and upload the new file.',
    {
      cause,
    },
  );

type Still = { bytes: Buffer; left: number; top: number };

/** ffmpeg decodes no animated WebP: its first frame becomes a file that is not animated. */
function stillOf(bytes: Buffer, { type }: ImageHeader): Still {
  const frame = type === 'webp' ? [...riffChunks(bytes)].find(({ id }) => id === 'ANMF')?.data : undefined;
  if (!frame || frame.length < frameHeaderBytes) return { bytes, left: 0, top: 0 };
  const chunks = [...riffChunks(frame, frameHeaderBytes)].filter(({ id }) => ['ALPH', 'VP8 ', 'VP8L'].includes(id));
  const extended = Buffer.alloc(10);
  // Alpha is announced for files with lossy compression only.
  if (chunks.some(({ id }) => id === 'ALPH')) extended[0] = 0x10;
  // width and height, less one
  frame.copy(extended, 4, 6, 12);
  const body = [{ id: 'VP8X', data: extended }, ...chunks].map(({ id, data }) => riffChunk(id, data));
  return {
    bytes: riffChunk('RIFF', Buffer.concat([Buffer.from('WEBP'), ...body])),
    left: 2 * frame.readUIntLE(0, 3),
    top: 2 * frame.readUIntLE(3, 3),
  };
}

/** Position and size of a frame, its duration and flags. */
const frameHeaderBytes = 16;

function riffChunk(id: string, data: Buffer): Buffer {
  const header = Buffer.alloc(8, id);
  header.writeUInt32LE(data.length, 4);
  return Buffer.concat([header, data, Buffer.alloc(data.length % 2)]);
}
