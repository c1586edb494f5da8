import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { measureCpu } from '../../../encoder-task/runtime/child-cpu.ts';
import { prlimitArgs } from '../../../encoder-task/runtime/process-limits.ts';
import { type Run, run } from '../../../encoder-task/runtime/run-process.ts';
import { unprivilegedUser } from '../../../encoder-task/runtime/unprivileged-user.ts';
import { JobError } from '../../../shared/protocol/job-errors.ts';
import { limits } from '../support/context.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'run-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** Arguments of an ffmpeg that runs in real time until it is stopped. */
const endless = [
  '-nostdin',
  '-v',
  'error',
  '-progress',
  'pipe:1',
  '-re',
  '-f',
  'lavfi',
  '-i',
  'anullsrc',
  '-f',
  'null',
  '-',
];

const start = (args: string[], more: Partial<Run> = {}): ReturnType<typeof run> =>
  run({
    program: 'ffmpeg',
    args,
    folder,
    limits,
    priority: 'normal',
    signal: new AbortController().signal,
    onLine: () => undefined,
    ...more,
  });

/** What is seen of a run with its first line, before it is stopped. */
async function lookAt<Seen>(look: (pid: number) => Seen, more: Partial<Run> = {}): Promise<Seen> {
  const stop = new AbortController();
  const seen: Seen[] = [];
  await start(endless, {
    ...more,
    signal: stop.signal,
    onLine: () => {
      // Lines that were written before the end may follow it.
      if (stop.signal.aborted) return;
      // By its arguments: an ffmpeg that runs with the loader of another system has the name of that.
      const pid = execFileSync('pgrep', ['-P', String(process.pid), '-f', 'ffmpeg']).toString();
      seen.push(look(Number.parseInt(pid, 10)));
      stop.abort(new Error('seen'));
    },
  }).catch(() => undefined);
  return seen[0]!;
}

const isAlive = (marker: string): boolean => execFileSync('ps', ['-eo', 'args']).toString().includes(marker);

describe('a run', () => {
  test('resolves with its exit code and the tail of its messages', async () => {
    const ended = await start(['-nostdin', '-v', 'error', '-i', 'missing.mp4', '-f', 'null', '-']);
    expect(ended.exitCode).not.toBe(0);
    expect(ended.stderrTail).toContain('missing.mp4');
  });

  test('is killed with its process group when the job is stopped', async () => {
    const stop = new AbortController();
    const marker = 'marker-of-the-stopped-run';
    const running = start([...endless, '-metadata', `title=${marker}`], {
      signal: stop.signal,
      onLine: () => stop.abort(new JobError('CANCELLED', 'cancelled')),
    });
    await expect(running).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(isAlive(marker)).toBe(false);
  });

  test('is killed when it makes no progress', async () => {
    // -re waits for hours between two frames
    const stuck = endless.map((arg) => (arg === 'anullsrc' ? 'color=r=1/86400' : arg));
    await expect(start(stuck, { limits: { ...limits, stallSeconds: 0.7 } })).rejects.toMatchObject({
      code: 'ENCODER_STALLED',
    });
  });

  test('does not inherit the environment of the worker', async () => {
    process.env.SECRET_OF_THE_WORKER = 'secret';
    const environ = await lookAt((pid) => readFileSync(`/proc/${pid}/environ`, 'utf8'));
    expect(environ).toContain(`HOME=${folder}`);
    expect(environ).not.toContain('SECRET_OF_THE_WORKER');
  });

  test('runs as an unprivileged user when the worker is root', async () => {
    const status = await lookAt((pid) => readFileSync(`/proc/${pid}/status`, 'utf8'));
    const [, users = ''] = /^Uid:\s+(.*)$/m.exec(status)!;
    const expected = unprivilegedUser?.uid ?? process.getuid!();
    expect(users.split('\t')).toEqual(Array(4).fill(String(expected)));
  });

  test.each([
    ['normal', 0],
    ['reduced', 5],
    ['low', 10],
  ] as const)('has a priority (%s) that is reduced by %i', async (priority, reduced) => {
    const found = await lookAt((pid) => getPriority(pid), { priority });
    expect(found).toBe(Math.min(19, getPriority() + reduced));
  });

  test('has memory and file size limits', async () => {
    expect(prlimitArgs({ memoryBytes: 4e9, diskBytes: 1e9 })).toEqual([
      '--data=4000000000',
      '--stack=2097152',
      '--fsize=1000000000',
      '--core=0',
    ]);
    const tooLarge = start(['-v', 'error', '-y', '-f', 'lavfi', '-i', 'testsrc=d=1', '-f', 'rawvideo', 'big.raw'], {
      limits: { ...limits, diskBytes: 100_000 },
    });
    await expect(tooLarge).rejects.toMatchObject({ code: 'DISK_FULL' });
  });

  test('has its CPU seconds counted', async () => {
    const busy = ['-v', 'error', '-f', 'lavfi', '-i', 'testsrc2=s=640x360:d=2', '-c:v', 'libx264', '-f', 'null', '-'];
    const { cpuSeconds } = await measureCpu(() => start(busy));
    expect(cpuSeconds).toBeGreaterThan(0.05);
    expect(cpuSeconds).toBeLessThan(60);
  });
});
