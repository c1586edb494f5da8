import type { FileRequest, FileResponse, Lease } from '../../shared/protocol/jobs.ts';

/**
 * The files in the object store that a job may read and write. The lease carries URLs of the first files; the job asks
 * for the others.
 */
export type JobFiles = Pick<Lease, 'inputs' | 'outputs'> & {
  /** presigned GET URL of an input such as `source` or `video/3`; a new URL if the store rejected `rejected` */
  inputUrl: (role: string, rejected?: string) => Promise<string>;
  /** presigned PUT URL of an output file; a new URL if the store rejected `rejected` */
  outputUrl: (file: string, rejected?: string) => Promise<string>;
  /** request about the multipart upload of one file, the source of an ingest, or the files of a delivery */
  askParts: (request: PartRequest) => Promise<FileResponse>;
};

export type PartRequest = WithoutLease<Exclude<FileRequest, { ask: 'inputs' | 'outputs' }>>;
type WithoutLease<Request> = Request extends unknown ? Omit<Request, 'lease'> : never;
