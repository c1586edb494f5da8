import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const usualPath = process.env.PATH!;

/**
 * Replaces ffmpeg by a script, in which `ffmpeg` is the real one. When tests run as root, jobs run ffmpeg as an
 * unprivileged user, who needs access to `folder`.
 */
export async function replaceFfmpeg(folder: string, lines: string[]): Promise<void> {
  const bin = join(folder, 'bin');
  await mkdir(bin, { recursive: true });
  await chmod(folder, 0o755);
  await writeFile(join(bin, 'ffmpeg'), `#!/bin/sh\nPATH='${usualPath}'\n${lines.join('\n')}\n`);
  await chmod(join(bin, 'ffmpeg'), 0o755);
  process.env.PATH = `${bin}:${usualPath}`;
}

export function restoreFfmpeg(): void {
  process.env.PATH = usualPath;
}
