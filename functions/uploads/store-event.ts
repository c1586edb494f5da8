import * as z from 'zod';
import { ingestedReasons } from '../../shared/created-objects.ts';

/** The names of S3 event notifications for the reasons of EventBridge. Some stores leave the prefix `s3:` out. */
const reasons = new Map(
  Object.entries({
    Put: 'PutObject',
    Post: 'POST Object',
    Copy: 'CopyObject',
    CompleteMultipartUpload: 'CompleteMultipartUpload',
  }).flatMap(([name, reason]) => [
    [`ObjectCreated:${name}`, reason],
    [`s3:ObjectCreated:${name}`, reason],
  ]),
);

/** Keys are URL-encoded in notifications, with `+` for a space. */
const encodedKey = z.string().transform((text, { issues }) => {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    issues.push({ code: 'custom', message: 'The key is not URL-encoded.', input: text });
    return z.NEVER;
  }
});

/** An S3 event notification, as MinIO and Ceph send it. */
export const storeEventSchema = z.object({
  Records: z
    .array(
      z.object({
        eventName: z.string(),
        s3: z.object({ bucket: z.object({ name: z.string() }), object: z.object({ key: encodedKey }) }),
      }),
    )
    .max(1000),
});

/** The keys of the objects in a notification that can become videos: the same ones as with the rules of EventBridge. */
export function createdKeys({ Records }: z.output<typeof storeEventSchema>, bucket: string): string[] {
  const keys = Records.filter(({ eventName, s3 }) => {
    const reason = reasons.get(eventName);
    const [, expected = []] =
      Object.entries(ingestedReasons).find(([prefix]) => s3.object.key.startsWith(prefix)) ?? [];
    return s3.bucket.name === bucket && reason !== undefined && expected.includes(reason);
  }).map(({ s3 }) => s3.object.key);
  return [...new Set(keys)];
}
