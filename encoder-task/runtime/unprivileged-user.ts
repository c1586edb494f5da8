import { readFileSync } from 'node:fs';
import { lchown, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** The user `nobody` on every Linux, which owns no files. */
const nobodyId = 65_534;

/** CAP_CHOWN, CAP_SETGID and CAP_SETUID (capabilities(7)), which root in a container may lack. */
const requiredCapabilities = (1n << 0n) | (1n << 6n) | (1n << 7n);

/**
 * The user for processes that decode untrusted files when the worker is root. Undefined when it is not root, or may not
 * change the user: on Fargate and nodes the worker itself has no rights, and in a Lambda function it is a user whom
 * Lambda chooses, who can write to /tmp only. A process that takes over ffmpeg then has what the worker has: the URLs
 * of its job, and its token.
 */
export const unprivilegedUser = canChangeUser() ? { uid: nobodyId, gid: nobodyId } : undefined;

function canChangeUser(): boolean {
  if (process.getuid?.() !== 0) return false;
  try {
    const capabilities = /^CapEff:\s*([0-9a-f]+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
    return (BigInt(`0x${capabilities ?? 0}`) & requiredCapabilities) === requiredCapabilities;
  } catch {
    return false;
  }
}

/**
 * Gives the job folder with its contents to that user, who can write nowhere else. Another process of the job may
 * rename or remove files and folders at the same time, and owns what it renames.
 */
export async function chownFolder(folder: string): Promise<void> {
  if (!unprivilegedUser) return;
  const { uid, gid } = unprivilegedUser;
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await chownFolder(path).catch(ignoreMissing);
    else await lchown(path, uid, gid).catch(ignoreMissing);
  }
  await lchown(folder, uid, gid);
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}
