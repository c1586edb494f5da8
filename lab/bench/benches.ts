import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { VideoCodec } from '../../shared/media/codecs.ts';
import { type EndedStage, stagesFile } from '../../test/stages.mjs';
import { measureBackup } from './backup.ts';
import { measureDashboard } from './dashboard.ts';
import { measureDeliver } from './deliver/deliver.ts';
import { measureEdge } from './edge.ts';
import { type EncoderChoice, measureEncoders } from './encoders/encoders.ts';
import { measureCopy } from './encoding/copy.ts';
import { measureMemory } from './encoding/memory.ts';
import { measurePipeline } from './encoding/pipeline.ts';
import { measureQuality } from './encoding/quality.ts';
import { measureSourceReads } from './encoding/source-reads.ts';
import { measureStarterCost } from './encoding/starter-cost.ts';
import { measureWatermark } from './encoding/watermark.ts';
import { measureBundles } from './functions/bundles.ts';
import { measureDeployStep } from './functions/deploy-step.ts';
import { measureHandlers } from './functions/handlers.ts';
import { measureOrchestration } from './functions/orchestration.ts';
import { measurePages } from './functions/pages.ts';
import { measureWebhooks } from './functions/webhooks.ts';
import { measureBatch } from './ingest/batch.ts';
import { measureIngest } from './ingest/ingest.ts';
import { measureLadder } from './ladder/ladder.ts';
import { measureFirstFrame } from './playback/first-frame.ts';
import { measureProxy } from './proxy.ts';
import { type Row, row } from './row.ts';
import { measureServiceUse } from './service-use.ts';
import { measureStartUp } from './start-up.ts';

export type BenchChoice = EncoderChoice & {
  /** of the ladders */
  codec: VideoCodec;
};

export type Bench = {
  /** name for `--only` */
  name: string;
  /** shown while the bench runs */
  about: string;
  measure: (repeats: number, choice: BenchChoice) => Promise<Row[]>;
};

/** All benches in order of execution. */
export const benches: Bench[] = [
  { name: 'tests', about: 'the last run of npm test', measure: measureTestStages },
  { name: 'start', about: 'synthesis and start of the service', measure: measureStartUp },
  { name: 'use', about: 'memory and CPU of the service, at rest and while clients read', measure: measureServiceUse },
  { name: 'dashboard', about: 'the list of videos on a slow device', measure: measureDashboard },
  { name: 'backup', about: 'a backup of 1 GiB while the service runs', measure: measureBackup },
  { name: 'queue', about: 'jobs without work, through a whole service', measure: measureOrchestration },
  { name: 'bundles', about: 'size and import of each function', measure: measureBundles },
  { name: 'handlers', about: 'handlers beside the store', measure: measureHandlers },
  { name: 'webhooks', about: 'events beside a dead endpoint', measure: measureWebhooks },
  { name: 'pages', about: 'pages of long lists', measure: measurePages },
  { name: 'deploy', about: 'a deployment step over SSH', measure: measureDeployStep },
  { name: 'upload', about: 'uploads to the embedded store', measure: () => measureUpload(2) },
  { name: 'ingest', about: 'the fetch of a file against curl', measure: measureIngest },
  { name: 'deliver', about: 'the delivery of 2 GB to a storage against aws s3 cp', measure: measureDeliver },
  { name: 'batch', about: 'a prefix of a million keys in a storage', measure: measureBatch },
  { name: 'pipeline', about: 'the pipeline against a single ffmpeg', measure: measurePipeline },
  {
    name: 'first-frame',
    about: 'from the end of an upload to the first frame in Chromium',
    measure: measureFirstFrame,
  },
  { name: 'memory', about: 'memory of a worker and its ffmpeg', measure: measureMemory },
  { name: 'quality', about: 'encodes in chunks against whole ones', measure: measureQuality },
  {
    name: 'ladder',
    about: 'the automatic ladder in both modes: bytes and XPSNR',
    measure: (_, choice) => measureLadder(choice),
  },
  {
    name: 'encoders',
    about: 'presets of the encoders in several builds of ffmpeg',
    measure: (_, choice) => measureEncoders(choice),
  },
  { name: 'copy', about: 'ten minutes of video that is copied', measure: measureCopy },
  { name: 'watermark', about: 'a ladder with a watermark against one without', measure: measureWatermark },
  { name: 'starter', about: 'the starter before the other rungs', measure: () => measureStarterCost() },
  { name: 'proxy', about: 'signed delivery against plain files', measure: () => measureProxy(10) },
  { name: 'edge', about: 'signed delivery by the embedded distribution', measure: measureEdge },
  { name: 'reads', about: 'bytes of a source that jobs read', measure: measureSourceReads },
];

/** Duration and CPU time of each stage of the last `npm test`. Other load changes CPU time less. */
async function measureTestStages(): Promise<Row[]> {
  const text = await readFile(stagesFile, 'utf8').catch(() => undefined);
  if (text === undefined) {
    console.error('npm test has not been run in this folder.');
    return [];
  }
  const stages = JSON.parse(text) as EndedStage[];
  const cpuSeconds = stages.reduce((sum, stage) => sum + stage.cpuSeconds, 0);
  return [
    ...stages.map(({ name, seconds }) => row({ name: `npm test: ${name}`, value: seconds, unit: 's' })),
    row({ name: 'npm test: processor time', value: cpuSeconds, unit: 's', atMost: 1000 }),
  ];
}

type Upload = { bytes: number; seconds: number; peakRssBytes: number; ratio: number };

/** A large multipart upload to the embedded S3, compared with a plain copy of as many bytes to the same disk. */
async function measureUpload(gibibytes: number): Promise<Row[]> {
  const program = join(import.meta.dirname, 's3-upload.ts');
  const { stdout } = await promisify(execFile)(process.execPath, [program, String(gibibytes)]);
  const { seconds, peakRssBytes, ratio } = JSON.parse(stdout) as Upload;
  return [
    row({
      name: `upload of ${gibibytes} GiB into the store`,
      unit: 's',
      ratioAtMost: 4,
      value: seconds,
      baseline: seconds * ratio,
    }),
    row({ name: 'memory of the store at most', value: peakRssBytes / 2 ** 20, unit: 'MiB', atMost: 190 }),
  ];
}
