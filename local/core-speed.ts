import { execFile } from 'node:child_process';
import { hash } from 'node:crypto';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { repositoryRoot } from '../infra/repository-root.ts';

const defaultCacheFolder = join(repositoryRoot, 'node_modules/.cache/core-speed');
const keptDays = 7;

/**
 * CPU seconds of the measured encode where estimates of CPU time are right, and a tenth more: small differences are
 * covered by the reserves of planning.
 */
const referenceCpuSeconds = 0.55;
const encodeArgs = [
  ...['-hide_banner', '-nostdin', '-benchmark', '-f', 'lavfi', '-i', 'testsrc2=size=640x360:rate=25:duration=4'],
  ...['-c:v', 'libx264', '-preset', 'medium', '-threads', '1', '-f', 'null', '-'],
];
const maxMilliseconds = 20_000;

/**
 * How many seconds of estimated CPU time a core of this machine does in a second, at most 1. If a slow machine were
 * expected to be faster, viewers of a video that is still encoded would wait. A measurement takes half a second or
 * more, so it is used for a week.
 */
export async function findCoreSpeed(
  cacheFolder: string = defaultCacheFolder,
  measure: () => Promise<number> = measureCpuSeconds,
): Promise<number> {
  const machine = JSON.stringify([cpus()[0]?.model, availableParallelism()]);
  const file = join(cacheFolder, hash('sha256', machine).slice(0, 16));
  const kept = await readKept(file);
  if (kept !== undefined) return kept;
  const cpuSeconds = await measure().catch(() => undefined);
  // The first job will say why ffmpeg does not run.
  if (cpuSeconds === undefined) return 1;
  const speed = Math.min(1, referenceCpuSeconds / cpuSeconds);
  // The container of the image may have a read-only root: it measures at each start.
  await keep(file, speed).catch(() => {});
  return speed;
}

async function keep(file: string, speed: number): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, speed.toFixed(3));
}

async function readKept(file: string): Promise<number | undefined> {
  const found = await stat(file).catch(() => undefined);
  if (!found || Date.now() - found.mtimeMs > keptDays * 86_400_000) return undefined;
  const speed = Number(await readFile(file, 'utf8'));
  // Another process may be writing the file.
  return speed > 0 ? speed : undefined;
}

/**
 * CPU seconds of a short encode, of which every core runs one: cores share caches, and some share a processor.
 * @throws when ffmpeg fails or takes too long
 */
export async function measureCpuSeconds(): Promise<number> {
  const all = await Promise.all(Array.from({ length: availableParallelism() }, encode));
  return all.reduce((sum, seconds) => sum + seconds, 0) / all.length;
}

async function encode(): Promise<number> {
  const { stderr } = await promisify(execFile)('ffmpeg', encodeArgs, { timeout: maxMilliseconds });
  const [, user, system] = /^bench: utime=([\d.]+)s stime=([\d.]+)s/m.exec(stderr) ?? [];
  if (user === undefined || system === undefined) throw new Error('ffmpeg did not print its CPU time.');
  return Number(user) + Number(system);
}
