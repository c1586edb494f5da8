import { setTimeout as sleep } from 'node:timers/promises';
import { StopExecutionCommand } from '@aws-sdk/client-sfn';
import { Refused } from '../../../test/journey/support/client.ts';
import { isTerminal, type JobItem, type VideoItem, videosIn } from '../checks/table-records.ts';
import {
  type Fault,
  type FaultContext,
  type FaultSet,
  type StartedVideo,
  type StateName,
  stateNames,
} from './fault.ts';

const tries = 5;
const longestMs = 60_000;

async function recordOf({ service }: FaultContext, { ulid }: StartedVideo): Promise<VideoItem> {
  const [record] = videosIn(await service.account.items(`VIDEO#${ulid}`));
  return record!;
}

const doneJobs = async ({ service }: FaultContext, { ulid }: StartedVideo): Promise<Map<string, number>> => {
  const jobs = (await service.account.jobsOf(ulid)) as JobItem[];
  return new Map(jobs.filter(({ status }) => status === 'DONE').map(({ pk, sk, attempt }) => [`${pk} ${sk}`, attempt]));
};

/** Stops an execution, as in the console. False if it ended before. */
async function stopAt(context: FaultContext, video: StartedVideo, state: StateName): Promise<boolean> {
  const { account } = context.service;
  await context.stateReached(video, { state, edge: 'entered' });
  const { executionArn } = await recordOf(context, video);
  await account.states.send(new StopExecutionCommand({ executionArn: String(executionArn), error: 'Stopped' }));
  for (const endMs = Date.now() + longestMs; ; await sleep(500)) {
    await account.invoke('reconcile').catch(() => undefined);
    const record = await recordOf(context, video);
    if (isTerminal(record)) return record.status === 'failed';
    if (Date.now() > endMs) throw new Error(`${video.ulid} was stopped but is ${record.status}`);
  }
}

/** A stopped video fails with a reason; when processed again it keeps finished work. */
const stoppedIn = (state: StateName): Fault => ({
  name: `an execution is stopped in ${state}`,
  slow: true,
  async inject(context) {
    const { client, startVideo, untilDone, note } = context;
    for (let n = 0; n < tries; n++) {
      const video = await startVideo({ template: 'slow' });
      if (!(await stopAt(context, video, state))) continue;
      const { outputs, streams } = await client.getVideo(video.ulid);
      const reasons = [...outputs, ...streams].map(({ error_log }) => error_log).filter(Boolean);
      if (!reasons.some((reason) => /^[A-Z_]+: ./.test(reason!)))
        throw new Error(`${video.ulid} failed without a reason`);
      const done = await doneJobs(context, video);
      await client.reprocess(video.ulid).catch((error: unknown) => {
        // Processed before, without a response.
        if (!(error instanceof Refused && error.status === 409)) throw error;
      });
      await untilDone(video);
      const again = await doneJobs(context, video);
      for (const [job, attempt] of done) {
        if (again.get(job) !== attempt) throw new Error(`${job} was finished but repeated`);
      }
      return note(`${done.size} jobs kept, ${video.ulid}`);
    }
    throw new Error(`no execution was found in ${state}`);
  },
});

/** The first state ends before it can be stopped; so does the last. */
const isTooShort = (state: StateName): boolean => state === 'CreateVideo' || state === 'Publish';

export const stopFaults: FaultSet = { faults: stateNames.filter((state) => !isTooShort(state)).map(stoppedIn) };
