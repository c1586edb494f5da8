import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Row, row } from './row.ts';

type Upload = { bytes: number; seconds: number; peakRssBytes: number; ratio: number };

/** A large multipart upload to the embedded S3, compared with a plain copy of as many bytes to the same disk. */
export async function measureUpload(gibibytes: number): Promise<Row[]> {
  const program = join(import.meta.dirname, 's3-upload.ts');
  const { stdout } = await promisify(execFile)(process.execPath, [program, String(gibibytes)]);
  const { seconds, peakRssBytes, ratio } = JSON.parse(stdout) as Upload;
  return [
    row({
      name: `upload of ${gibibytes} GiB into the store`,
      unit: 's',
      ratioAtMost: 4,
      value: seconds,
      baseline: seconds * ratio,
    }),
    row({ name: 'memory of the store at most', value: peakRssBytes / 2 ** 20, unit: 'MiB', atMost: 190 }),
  ];
}
