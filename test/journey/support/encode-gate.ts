import { chmod, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder with an ffmpeg that obeys gates, and the PATH of a service whose encoders use it. */
export type EncodeGates = { folder: string; path: string };

/**
 * Creates an ffmpeg that does not start an encode while the gate of its bitrate is closed, so that a journey can
 * interrupt it at any time. A slow encode would take a lot of processor time, and end too early on a fast machine.
 */
export async function createEncodeGates(): Promise<EncodeGates> {
  const folder = await mkdtemp(join(tmpdir(), 'encode-gates-'));
  const script = `#!/bin/sh
PATH='${process.env.PATH}'
for word; do
  gate='${folder}'/"$word"
  while [ "$option" = -b:v ] && [ -e "$gate" ]; do
    for permit in "$gate".*; do rm "$permit" 2>/dev/null && break 2; done
    sleep 0.1
  done
  option=$word
done
exec ffmpeg "$@"
`;
  await writeFile(join(folder, 'ffmpeg'), script);
  await chmod(join(folder, 'ffmpeg'), 0o755);
  // Tests may run as root. Then ffmpeg runs as another user, who removes the permits here.
  await chmod(folder, 0o777);
  return { folder, path: `${folder}:${process.env.PATH}` };
}

export type EncodeGate = ReturnType<typeof encodeGate>;

/** The gate of one bitrate. It is open at first. */
export function encodeGate({ folder }: Pick<EncodeGates, 'folder'>, bitrateBps: number) {
  const name = String(bitrateBps);
  let permits = 0;
  return {
    close: () => writeFile(join(folder, name), ''),
    /** Lets so many encodes pass, now or later. */
    async allow(count: number): Promise<void> {
      for (let each = 0; each < count; each++) await writeFile(join(folder, `${name}.${permits++}`), '');
    },
    async open(): Promise<void> {
      const files = (await readdir(folder)).filter((file) => file.split('.')[0] === name);
      await Promise.all(files.map((file) => rm(join(folder, file), { force: true })));
    },
  };
}
