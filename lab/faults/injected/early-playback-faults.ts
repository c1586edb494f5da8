import { setTimeout as sleep } from 'node:timers/promises';
import { StopExecutionCommand } from '@aws-sdk/client-sfn';
import { Refused } from '../../../test/journey/support/client.ts';
import { videosIn } from '../checks/table-records.ts';
import { send } from '../service/service-processes.ts';
import type { Ending, Fault, FaultContext, FaultSet, StartedVideo } from './fault.ts';
import { MomentMissed } from './moment-missed.ts';
import { remove } from './video-faults.ts';

/** Acts on a video that plays while it is encoded. */
const asItPlays = (
  name: string,
  act: (context: FaultContext, video: StartedVideo) => Promise<unknown>,
  { ends = 'completed', ...options }: { ends?: Ending; weight?: number; slow?: boolean } = {},
): Fault => ({
  weight: 2,
  ...options,
  name: `${name} as a video plays that is encoded`,
  async inject(context) {
    const video = await context.startVideo({ template: 'early', ends });
    if (!(await context.playbackOf(video).untilPlaying())) throw new MomentMissed(`${video.ulid} did not play early`);
    await sleep(context.random.between(0, 3_000));
    await act(context, video);
    context.note(video.ulid);
  },
});

async function killWorker({ encodersOf }: FaultContext, video: StartedVideo): Promise<void> {
  const [held] = await encodersOf(video);
  if (!held) throw new MomentMissed('no worker encodes it any more');
  send(held.worker, 'SIGKILL');
  send(held.encoder, 'SIGKILL');
}

/** As in the console. The video fails, and is processed again from where it was. */
async function stopAndReprocess(context: FaultContext, video: StartedVideo): Promise<void> {
  const { client, service, note, playbackOf, untilDone } = context;
  const [record] = videosIn(await service.account.items(`VIDEO#${video.ulid}`));
  const executionArn = String(record!.executionArn);
  await service.account.states.send(new StopExecutionCommand({ executionArn, error: 'Stopped' }));
  const seen = playbackOf(video).untilFailureSeen();
  let isSeen = false;
  void seen.then(() => {
    isSeen = true;
  });
  while (!isSeen) {
    await service.account.invoke('reconcile').catch(() => undefined);
    await Promise.race([seen, sleep(1000)]);
  }
  const { status } = await client.getVideo(video.ulid);
  if (status !== 'failed') return note('it was completed before');
  await client.reprocess(video.ulid).catch((error: unknown) => {
    if (!(error instanceof Refused && error.status === 409)) throw error;
  });
  await untilDone(video);
}

export const earlyPlaybackFaults: FaultSet = {
  faults: [
    asItPlays('kill -9 of the service', ({ service }) => service.restart({ signal: 'SIGKILL' })),
    asItPlays('kill -9 of all processes', ({ service }) => service.restart({ signal: 'SIGKILL', workersToo: true })),
    asItPlays('kill -9 of a worker', killWorker, { slow: true }),
    asItPlays('an execution is stopped and repeated', stopAndReprocess),
    asItPlays('deletion', ({ client }, { ulid }) => remove(client, ulid), { ends: 'deleted' }),
  ],
};
