import { readEnvironment } from '../../shared/environment.ts';
import { findAdmitted } from '../table/admission/admission-table.ts';
import { nodeCapacity } from './node-capacity.ts';

type Capacity = {
  /** seconds of estimated work that the workers of live nodes do in a second */
  nodes: number;
  maxTasks: number;
  coresPerTask: number;
  /** videos that are being processed */
  runningVideos: number;
};

/**
 * Estimated CPU seconds that workers do in a second for one video. All tasks that may run are counted, since they are
 * started for the video when they are missing, and a core is assumed to do one estimated second in a second. Videos
 * that are being processed share the workers equally; those that start later are not known.
 */
export const capacityPerVideo = ({ nodes, maxTasks, coresPerTask, runningVideos }: Capacity): number =>
  (nodes + maxTasks * coresPerTask) / Math.max(1, runningVideos);

/** The capacity for a video that is being planned, which has its slot already. */
export async function expectedCapacity(): Promise<number> {
  const [nodes, admitted] = await Promise.all([nodeCapacity(), findAdmitted()]);
  return capacityPerVideo({
    nodes,
    maxTasks: readEnvironment('MAX_TASKS'),
    coresPerTask: readEnvironment('CORES_PER_TASK'),
    runningVideos: Object.keys(admitted).length,
  });
}
