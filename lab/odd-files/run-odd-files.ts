import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Account, openAccount } from '../../test/journey/support/account.ts';
import { type Client, Refused, signUp } from '../../test/journey/support/client.ts';
import { startService } from '../../test/journey/support/service.ts';
import { isTerminal, jobsIn, videosIn } from '../faults/checks/table-records.ts';
import { createRandom } from '../faults/random.ts';
import { patientFetch } from '../faults/service/patient-fetch.ts';
import { clipOf, makeClips } from './clips.ts';
import { type OddFile, oddFile } from './odd-file.ts';
import { endsOf, type Sent, table, wrongEnds } from './report.ts';
import { overtaken, waitsSeconds } from './waiting.ts';

export type OddFilesOptions = {
  count: number;
  seed: number;
  /** sends only the odd file at this position */
  only?: number | undefined;
  print: (line: string) => void;
  /** receives a function that stops the service early and removes its files */
  onStarted?: (stop: () => Promise<void>) => void;
};

const workers = 2;
const goodBeforehand = 3;
/** A good file follows after this many odd ones. */
const goodEvery = 16;
const maxUnfinished = 12;
/** No job of a small file takes longer; the worker stops a hanging attempt after two minutes. */
const longestIdleMs = 180_000;

const template = {
  version: 1,
  video: [{ name: 'v90', codec: 'h264', height: 90, crf: 30, preset: 'ultrafast' }],
  audio: [{ name: 'stereo', codec: 'aac', bitrate: '64k', channels: 2 }],
  outputs: [{ format: 'hls', segment_duration: 2 }],
  chunk_duration: 4,
  thumbnails: { poster: { at: '10%', width: 160 } },
};

/**
 * Sends odd files to a new service, with good files between them, and checks the end of each. Resolves with the
 * problems, one sentence each.
 */
export async function runOddFiles({ count, seed, only, print, onStarted }: OddFilesOptions): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'odd-files-'));
  const clips = await makeClips(folder);
  const service = await startService({ dataFolder: join(folder, 'data'), env: { WORKERS: String(workers) } });
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  onStarted?.(() => service.stop().then(remove));
  const account = await openAccount(join(folder, 'data'));
  try {
    const [good, odd] = [await createUser(service.apiUrl), await createUser(service.apiUrl)];
    const goodFile = clipOf(clips, 'clip.mp4');
    const sent: Sent[] = [];
    const sendGood = async (): Promise<void> => void sent.push(await send(good, folder, goodFile, null));

    for (let n = 0; n < goodBeforehand; n++) await sendGood();
    await untilEnded(account, sent, 0);
    const alone = new Set(sent.flatMap(({ ulid }) => ulid ?? []));
    print(waitsText('without odd files', waitsSeconds(await account.items(), alone)));

    for (const position of only === undefined ? range(count) : [only]) {
      const file = oddFile(clips, createRandom(seed * 1_000_003 + position), position);
      await untilEnded(account, sent, maxUnfinished);
      sent.push(await send(odd, folder, file.bytes, file));
      if (position % goodEvery === 0) {
        await sendGood();
        print(`${position} odd files sent`);
      }
    }
    const stuck = await untilEnded(account, sent, 0);

    const items = await account.items();
    const ended = endsOf(sent, items);
    const goodUlids = new Set(sent.filter(({ file }) => file === null).flatMap(({ ulid }) => ulid ?? []));
    const beside = new Set([...goodUlids].filter((ulid) => !alone.has(ulid)));
    for (const { file, end, attempts, reason } of ended) {
      if (file)
        print(
          `${String(file.position).padStart(4)} ${file.kind} (${file.how}): ${end}, ${attempts} attempts ${reason}`,
        );
    }
    for (const line of table(ended)) print(line);
    print(waitsText('with odd files', waitsSeconds(items, beside)));
    return [
      ...stuck.map((ulid) => `the video ${ulid} did not finish`),
      ...wrongEnds(ended),
      ...overtaken(items, goodUlids, workers),
      ...heldJobs(items),
      ...service.errors.filter((line) => /uncaught|unhandled/i.test(line)),
    ];
  } finally {
    account.close();
    await service.stop();
    await remove();
  }
}

type User = { client: Client; template: string };

async function createUser(apiUrl: string): Promise<User> {
  const client = await signUp(apiUrl, patientFetch);
  return { client, template: await client.makeTemplate(template) };
}

async function send({ client, template }: User, folder: string, bytes: Buffer, file: OddFile | null): Promise<Sent> {
  const path = join(folder, 'upload.mp4');
  await writeFile(path, bytes);
  try {
    return { ulid: await client.upload({ file: path, template, partBytes: 16 * 2 ** 20 }), file, refused: null };
  } catch (error) {
    if (error instanceof Refused) return { ulid: null, file, refused: error.message };
    throw error;
  }
}

/**
 * Waits until at most `most` videos are unfinished, or no video has finished for some minutes. Resolves with the
 * unfinished videos.
 */
async function untilEnded(account: Account, sent: readonly Sent[], most: number): Promise<string[]> {
  let [left, changedMs] = [Number.POSITIVE_INFINITY, Date.now()];
  for (;;) {
    const ended = new Set(
      videosIn(await account.items('VIDEO#'))
        .filter(isTerminal)
        .map(({ ulid }) => ulid),
    );
    const open = sent.flatMap(({ ulid }) => (ulid !== null && !ended.has(ulid) ? [ulid] : []));
    if (open.length < left) [left, changedMs] = [open.length, Date.now()];
    if (open.length <= most || Date.now() - changedMs > longestIdleMs) return most === 0 ? open : [];
    await sleep(500);
  }
}

const waitsText = (when: string, seconds: readonly number[]): string =>
  `${when}, the ${seconds.length} jobs of good files were queued for ${seconds[seconds.length >> 1]} s (median), ${seconds.at(-1)} s (maximum)`;

const heldJobs = (items: Awaited<ReturnType<Account['items']>>): string[] =>
  jobsIn(items)
    .filter(({ status }) => status === 'LEASED' || status === 'QUEUED')
    .map(({ videoUlid, kind, status }) => `a ${kind} of ${videoUlid} is ${status} at the end`);

const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);
