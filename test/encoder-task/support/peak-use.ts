import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Peak use during a function: additional memory of this process, memory of its child processes, and disk space in a
 * folder.
 */
export type PeakUse = { memoryBytes: number; diskBytes: number; seconds: number };

const sampleEveryMs = 25;

/** Runs `work` and samples its use. An error of `work` is returned together with the use. */
export async function measurePeakUse<Result>(
  work: () => Promise<Result>,
  folder: string,
): Promise<{ result?: Result; error?: unknown; use: PeakUse }> {
  const startMs = performance.now();
  const before = process.memoryUsage.rss();
  const use: PeakUse = { memoryBytes: 0, diskBytes: 0, seconds: 0 };
  const ended = new AbortController();
  const watching = (async () => {
    while (!ended.signal.aborted) {
      const children = await Promise.all((await descendants(process.pid)).map(residentBytes));
      const own = Math.max(0, process.memoryUsage.rss() - before);
      use.memoryBytes = Math.max(
        use.memoryBytes,
        children.reduce((sum, bytes) => sum + bytes, own),
      );
      use.diskBytes = Math.max(use.diskBytes, await bytesIn(folder));
      await sleep(sampleEveryMs, undefined, { signal: ended.signal }).catch(() => undefined);
    }
  })();
  const outcome = await work().then(
    (result) => ({ result }),
    (error: unknown) => ({ error }),
  );
  use.seconds = (performance.now() - startMs) / 1000;
  ended.abort();
  await watching;
  return { ...outcome, use };
}

async function descendants(pid: number): Promise<number[]> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
  const lists = await Promise.all(
    threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/children`, 'utf8').catch(() => '')),
  );
  const children = lists.flatMap((list) => list.split(' ').filter(Boolean).map(Number));
  return [...children, ...(await Promise.all(children.map(descendants))).flat()];
}

async function residentBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024;
}

async function bytesIn(folder: string): Promise<number> {
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  const sizes = await Promise.all(
    names.map((name) =>
      stat(join(folder, name)).then(
        (found) => (found.isFile() ? found.size : 0),
        () => 0,
      ),
    ),
  );
  return sizes.reduce((sum, bytes) => sum + bytes, 0);
}
