import { expect, test } from 'vitest';
import { handler as fail } from '../../../../functions/pipeline/fail.lambda.ts';
import type { User } from '../../../../functions/table/records.ts';
import { nextPlan, reprocessVideo } from '../../../../functions/table/videos/reprocess-video.ts';
import { findVideo, findWholeVideo, type WholeVideo } from '../../../../functions/table/videos/video-table.ts';
import { createPerson } from '../../../fixtures/create-person.ts';
import { runPipeline, storeEncodedVideo } from '../../../fixtures/records/store-encoded-video.ts';
import { useBucket } from '../../../fixtures/use-bucket.ts';
import { useEmptyPool } from '../../../fixtures/use-empty-pool.ts';
import { useTable } from '../../../fixtures/use-table.ts';

useTable();
useBucket();
useEmptyPool();

const web = {
  version: 1,
  video: [{ name: 'v720', codec: 'h264', height: 720, bitrate: '2800k' }],
  outputs: [{ name: 'hls', format: 'hls', segment_duration: 4 }],
};
const gone = 'INPUT_GONE: The uploaded file is gone. Upload it again.';

const reprocess = (whole: WholeVideo, replan: boolean): Promise<boolean> =>
  reprocessVideo(whole.video, { replan, probe: undefined, quota: null, properties: {} }, {
    ulid: whole.video.ownerUlid,
  } as User);
const failPlan = async (ulid: string, reason: string): Promise<void> => {
  const { planNumber } = (await findVideo(ulid))!;
  await fail({ videoUlid: ulid, planNumber, error: { Error: 'Job.Fatal', Cause: reason } });
};
const shown = async (ulid: string) => {
  const { video, streams, outputs } = (await findWholeVideo(ulid))!;
  const [original] = streams;
  return {
    status: video.status,
    original: [original?.status, original?.errorLog],
    others: [...streams.slice(1), ...outputs].map(({ status, errorLog }) => [status, errorLog]),
  };
};

const playing = [
  ['completed', null],
  ['completed', null],
];

test.each([true, false])(
  'a reprocess that fails at its plan shows the reason at the original, while its outputs play (new plan: %s)',
  async (replan) => {
    const whole = await storeEncodedVideo((await createPerson()).user, web);
    const { ulid } = whole.video;
    expect(await reprocess(whole, replan)).toBe(true);
    await failPlan(ulid, gone);
    await failPlan(ulid, gone);
    expect(await shown(ulid)).toEqual({ status: 'failed', original: ['completed', gone], others: playing });

    expect(await reprocess((await findWholeVideo(ulid))!, replan)).toBe(true);
    await runPipeline(ulid, replan ? nextPlan((await findVideo(ulid))!) - 1 : 1);
    expect(await shown(ulid)).toEqual({ status: 'completed', original: ['completed', null], others: playing });
  },
);

test('the original does not repeat the reason of outputs that the run has failed', async () => {
  const whole = await storeEncodedVideo((await createPerson()).user, web, { unpackaged: ['hls'] });
  const { ulid } = whole.video;
  await reprocess(whole, false);
  const failure = whole.outputs[0]!.errorLog;
  expect((await shown(ulid)).original).toEqual(['completed', null]);
  expect(failure).toMatch(/^OUTPUT_MISMATCH: /);
  await failPlan(ulid, gone);
  // The output still shows why it failed before; the original shows why this run failed.
  expect(await shown(ulid)).toMatchObject({ original: ['completed', gone] });
});
