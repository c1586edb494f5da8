import { spawn } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';

const program = fileURLToPath(new URL('../../local/main.ts', import.meta.url));

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'main-'));
  await writeFile(join(folder, 'empty.mp4'), '');
});
afterAll(() => rm(folder, { recursive: true }));

async function run(args: string[], environment: Record<string, string> = {}) {
  const child = spawn(process.execPath, [program, ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH, DATA_DIR: join(folder, 'data'), ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const status = new Promise((resolve) => child.once('exit', resolve));
  return { stdout: await text(child.stdout), stderr: await text(child.stderr), status: await status };
}

test.each([
  [['absent.mp4'], {}, 'There is no file absent.mp4: check the name.\n'],
  [['.'], {}, '. is a folder: name the files in it.\n'],
  [['empty.mp4'], {}, 'empty.mp4 is empty: there is nothing to encode in it.\n'],
  [['--fast'], {}, "Unknown option '--fast': see npm start -- --help.\n"],
  [[], { PORT: 'http' }, 'PORT is a whole number from 1 to 65534, not http.\n'],
])('%j with %j says one sentence, ends with 1 and leaves nothing behind', async (args, environment, stderr) => {
  expect(await run(args, environment)).toEqual({ stdout: '', stderr, status: 1 });
  expect(await readdir(folder)).toEqual(['empty.mp4']);
});

test('--help tells what there is and ends with 0', async () => {
  const { stdout, status } = await run(['--help']);
  expect([stdout.split('\n')[0], status]).toEqual(['Runs the video service on this machine.', 0]);
});
