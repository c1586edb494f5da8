import type { Item } from '../../../test/journey/support/account.ts';
import { type JobItem, jobsIn, type VideoItem, videosIn } from './table-records.ts';

type Options = {
  /**
   * Includes files of workers with expired leases: they can write while their URLs are valid, and are removed later.
   */
  strictly?: boolean;
};

/** Keys of objects that no record refers to. `work/` has a lifecycle rule; `logs/` belong to the operator. */
export function unownedObjects(
  items: readonly Item[],
  objectKeys: readonly string[],
  { strictly = false }: Options = {},
): string[] {
  const videos = new Map(videosIn(items).map((video) => [video.ulid, video]));
  const uploads = new Map(items.filter(({ kind }) => kind === 'upload').map((upload) => [upload.ulid, upload]));
  const attempts = doneAttempts(jobsIn(items));
  return objectKeys.filter((key) => {
    const [top, ...path] = key.split('/');
    if (top === 'logs') return false;
    const upload = top === 'uploads' ? uploads.get(path[1] ?? '') : undefined;
    const video = videos.get(String(upload?.replaces ?? (top === 'uploads' ? path[1] : path[0])));
    if (video?.deletedAt !== undefined) return true;
    if (top === 'work') return !video;
    if (top === 'plans') return !video;
    if (top === 'uploads')
      return video ? ![video.sourceKey, video.replaced?.sourceKey].includes(key) : upload?.key !== key;
    if (top !== 'videos' || !video) return true;
    return strictly && video.status === 'completed' && isLeftOver(video, path.slice(1), attempts, items);
  });
}

/** Folders of the attempts whose results are used. */
const doneAttempts = (jobs: readonly JobItem[]): ReadonlySet<string> =>
  new Set(
    jobs
      .filter(({ status }) => status === 'DONE')
      .map(
        ({ videoUlid, planNumber, sk, attempt }) =>
          `${videoUlid}/r${planNumber}/${sk.replaceAll('#', '-')}-a${attempt}`,
      ),
  );

function isLeftOver(
  { ulid }: VideoItem,
  [folder = '', attempt = '']: string[],
  attempts: ReadonlySet<string>,
  items: readonly Item[],
): boolean {
  if (/^thumbnails(-\d+)?$/.test(folder)) return false;
  if (/^r\d+$/.test(folder)) return !attempts.has(`${ulid}/${folder}/${attempt}`);
  const outputs = items.find(({ pk, sk }) => pk === `VIDEO#${ulid}` && sk === 'OUTPUTS')?.outputs;
  return !Object.hasOwn((outputs ?? {}) as object, folder);
}
