import * as z from 'zod';
import { nowSeconds, timestamp } from '../../../shared/clock.ts';
import { newUlid } from '../../common/ids.ts';
import { equalSecrets, randomBase62, sha256 } from '../../common/secret.ts';
import { readCredential } from '../accounts/read-credential.ts';
import { tryTransact, tryWrite } from '../items/conditional.ts';
import { getItem, transact } from '../items/items.ts';
import { keys } from '../items/keys.ts';
import { type DirectUpload, directUploadRecord, type User } from '../records.ts';
import { uploadActivity } from '../writes/activity-writes.ts';

type NewDirectUpload = Omit<DirectUpload, 'ulid' | 'sha256' | 'createdAt' | 'revokedAt'>;

/** Stores a direct upload. Returns it with its token `<ulid>_<secret>`, which is shown once and stored hashed. */
export async function createDirectUpload(fields: NewDirectUpload): Promise<{ direct: DirectUpload; token: string }> {
  const ulid = newUlid();
  const secret = randomBase62(40);
  const direct: DirectUpload = { ...fields, ulid, sha256: sha256(secret), createdAt: timestamp() };
  // First, so that a page can use the token as soon as it exists.
  if (direct.allowedOrigin !== null) await allowUploadOrigin(direct.allowedOrigin, direct.expiresAt);
  await transact([
    { put: { ...keys.directUpload(ulid), kind: 'direct-upload', ...direct } },
    uploadActivity({ ulid: direct.ownerUlid }, direct, 'created', 'Created a token for a direct upload', {
      filename: direct.fileName,
      max_bytes: direct.maxBytes,
      allowed_origin: direct.allowedOrigin,
    }),
  ]);
  return { direct, token: `${ulid}_${secret}` };
}

const tokenPattern = /^([0-7][0-9A-HJKMNP-TV-Z]{25})_([A-Za-z0-9]{40})$/;

export type CheckedUploadToken = { direct?: DirectUpload; user?: User; ownerUlid?: string };

/**
 * The direct upload that a token proves, unless the token is revoked or expired. `ownerUlid` is whose direct upload has
 * that ULID, whether or not the secret is right. `user` is the owner, if it was read together with the direct upload.
 */
export async function checkUploadToken(text: string): Promise<CheckedUploadToken> {
  const [, ulid, secret] = tokenPattern.exec(text) ?? [];
  if (ulid === undefined || secret === undefined) return {};
  const key = keys.directUpload(ulid);
  const { record, user } = await readCredential(directUploadRecord, key, ({ ownerUlid }) => ownerUlid);
  if (!record) return {};
  const { ownerUlid } = record;
  if (!equalSecrets(record.sha256, sha256(secret))) return { ownerUlid };
  if (record.revokedAt !== undefined || record.expiresAt <= nowSeconds()) return {};
  return { ownerUlid, direct: record, ...(user && { user }) };
}

/** A user's direct upload, also a revoked one. Undefined when it is another user's. */
export async function findDirectUpload(ownerUlid: string, ulid: string): Promise<DirectUpload | undefined> {
  const direct = await getItem(directUploadRecord, keys.directUpload(ulid));
  return direct?.ownerUlid === ownerUlid ? direct : undefined;
}

/** Revokes the token of a direct upload. Repeatable. */
export async function revokeDirectUpload(direct: DirectUpload): Promise<void> {
  const { ulid, ownerUlid } = direct;
  if (direct.revokedAt !== undefined) return;
  await tryTransact([
    {
      update: keys.directUpload(ulid),
      set: { revokedAt: timestamp() },
      when: { exists: true, absent: ['revokedAt'] },
    },
    uploadActivity({ ulid: ownerUlid }, direct, 'deleted', 'Revoked the token of a direct upload'),
  ]);
}

const originRecord = z.object({ expiresAt: z.number() });

/**
 * Whether there may be a valid upload token for pages of this origin. A preflight request has no token, so its response
 * depends on the origin alone.
 */
export async function isUploadOrigin(origin: string): Promise<boolean> {
  const known = await getItem(originRecord, keys.uploadOrigin(sha256(origin)));
  return known !== undefined && known.expiresAt > nowSeconds();
}

async function allowUploadOrigin(origin: string, untilSeconds: number): Promise<void> {
  const key = keys.uploadOrigin(sha256(origin));
  // Rounded up to the hour, so that most calls of a customer with one origin write nothing.
  const expiresAt = Math.ceil(untilSeconds / 3600) * 3600;
  const known = await getItem(originRecord, key);
  if (known !== undefined && known.expiresAt >= expiresAt) return;
  const put = { ...key, kind: 'upload-origin', origin, expiresAt };
  if (await tryWrite({ put, when: { exists: false } })) return;
  // False when a concurrent call has written a later time.
  await tryWrite({ put, when: { below: { expiresAt } } });
}
