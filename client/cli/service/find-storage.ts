import type { components } from '../../api-types.ts';
import { usageError } from '../exit-code.ts';

type Storage = components['schemas']['Storage'];

export const isInStorage = (url: string): boolean => url.startsWith('s3://');

type Found = {
  /** ULID */
  storage: string;
  /** what follows the bucket */
  key: string;
};

/** The storage of `s3://BUCKET/KEY`: the one with the longest prefix of the key, unless one is named. */
export function findStorage(url: string, storages: readonly Storage[], named: string | undefined): Found {
  const [, bucket = '', key = ''] = /^s3:\/\/([^/]*)\/?(.*)$/s.exec(url) ?? [];
  if (named !== undefined) return { storage: named, key };
  const fitting = storages.filter((one) => one.bucket === bucket && key.startsWith(one.prefix));
  const longest = Math.max(...fitting.map(({ prefix }) => prefix.length));
  const [found, ...others] = fitting.filter(({ prefix }) => prefix.length === longest);
  if (!found) {
    const advice = 'Add one with: open-video-service storages add';
    throw usageError(`No storage has the bucket '${bucket}' and a prefix of '${key}'. ${advice}`);
  }
  if (others.length > 0) throw usageError('Several storages have this bucket and prefix: choose one with --storage.');
  return { storage: found.ulid, key };
}
