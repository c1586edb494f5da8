import type { StartedUpload } from '../../client/upload/upload-file.ts';
import type { UploadSettings } from './upload-item.ts';

/** Where the started uploads of this browser are kept: nothing in it is secret, since only the session can use it. */
const storageKey = 'uploads';
const maxAgeMilliseconds = 7 * 86_400_000;

type Kept = Record<string, { upload: StartedUpload; startedAt: number }>;
type FileProperties = Pick<File, 'name' | 'size' | 'lastModified'>;

/** The same file is recognised after a reload by its name, size and time of change. */
const keyOf = (
  { name, size, lastModified }: FileProperties,
  { template, clip }: UploadSettings,
  user: string,
): string => JSON.stringify([user, template, name, size, lastModified, ...(clip ? [clip] : [])]);

export type UploadMemory = ReturnType<typeof createUploadMemory>;

/** Remembers the uploads that a user started in this browser, so that they can be continued after a reload. */
export function createUploadMemory(storage: Pick<Storage, 'getItem' | 'setItem'>, user: string, now = Date.now) {
  const read = (): Kept => {
    try {
      return JSON.parse(storage.getItem(storageKey) ?? '{}') as Kept;
    } catch {
      return {};
    }
  };
  const write = (kept: Kept): void => {
    const young = Object.entries(kept).filter(([, { startedAt }]) => startedAt > now() - maxAgeMilliseconds);
    storage.setItem(storageKey, JSON.stringify(Object.fromEntries(young)));
  };
  return {
    find: (file: FileProperties, settings: UploadSettings): StartedUpload | undefined =>
      read()[keyOf(file, settings, user)]?.upload,
    keep: (file: FileProperties, settings: UploadSettings, upload: StartedUpload): void =>
      write({ ...read(), [keyOf(file, settings, user)]: { upload, startedAt: now() } }),
    forget: (file: FileProperties, settings: UploadSettings): void => {
      const { [keyOf(file, settings, user)]: _, ...rest } = read();
      write(rest);
    },
  };
}
