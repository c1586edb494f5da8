import type { Run } from '../table/videos/run.ts';
import type { RunOperations } from './run-operations.ts';
import { streamEditRun } from './stream-edit-run/stream-edit-run.ts';
import { videoRun } from './video-run/video-run.ts';

/** The operations of a run, by its kind. This is the only place that branches on the kind. */
export function operationsOf(run: Run): RunOperations {
  switch (run.kind) {
    case 'video':
      return videoRun(run);
    case 'stream-edit':
      return streamEditRun(run);
  }
}
