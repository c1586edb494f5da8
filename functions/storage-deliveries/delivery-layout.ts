import { videoPrefix } from '../../shared/object-keys.ts';
import type { StorageDelivery } from '../table/records.ts';

/**
 * Where the files of a video are in a storage, below its prefix. Files of an output keep their path below the folder of
 * the video, so that manifests can name those that they share. With `{output}` in the path each output has a copy of
 * what it needs; without it, outputs share their files, and the manifests of each are in a folder of its name.
 */
export type DeliveryLayout = {
  /** the folder of files that belong to no output */
  root: string;
  outputRoot: (output: string) => string;
  /** the folder of an output's manifests or single file, relative to its root */
  entryFolder: (output: string) => string;
};

export function layoutOf(videoUlid: string, { path }: Pick<StorageDelivery['target'], 'path'>): DeliveryLayout {
  const named = path.replace('{ulid}', videoUlid);
  const [root = ''] = named.split('{output}');
  const isSeparate = named !== root;
  return {
    root,
    outputRoot: (output) => named.replace('{output}', output),
    entryFolder: (output) => (isSeparate ? '' : `${output}/`),
  };
}

/** The path of a stored file below the folder of its video. */
export const pathInVideo = (videoUlid: string, key: string): string => key.slice(videoPrefix(videoUlid).length);
