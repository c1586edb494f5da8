import { spawn } from 'node:child_process';
import { buffer, text } from 'node:stream/consumers';

export type Ran = { stdout: Buffer; side: string; stderr: string; exitCode: number };

/** Runs ffmpeg or ffprobe to its end, whatever its exit code. `side` is its output on `pipe:3`. */
export async function run(program: 'ffmpeg' | 'ffprobe', args: string[]): Promise<Ran> {
  const child = spawn(program, ['-v', 'error', ...args], { stdio: ['ignore', 'pipe', 'pipe', 'pipe'] });
  const ended = new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  });
  const [stdout, stderr, side, exitCode] = await Promise.all([
    buffer(child.stdout!),
    text(child.stderr!),
    text(child.stdio[3] as NodeJS.ReadableStream),
    ended,
  ]);
  return { stdout, side, stderr, exitCode };
}

/** As `run`, and throws when the exit code is not 0. */
export async function runOrThrow(program: 'ffmpeg' | 'ffprobe', args: string[]): Promise<Ran> {
  const ran = await run(program, args);
  if (ran.exitCode !== 0) throw new Error(`${program} ${args.join(' ')}\n${ran.stderr}`);
  return ran;
}
