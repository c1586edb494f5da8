import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bucketName as Bucket, bytes, runS3 } from '../running.ts';

const minPartBytes = 5 << 20;

test('whatever the parts of an upload, the object and its ranges have the content of the file', async () => {
  const { client } = await runS3();
  const s3 = client({ requestChecksumCalculation: 'WHEN_REQUIRED' });
  const partSizes = fc.tuple(
    fc.array(fc.integer({ min: minPartBytes, max: minPartBytes + 300_000 }), { maxLength: 3 }),
    fc.integer({ min: 0, max: 2_000_000 }),
  );
  const fractions = fc.array(
    fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.double({ min: 0, max: 1, noNaN: true })),
    {
      minLength: 1,
      maxLength: 5,
    },
  );
  let run = 0;
  await fc.assert(
    fc.asyncProperty(partSizes, fractions, async ([full, last], cuts) => {
      const sizes = [...full, last];
      const whole = bytes(
        sizes.reduce((sum, size) => sum + size, 0),
        ++run,
      );
      const Key = `split ${run}`;
      const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ Bucket, Key }));
      let offset = 0;
      const Parts = [];
      for (const [index, size] of sizes.entries()) {
        const Body = whole.subarray(offset, offset + size);
        offset += size;
        const PartNumber = index + 1;
        const { ETag } = await s3.send(new UploadPartCommand({ Bucket, Key, UploadId, PartNumber, Body }));
        Parts.push({ PartNumber, ETag });
      }
      await s3.send(new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload: { Parts } }));

      const got = await s3.send(new GetObjectCommand({ Bucket, Key }));
      expect(Buffer.from(await got.Body!.transformToByteArray()).equals(whole)).toBe(true);
      for (const [a, b] of whole.length === 0 ? [] : cuts) {
        const [first, end] = [a, b].map((cut) => Math.floor(cut * (whole.length - 1))).sort((x, y) => x - y) as [
          number,
          number,
        ];
        const part = await s3.send(new GetObjectCommand({ Bucket, Key, Range: `bytes=${first}-${end}` }));
        expect(Buffer.from(await part.Body!.transformToByteArray()).equals(whole.subarray(first, end + 1))).toBe(true);
      }
    }),
    { numRuns: 15 },
  );
});
