import { encodePath } from '../aws/uri-encoding.ts';
import type { IngestSource } from '../table/records.ts';
import type { Storage } from '../table/storages/storage-table.ts';
import { bucketUrl } from './bucket-url.ts';

/** Limit of S3 in UTF-8. */
export const maxKeyBytes = 1024;

/** Why an object cannot be fetched from a storage, for its owner; undefined when it can. */
export function keyProblem({ prefix }: Storage, key: string): string | undefined {
  if (!key.startsWith(prefix)) return `The key must begin with ${prefix}, the prefix of the storage.`;
  if (key.endsWith('/')) return 'The key is that of a folder. Give the key of a file.';
  if (Buffer.byteLength(key) > maxKeyBytes) return `The key must have at most ${maxKeyBytes} bytes.`;
  // No URL can name these, and programs in between change them.
  if (!key.isWellFormed() || /[\p{Cc}]/u.test(key) || key.split('/').some((part) => part === '.' || part === '..')) {
    return 'The key must have no control characters, and no parts . or .. between slashes.';
  }
  return undefined;
}

/** Where the file of an ingest is. */
export const sourceInStorage = (storage: Storage, key: string): IngestSource => ({
  storageUlid: storage.ulid,
  key,
  shownUrl: `${bucketUrl(storage)}${encodePath(key)}`,
});
