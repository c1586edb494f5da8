import type { Pace } from '../ingest/pace.ts';
import type { JobFiles } from '../transfer/job-files.ts';
import type { PieceReader } from './pieces.ts';
import type { TargetClient } from './target-client.ts';

/** The environment of a copy: the service, its store, and the store of the user. */
export type CopyContext = Pick<JobFiles, 'askParts'> & {
  reader: PieceReader;
  client: TargetClient;
  pace: Pace;
  signal: AbortSignal;
  /** of the first repeated request; later ones wait longer */
  firstDelayMs: number;
  /** 0 to 1 */
  reportProgress: (fraction: number) => void;
};
