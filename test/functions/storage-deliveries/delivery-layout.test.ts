import { expect, test } from 'vitest';
import { layoutOf, pathInVideo } from '../../../functions/storage-deliveries/delivery-layout.ts';

const ulid = '01K9Z3P6M8N9P0Q1R2S3T4V5W6';
const layout = (path: string) => {
  const { root, outputRoot, entryFolder } = layoutOf(ulid, { path });
  return { root, output: outputRoot('hls'), entry: entryFolder('hls') };
};

test('with an output in the path, each output has a folder of its own, and other files are beside them', () => {
  expect(layout('{ulid}/{output}/')).toEqual({ root: `${ulid}/`, output: `${ulid}/hls/`, entry: '' });
  expect(layout('films/{ulid}/v1/{output}/now/')).toEqual({
    root: `films/${ulid}/v1/`,
    output: `films/${ulid}/v1/hls/now/`,
    entry: '',
  });
});

test('without one, outputs share their files, and manifests are in a folder of their output', () => {
  expect(layout('films/{ulid}/')).toEqual({ root: `films/${ulid}/`, output: `films/${ulid}/`, entry: 'hls/' });
});

test('files keep their path in the folder of the video', () => {
  expect(pathInVideo(ulid, `videos/${ulid}/r1/a/b.m4s`)).toBe('r1/a/b.m4s');
});
