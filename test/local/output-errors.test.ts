import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { open } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';

const module = new URL('../../local/output-errors.ts', import.meta.url).href;

/** Writes a line to an stderr on a full disk, then one to stdout. */
async function writeToFullDisk(prepare: string) {
  const full = await open('/dev/full', 'w');
  try {
    const program = `${prepare} process.stderr.write('lost'); setTimeout(() => console.log('goes on'), 50)`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
      stdio: ['ignore', 'pipe', full.fd],
    });
    const ended = once(child, 'exit');
    return { stdout: await text(child.stdout!), status: (await ended)[0] };
  } finally {
    await full.close();
  }
}

test('a process whose log cannot be written goes on', async () => {
  const prepare = `import { ignoreOutputErrors } from '${module}'; ignoreOutputErrors();`;
  expect(await writeToFullDisk(prepare)).toEqual({ stdout: 'goes on\n', status: 0 });
});

test('without that it ends', async () => {
  expect(await writeToFullDisk('')).toEqual({ stdout: '', status: 1 });
});
