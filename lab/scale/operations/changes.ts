import { releaseSlot } from '../../../functions/admission/admission.ts';
import { handler as reconcile } from '../../../functions/schedule/reconcile.lambda.ts';
import { handler as sweep } from '../../../functions/schedule/sweep.lambda.ts';
import { transact } from '../../../functions/table/items/items.ts';
import type { Video } from '../../../functions/table/records.ts';
import { videoDeletion } from '../../../functions/table/writes/video-deletion.ts';
import { timestamp } from '../../../shared/clock.ts';
import { storeVideo } from '../../../test/fixtures/records/store-video.ts';
import type { Actors } from '../table/actors.ts';
import { storeOpenUpload } from '../table/store-records.ts';
import type { Operation } from './operation.ts';

const deletions = 5;
const expired = 5;
const weekMilliseconds = 7 * 24 * 3600 * 1000;

/** What follows a change of a fixed size. */
export function changes({ owner, template, running }: Actors): Operation[] {
  const deleted: Video[] = [];
  return [
    { name: 'end of a video while others wait', run: () => releaseSlot(running[0]!) },
    {
      name: `sweep of ${deletions} deleted videos`,
      async prepare() {
        for (let count = 0; count < deletions; count++) {
          deleted.push((await storeVideo(owner.user, { template })).video);
          await transact(videoDeletion(deleted.at(-1)!));
        }
      },
      run: () => sweep({ waiting: true }),
    },
    {
      name: `reconcile with ${expired} expired uploads`,
      async prepare() {
        // What has become due since the last run is not part of this change.
        await reconcile({ scheduled: true });
        const createdAt = timestamp(Date.now() - weekMilliseconds - 1000);
        for (let count = 0; count < expired; count++) await storeOpenUpload(owner.user, template, { createdAt });
      },
      run: () => reconcile({ scheduled: true }),
    },
  ];
}
