import { once } from 'node:events';
import { appendFile, mkdir, readdir, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { ApiError } from '../../../../client/api-error.ts';
import { type WatchOptions, type WatchWork, watchFolder } from '../../../../client/cli/watch/watch-folder.ts';
import { temporaryFolder } from '../../support/run-cli.ts';

/** Watches a folder with work that the test decides about. Every look is a few milliseconds after the other. */
function prepare(changes: Partial<WatchOptions> = {}) {
  const root = temporaryFolder();
  const stop = new AbortController();
  const uploaded: string[] = [];
  const said: string[] = [];
  const work: WatchWork = {
    upload: async ({ name, path }) => {
      uploaded.push(`${name}:${await readFile(path, 'utf8')}`);
      return `V-${name}`;
    },
    finish: vi.fn(),
    discard: vi.fn(async () => {}),
    follow: async () => true,
    note: (line) => said.push(line),
    warn: (line) => said.push(line),
  };
  const options: WatchOptions = {
    root,
    url: 'https://service.test',
    statePath: join(root, '.open-video-service.json'),
    scan: { recursive: false, extensions: ['mp4'], excluded: undefined },
    settleMs: 20,
    pollMs: 5,
    parallelFiles: 2,
    disposal: { kind: 'keep' },
    skipExisting: false,
    once: true,
    signal: stop.signal,
    ...changes,
  };
  const put = (name: string, text = name) => writeFile(join(root, name), text);
  const watch = (more: Partial<WatchOptions> = {}) => watchFolder({ ...options, ...more }, work);
  const state = async () => JSON.parse(await readFile(options.statePath, 'utf8')).files;
  return { root, statePath: options.statePath, stop, work, uploaded, said, put, watch, state };
}

/** The watch may have seen a change before its upload waits for the signal. */
async function untilAborted(signal: AbortSignal): Promise<never> {
  if (!signal.aborted) await once(signal, 'abort');
  throw signal.reason;
}

test('each version of a file is uploaded once, over restarts and renames', async () => {
  const { root, put, watch, uploaded, state, work } = prepare();
  await put('a.mp4');
  expect(await watch()).toBe(true);
  expect(await watch()).toBe(true);
  expect(uploaded).toEqual(['a.mp4:a.mp4']);
  expect(await state()).toMatchObject({ 'a.mp4': { status: 'uploaded', ulid: 'V-a.mp4' } });
  expect(work.finish).toHaveBeenCalledTimes(1);

  await rename(join(root, 'a.mp4'), join(root, 'b.mp4'));
  await watch();
  expect(uploaded).toHaveLength(1);
  await appendFile(join(root, 'b.mp4'), '+');
  await watch();
  expect(uploaded).toEqual(['a.mp4:a.mp4', 'b.mp4:a.mp4+']);
});

test('a file that is being written is uploaded when it stays unchanged', async () => {
  const { root, put, watch, uploaded } = prepare({ settleMs: 100 });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 10_000 });
  await put('a.mp4', '0');
  const watching = watch();
  for (let count = 1; count < 4; count++) {
    await sleep(40);
    vi.setSystemTime(Date.now() + 60);
    await appendFile(join(root, 'a.mp4'), String(count));
  }
  // Ten seconds later
  vi.useRealTimers();
  await watching;
  expect(uploaded).toEqual(['a.mp4:0123']);
});

test('a file that is removed while it is uploaded is no failure; its upload is discarded', async () => {
  const { put, watch, work, said, state } = prepare();
  await put('a.mp4');
  work.upload = async ({ path }, signal) => {
    await rm(path);
    return untilAborted(signal);
  };
  expect(await watch()).toBe(true);
  expect(said).toEqual(['a.mp4 was removed or changed while it was uploaded.']);
  expect(work.discard).toHaveBeenCalledTimes(1);
  expect(await state()).toEqual({});
});

test('a file that is changed while it is uploaded is uploaded again', async () => {
  const { put, watch, work, uploaded } = prepare();
  await put('a.mp4', 'first');
  const upload = work.upload;
  work.upload = async (_, signal) => {
    work.upload = upload;
    await put('a.mp4', 'second');
    return untilAborted(signal);
  };
  await watch();
  expect(uploaded).toEqual(['a.mp4:second']);
});

test('files that are there at the first start can be left out', async () => {
  const { put, watch, uploaded, state } = prepare({ skipExisting: true });
  await put('old.mp4');
  await watch();
  expect(await state()).toMatchObject({ 'old.mp4': { status: 'skipped' } });
  await put('new.mp4');
  await watch();
  expect(uploaded).toEqual(['new.mp4:new.mp4']);
});

test('a file is moved when its video is completed, also after a restart; with a failed video it stays', async () => {
  const folder = temporaryFolder();
  const { root, put, watch, work, said, state } = prepare();
  const disposal = { kind: 'move', folder } as const;
  await put('a.mp4');
  await put('b.mp4');
  await watch();
  work.follow = async (name) => name === 'a.mp4';
  expect(await watch({ disposal })).toBe(false);
  expect(await readdir(folder)).toEqual(['a.mp4']);
  expect((await readdir(root)).toSorted()).toEqual(['.open-video-service.json', 'b.mp4']);
  expect(said.toSorted()).toEqual([
    `a.mp4: moved to ${join(folder, 'a.mp4')}`,
    'b.mp4: its video failed; it stays here',
  ]);
  expect(await state()).toMatchObject({ 'a.mp4': { status: 'completed' }, 'b.mp4': { status: 'failed' } });
});

test('a failed upload is tried again later, and once means once', async () => {
  const { put, watch, work, said, state } = prepare();
  await put('a.mp4');
  work.upload = () => Promise.reject(new ApiError(402, 'No bytes are left.'));
  expect(await watch()).toBe(false);
  expect(said).toEqual(['a.mp4: The quota does not allow this: No bytes are left.']);
  expect(await state()).toEqual({});
});

test('a refused token ends the command', async () => {
  const { put, watch, work } = prepare({ once: false });
  await put('a.mp4');
  work.upload = () => Promise.reject(new ApiError(401, 'Unauthenticated.'));
  await expect(watch()).rejects.toMatchObject({ status: 401 });
});

test('a refused token also stops the other uploads, and videos are followed no further', async () => {
  const { put, watch, work, said, state } = prepare();
  await put('a.mp4');
  await watch();
  const ended: string[] = [];
  const begun = { a: Promise.withResolvers<void>(), b: Promise.withResolvers<void>() };
  const waitAs = async (name: 'a' | 'b', signal: AbortSignal): Promise<never> => {
    begun[name].resolve();
    return untilAborted(signal).finally(() => ended.push(name));
  };
  work.follow = (_, __, signal) => waitAs('a', signal);
  work.upload = async ({ name }, signal) => {
    if (name === 'b.mp4') return waitAs('b', signal);
    await Promise.all([begun.a.promise, begun.b.promise]);
    throw new ApiError(401, 'Unauthenticated.');
  };
  await put('b.mp4');
  await put('c.mp4');
  await expect(watch({ once: false, disposal: { kind: 'delete' } })).rejects.toMatchObject({ status: 401 });
  expect(ended.toSorted()).toEqual(['a', 'b']);
  expect(work.discard).not.toHaveBeenCalled();
  expect(said).toEqual([expect.stringMatching(/^c\.mp4: .* does not accept the token\./)]);
  expect(Object.keys(await state())).toEqual(['a.mp4']);
});

test('after a failed write of the state, an upload that ends now is recorded, and the command ends', async () => {
  const { put, watch, work, said, state, statePath } = prepare();
  const begun = Promise.withResolvers<void>();
  work.upload = async ({ name }, signal) => {
    if (name === 'a.mp4') {
      await begun.promise;
      await rm(statePath);
      await mkdir(statePath);
      return 'V-a';
    }
    begun.resolve();
    await untilAborted(signal).catch(() => {});
    // The service had completed it already.
    await rm(statePath, { recursive: true });
    return 'V-b';
  };
  await put('a.mp4');
  await put('b.mp4');
  await expect(watch()).rejects.toThrow('cannot be written (EISDIR)');
  expect(await state()).toMatchObject({ 'a.mp4': { ulid: 'V-a' }, 'b.mp4': { ulid: 'V-b' } });
  expect(said).toEqual([]);
});

test('a state that cannot be written ends the command with the reason, also for a video that was deleted', async () => {
  const { put, watch, work, statePath } = prepare();
  await put('a.mp4');
  await watch();
  work.follow = async () => {
    await rm(statePath);
    await mkdir(statePath);
    throw new ApiError(404, 'Not found.');
  };
  // Vitest fails for a rejection that is not handled.
  await expect(watch({ disposal: { kind: 'delete' } })).rejects.toThrow('cannot be written (EISDIR)');
});

test('Ctrl-C stops the uploads, whose files are not recorded', async () => {
  const { put, watch, work, stop, state } = prepare({ once: false });
  await put('a.mp4');
  const ended = vi.fn();
  work.upload = (_, signal) =>
    new Promise((_, reject) => {
      signal.addEventListener('abort', () => {
        ended();
        reject(signal.reason);
      });
      setTimeout(() => stop.abort(new Error('interrupted')), 5);
    });
  await expect(watch()).rejects.toThrow('interrupted');
  expect(ended).toHaveBeenCalled();
  expect(await state()).toEqual({});
});

test('a touched file is a new version', async () => {
  const { root, put, watch, uploaded } = prepare();
  await put('a.mp4');
  await watch();
  await utimes(join(root, 'a.mp4'), 5, 5);
  await watch();
  expect(uploaded).toHaveLength(2);
});
