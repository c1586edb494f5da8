import type { JobFiles } from '../transfer/job-files.ts';
import type { Pace } from './pace.ts';
import type { SourceClient } from './source-client.ts';

/** The environment of the fetch of one file. */
export type FetchContext = Pick<JobFiles, 'outputUrl'> & {
  client: SourceClient;
  /** where the file is; that of an object in a storage changes while it is fetched */
  currentUrl: () => Promise<URL>;
  /** of an object in a storage, for messages */
  storageName?: string | undefined;
  folder: string;
  signal: AbortSignal;
  stallSeconds: number;
  pace: Pace;
  /** of the first repeated request; later ones wait longer */
  firstDelayMs: number;
  /** 0 to 1 */
  reportProgress: (fraction: number) => void;
};
