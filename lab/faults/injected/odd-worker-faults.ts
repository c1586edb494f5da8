import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { clockOption } from '../service/clock-option.ts';
import { type OwnWorker, startWorker, type WorkerSurroundings } from '../service/own-worker.ts';
import type { Fault, FaultContext, FaultSet } from './fault.ts';
import { MomentMissed } from './moment-missed.ts';

const run = promisify(execFile);
const hourSeconds = 3600;
/** A worker of the service may take the job first each time. */
const mostVideos = 12;
const nextVideoMs = 15_000;
const lookEveryMs = 500;
/** The worker keeps running for some time afterwards. */
const stayMs = 20_000;

/** Uploads videos until the odd worker has shown the expected behaviour. */
async function untilItHappens(
  context: FaultContext,
  surroundings: WorkerSurroundings,
  happened: (worker: OwnWorker, videoUlids: string[]) => boolean | Promise<boolean>,
): Promise<void> {
  const worker = await startWorker(context, surroundings);
  const ulids: string[] = [];
  try {
    while (ulids.length < mostVideos) {
      ulids.push((await context.startVideo()).ulid);
      for (const endMs = Date.now() + nextVideoMs; Date.now() < endMs; await sleep(lookEveryMs)) {
        if (!(await happened(worker, ulids))) continue;
        context.note(`${surroundings.name}, ${ulids}`);
        await sleep(stayMs);
        return;
      }
    }
    throw new MomentMissed(`not observed in ${mostVideos} videos: ${worker.said.slice(-3)}`);
  } finally {
    await worker.stop();
  }
}

const nameOf = ({ random }: FaultContext, what: string): string => `${what}-${random.between(0, 2 ** 31)}`;

const wrongClock = (name: string, aheadSeconds: number): Fault => ({
  name,
  async inject(context) {
    const own = nameOf(context, 'clock');
    const surroundings = { name: own, workFolder: join(context.folder, own), nodeOptions: [clockOption(aheadSeconds)] };
    await untilItHappens(context, surroundings, async (_, ulids) => {
      const jobs = await Promise.all(ulids.map(context.service.account.jobsOf));
      return jobs.flat().some(({ worker, status }) => worker === own && status === 'DONE');
    });
  },
});

const saysDiskFull = ({ said }: OwnWorker): boolean => said.some((line) => line.includes('DISK_FULL'));

/** Too small for a whole video, large enough for a part. */
const smallBytes = 64 * 1024;

const fullDisk: Fault = {
  name: "a worker's disk is full",
  async inject(context) {
    const own = nameOf(context, 'disk');
    const workFolder = join(context.folder, own);
    await mkdir(workFolder);
    try {
      await run('mount', ['-t', 'tmpfs', '-o', `size=${smallBytes}`, 'tmpfs', workFolder]);
    } catch {
      return limitFileSize.inject(context);
    }
    try {
      await untilItHappens(context, { name: own, workFolder }, saysDiskFull);
    } finally {
      await run('umount', ['--lazy', workFolder]);
    }
  },
};

/** A limit that every user can set: writing more than a few pages ends in SIGXFSZ. */
const limitFileSize: Fault = {
  name: 'a worker can write only small files',
  async inject(context) {
    const own = nameOf(context, 'limit');
    // Not in the folder of the run, which the user that a worker of root switches to cannot read.
    const binFolder = await mkdtemp(join(tmpdir(), 'small-files-'));
    try {
      const { stdout: prlimit } = await run('which', ['prlimit']);
      const text = `#!/bin/sh\nshift 3\nexec ${prlimit.trim()} --fsize=4096 "$@"\n`;
      await writeFile(join(binFolder, 'prlimit'), text);
      for (const path of [binFolder, join(binFolder, 'prlimit')]) await chmod(path, 0o755);
      await untilItHappens(context, { name: own, workFolder: join(context.folder, own), binFolder }, saysDiskFull);
    } finally {
      await rm(binFolder, { recursive: true });
    }
  },
};

export const oddWorkerFaults: FaultSet = {
  faults: [
    wrongClock('a worker whose clock is an hour ahead', hourSeconds),
    wrongClock('a worker whose clock is an hour behind', -hourSeconds),
    fullDisk,
    limitFileSize,
  ],
};
