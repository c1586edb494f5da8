import { readFile, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { addSpherical } from '../../../encoder-task/isobmff/add-metadata.ts';
import { h264, makeClip, useStoreAndFolder } from '../support/clips.ts';
import { streamsOf } from '../support/ffmpeg.ts';
import { packageFiles } from '../support/run-jobs.ts';
import { runPlan } from '../support/run-plan.ts';

const files = useStoreAndFolder();

const query = {
  version: 1,
  video: [{ name: 'v', codec: 'h264', height: 64, preset: 'ultrafast', crf: 26 }],
  outputs: [{ format: 'mp4' }],
};

const pose = { yaw: 90, pitch: -30, roll: 10 };

async function packaged(template: unknown): Promise<unknown> {
  const source = await makeClip(files.path('flat.mp4'), '10', 0.5, ...h264);
  const panorama = files.path('panorama.mp4');
  const stereo = { projection: 'equirectangular', stereo: 'top-bottom', pose } as const;
  await writeFile(panorama, addSpherical(await readFile(source), stereo));
  const made = await runPlan(files.store, panorama, template);
  expect(made.probed.video?.spherical).toEqual(stereo);
  const video = { files: made.video.get('v')!, frameCount: made.probed.video!.frameCount };
  const { durationSeconds } = made.plan;
  await packageFiles(files.store, { format: 'mp4', segmentSeconds: 6, durationSeconds }, { video });
  await writeFile(files.path('packaged.mp4'), files.store.objects.get('packaged/file.mp4')!);
  return (await streamsOf(files.path('packaged.mp4')))[0]?.side_data_list;
}

test('a 360° video is one in the MP4 file, turned like the source', async () => {
  expect(await packaged(query)).toContainEqual(
    expect.objectContaining({ side_data_type: 'Spherical Mapping', projection: 'equirectangular' }),
  );
  // ffmpeg 7 also writes a box (vexu) without mode and pose, which its ffprobe reads instead of these.
  const file = await readFile(files.path('packaged.mp4'));
  const topBottom = 1;
  expect(file[file.indexOf('st3d') + 8]).toBe(topBottom);
  const turns = file.indexOf('prhd') + 8;
  const [yaw, pitch, roll] = [0, 4, 8].map((offset) => file.readInt32BE(turns + offset) / 2 ** 16);
  expect({ yaw, pitch, roll }).toEqual(pose);
});

test('a 360° video with bars is flat, because they would be a part of the panorama', async () => {
  const video = [{ ...query.video[0], width: 64, height: 64 }];
  expect(await packaged({ ...query, video, scaling: { fit: 'pad' } })).toBeUndefined();
});
