import type { StartedUpload } from '../../client/upload/upload-file.ts';

/** Where the started uploads of this browser are kept: nothing in it is secret, since only the session can use it. */
const storageKey = 'uploads';
const maxAgeMilliseconds = 7 * 86_400_000;

type Kept = Record<string, { upload: StartedUpload; startedAt: number }>;
type FileProperties = Pick<File, 'name' | 'size' | 'lastModified'>;

/** The same file is recognised after a reload by its name, size and time of change. */
const keyOf = ({ name, size, lastModified }: FileProperties, template: string, user: string): string =>
  JSON.stringify([user, template, name, size, lastModified]);

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
    find: (file: FileProperties, template: string): StartedUpload | undefined =>
      read()[keyOf(file, template, user)]?.upload,
    keep: (file: FileProperties, template: string, upload: StartedUpload): void =>
      write({ ...read(), [keyOf(file, template, user)]: { upload, startedAt: now() } }),
    forget: (file: FileProperties, template: string): void => {
      const { [keyOf(file, template, user)]: _, ...rest } = read();
      write(rest);
    },
  };
}
