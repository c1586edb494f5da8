import { readEnvironment } from '../../shared/environment.ts';
import { countAdmitted } from '../table/admission/slots.ts';
import { findNodeCapacity } from '../table/nodes/node-capacity-table.ts';

type Workers = {
  nodes: {
    workers: number;
    /** seconds of estimated work that they do in a second */
    capacity: number;
  };
  maxTasks: number;
  coresPerTask: number;
  /** videos that are being processed */
  runningVideos: number;
};

/** What workers can be expected to do for one video: CPU seconds in a second, and jobs at the same time. */
type Expected = { capacity: number; workers: number };

/**
 * What can be expected for one video. All tasks that may run are counted, since they are started for the video when
 * they are missing, and a core is assumed to do one estimated second in a second. Videos that are being processed share
 * the workers equally; those that start later are not known.
 */
export function expectedForVideo({ nodes, maxTasks, coresPerTask, runningVideos }: Workers): Expected {
  const sharing = Math.max(1, runningVideos);
  return {
    capacity: (nodes.capacity + maxTasks * coresPerTask) / sharing,
    workers: Math.max(1, Math.floor((nodes.workers + maxTasks) / sharing)),
  };
}

/** The same for a video that is being planned, which has its slot already. */
export async function expectedCapacity(): Promise<Expected> {
  const [nodes, admitted] = await Promise.all([findNodeCapacity(), countAdmitted()]);
  return expectedForVideo({
    nodes,
    maxTasks: readEnvironment('MAX_TASKS'),
    coresPerTask: readEnvironment('CORES_PER_TASK'),
    runningVideos: admitted,
  });
}
