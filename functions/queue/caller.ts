import type { Encoders } from '../../shared/protocol/jobs.ts';
import type { UrlAudience } from '../aws/presign.ts';
import { poolNode } from '../table/nodes/pool-node.ts';

/**
 * A worker that calls. The token proves the node, and whether the worker gets urgent jobs only; that of an early worker
 * also proves its name. Otherwise `worker` and `epoch` are what the worker reports of itself, and so are `encoders`,
 * `fetches` and `transcribes`: it gets ingests, or transcriptions, only.
 */
export type Caller = {
  node: string;
  worker: string;
  epoch: string;
  urgentOnly?: boolean;
  fetches?: boolean;
  transcribes?: boolean;
  /** of the container of a registered worker */
  memoryMib?: number | undefined;
  /** of its ffmpeg; undefined while the worker does not say */
  encoders?: Encoders | undefined;
};

/** The pool's workers reach the store inside the network; a registered server may be anywhere. */
export const reachOf = (node: string): UrlAudience => (node === poolNode ? 'internal' : 'public');
