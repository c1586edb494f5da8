import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { promisify } from 'node:util';
import { stopServer } from 'embedded-aws';
import { type DataFolder, makeDataFolder, putObject } from '../../test/local/backup/sample-data-folder.ts';
import { serveBackups } from '../../test/local/backup/sample-service.ts';
import { type Row, row } from './row.ts';
import { secondsOf } from './stop-watch.ts';

const objects = 4096;
const objectBytes = 256 * 1024;
const items = 20_000;
const runningExecutions = 100;
const finishedExecutions = 1000;

/** A backup of 1 GiB while the service runs: how long its main thread does nothing else, and the time of the whole. */
export async function measureBackup(): Promise<Row[]> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-backup-'));
  try {
    const data = await makeLargeFolder(join(folder, 'data'));
    const server = await serveBackups(data);
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    let printed = '';
    const seconds = await secondsOf(async () => {
      printed = await runBackup(join(folder, 'backup'), data.path);
    });
    delay.disable();
    await stopServer(server);
    await data.close();
    const copySeconds = await secondsOf(() => cp(data.path, join(folder, 'copy'), { recursive: true }));
    const [, pauseMs] = /The service paused for (\d+) ms/.exec(printed)!;
    return [
      row({ name: 'backup of 1 GiB: pause of the service', value: Number(pauseMs), unit: 'ms', atMost: 200 }),
      row({ name: 'backup of 1 GiB: longest delay of its event loop', value: delay.max / 1e6, unit: 'ms' }),
      row({
        name: 'backup of 1 GiB, against cp -r',
        value: seconds,
        baseline: copySeconds,
        unit: 's',
        ratioAtMost: 3,
      }),
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function makeLargeFolder(path: string): Promise<DataFolder> {
  for (const [parent, count] of [
    ['running', runningExecutions],
    ['finished', finishedExecutions],
  ] as const) {
    for (let index = 0; index < count; index += 1) {
      const execution = join(path, 'executions', parent, `${parent}-${index}`);
      await mkdir(execution, { recursive: true });
      await writeFile(join(execution, 'execution.jsonl'), `${'{"type":"TaskStateEntered"}\n'.repeat(200)}`);
    }
  }
  const data = await makeDataFolder(path);
  const value = { text: 'x'.repeat(1000) };
  for (let index = 0; index < items; index += 1000) {
    const batch = Array.from({ length: 1000 }, (_, offset) => index + offset);
    await data.database.batch(batch.map((id) => ({ type: 'put', key: `item~table~${id}`, value })));
  }
  const content = 'v'.repeat(objectBytes);
  for (let index = 0; index < objects; index += 32) {
    await Promise.all(
      Array.from({ length: 32 }, (_, offset) => putObject(data.store, `large-${index + offset}`, content)),
    );
  }
  return data;
}

async function runBackup(folder: string, dataFolder: string): Promise<string> {
  const program = join(import.meta.dirname, '../../local/backup/backup.ts');
  const env = { ...process.env, DATA_DIR: dataFolder };
  const { stdout } = await promisify(execFile)(process.execPath, [program, folder], { env });
  return stdout;
}
