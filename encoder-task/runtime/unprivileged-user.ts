import { readFileSync } from 'node:fs';
import { lchown, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** `nobody` on every Linux: an account that owns nothing. */
const nobody = 65_534;

/** CAP_CHOWN, CAP_SETGID and CAP_SETUID (capabilities(7)). A container's root may lack them. */
const neededRights = (1n << 0n) | (1n << 6n) | (1n << 7n);

/** Who decodes a stranger's file: somebody else than root, where the worker is root. Undefined where it is not, or may not change that. */
export const unprivilegedUser = mayBecomeAnother() ? { uid: nobody, gid: nobody } : undefined;

function mayBecomeAnother(): boolean {
  if (process.getuid?.() !== 0) return false;
  try {
    const rights = /^CapEff:\s*([0-9a-f]+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
    return (BigInt(`0x${rights ?? 0}`) & neededRights) === neededRights;
  } catch {
    return false;
  }
}

/** Makes a job's folder and all in it that user's, who can then write there, and nowhere else. */
export async function giveFolder(folder: string): Promise<void> {
  if (!unprivilegedUser) return;
  const { uid, gid } = unprivilegedUser;
  for (const name of await readdir(folder, { recursive: true })) await lchown(join(folder, name), uid, gid);
  await lchown(folder, uid, gid);
}
