import { ensureFfmpeg, ensurePackages, exitWith } from '../local/setup.mjs';
import { runStages, testStage } from './stages.mjs';

const testTimeoutMs = 1_800_000;
/** All of them take hours. */
const MEDIA_SHARE = process.env.MEDIA_SHARE ?? '1/16';

/**
 * `npm run test:long`: tests that are too long for `npm test`. Random faults in a working service, a third of all
 * lost-call combinations, many malformed requests to the API, a first deployment by the CDK with a fake AWS, all images
 * in a Docker engine and nodes on a Debian 13 root, the memory of a worker that fetches large files, all codecs in a
 * browser, Caddy, a ladder of constant quality for moving pictures, all pairs of template options, all cases of the
 * tests of bundles, backups and the encoder, and those of the encoder and the media with the ffmpeg of the image too.
 */
await exitWith(async () => {
  ensurePackages();
  ensureFfmpeg();
  return runStages([
    testStage('long'),
    testStage('images'),
    testStage('unit', { name: 'lost calls', folder: 'test/lab/faults/store', testTimeoutMs, env: { EVERY: '3' } }),
    testStage('unit', { name: 'odd requests', folder: 'test/lab/fuzz', testTimeoutMs, env: { FUZZ_RUNS: '3000' } }),
    testStage('unit', { name: 'all builds', folder: 'test/infra/build', env: { ALL_CASES: '1' } }),
    testStage('unit', {
      name: 'all backups',
      folder: 'test/local/backup',
      testTimeoutMs,
      env: { ALL_CASES: '1' },
    }),
    testStage('unit', { name: 'all sources', folder: 'test/encoder-task', testTimeoutMs, env: { ALL_CASES: '1' } }),
    testStage('media', { env: { MEDIA_SHARE } }),
    testStage('image-ffmpeg', {
      name: 'sources and media with the ffmpeg of the image',
      env: { ALL_CASES: '1', MEDIA_SHARE },
    }),
  ]);
});
