import { afterEach, describe, expect, test } from 'vitest';
import { type Deviation, fileOf, openCopying, type TestFile } from './copying.ts';

type Copying = Awaited<ReturnType<typeof openCopying>>;
let copying: Copying;
afterEach(() => copying.close());

const open = async (files: TestFile[], options?: Parameters<typeof openCopying>[1]): Promise<Copying> => {
  copying = await openCopying(files, options);
  return copying;
};
const expectCopies = (files: TestFile[]): void => {
  expect(copying.stored.size).toBe(files.length);
  for (const { path, body } of files) expect(copying.stored.get(path)?.equals(body), path).toBe(true);
};
const error = (status: number, code: string): Deviation => {
  return (_, response) => {
    response.writeHead(status).end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>secret</Message></Error>`);
    return true;
  };
};
/** Deviates for the first `count` requests for a path. */
function first(count: number, path: string, by: Deviation): Deviation {
  let left = count;
  return (request, ...others) => {
    if (!request.url?.startsWith(`/${path}`) || left === 0) return false;
    left -= 1;
    return by(request, ...others);
  };
}

const renditions = (count: number, bytes = 2000): TestFile[] => [
  ...Array.from({ length: count }, (_, n) => fileOf(`r1/${n}.m4s`, bytes + n)),
  fileOf('v720.m3u8', 300, 2),
  fileOf('master.m3u8', 200, 3),
];

const manySegments = process.env.ALL_CASES ? 10_000 : 1_000;

describe('the files of a delivery', () => {
  test('are copied byte by byte with their checksums and headers, manifests after everything else', async () => {
    const files = renditions(40);
    const { copy, puts, headers } = await open(files);
    expect(await copy()).toEqual({ files: 42, bytes: files.reduce((sum, { body }) => sum + body.length, 0) });
    expectCopies(files);
    expect(puts.slice(-2)).toEqual(['v720.m3u8', 'master.m3u8']);
    expect(puts).toHaveLength(42);
    expect(headers.get('r1/0.m4s')).toMatchObject({ 'content-type': 'video/mp4', 'content-length': '2000' });
  });

  test('are many small segments: a bounded number of them at a time, with few requests to the service', async () => {
    const files = renditions(manySegments, 100);
    const { copy, puts, asked, state } = await open(files);
    await copy();
    expectCopies(files);
    expect(puts).toHaveLength(manySegments + 2);
    expect(state.mostRunning).toBeLessThanOrEqual(16);
    expect(asked.filter(({ ask }) => ask === 'copies')).toHaveLength(Math.ceil((manySegments + 2) / 50));
  });

  test('are copied in parts when they are large', async () => {
    const files = [fileOf('film.mp4', 105_000), fileOf('small.mp4', 10)];
    const { copy, puts } = await open(files, { singleBytes: 20_000, partBytes: 10_000 });
    await copy();
    expectCopies(files);
    expect(puts.filter((path) => path.startsWith('film.mp4#'))).toHaveLength(11);
  });

  test('may be larger in parts than what is kept in memory', async () => {
    const files = [fileOf('film.mp4', 20 * 2 ** 20)];
    const { copy } = await open(files, { singleBytes: 1000, partBytes: 17 * 2 ** 20 });
    await copy();
    expectCopies(files);
  });
});

describe('a store that is slow', () => {
  /** Of which each request takes so many seconds. */
  const slow = async (files: TestFile[], seconds: number) => {
    let passedMs = 0;
    const { copy, puts, deviateBy } = await open(files);
    deviateBy(() => {
      passedMs += 1000 * seconds;
      return false;
    });
    const copied = await copy({ nowMs: () => passedMs }).catch((failure) => failure);
    return { copied, puts };
  };

  test('ends the delivery for good before other users wait for hours, although each request succeeds', async () => {
    const { copied, puts } = await slow(renditions(200, 100), 30);
    expect(copied).toMatchObject({
      code: 'STORAGE_FAILED',
      fatal: true,
      message: expect.stringMatching(/^The storage is too slow: it took 0 MB in \d+ minutes\.$/),
    });
    expect(puts.length).toBeLessThan(40);
  });

  test('copies many small files if they do not take longer than four seconds each', async () => {
    const { copied } = await slow(renditions(1500, 10), 0.25);
    expect(copied).toMatchObject({ files: 1502 });
  });
});

describe('another attempt', () => {
  test('copies only what is missing after a worker that died', async () => {
    const files = renditions(300);
    const { copy, puts, state, deviateBy } = await open(files);
    const death = new AbortController();
    deviateBy(() => {
      if (puts.length >= 200) death.abort(new Error('the worker died'));
      return false;
    });
    await expect(copy({ signal: death.signal })).rejects.toThrow();
    const known = state.copiedFiles;
    expect(known).toBeGreaterThan(0);
    puts.length = 0;
    deviateBy(() => false);
    await copy();
    expectCopies(files);
    expect(puts).toHaveLength(302 - known);
  });

  test('copies only the parts of a large file that the storage does not have', async () => {
    const files = [fileOf('film.mp4', 200_000)];
    const { copy, puts, parts, deviateBy } = await open(files, { singleBytes: 1000, partBytes: 10_000 });
    deviateBy((request, response) => {
      if (!request.url?.endsWith('part=15')) return false;
      response.destroy();
      return true;
    });
    await expect(copy()).rejects.toMatchObject({ code: 'STORAGE_FAILED', fatal: false });
    const stored = parts.get('film.mp4')!.size;
    expect(stored).toBeGreaterThan(10);
    puts.length = 0;
    deviateBy(() => false);
    await copy();
    expectCopies(files);
    expect(puts).toHaveLength(20 - stored);
  });

  test('knows what was copied before a failure that is reported', async () => {
    const files = renditions(120);
    const { copy, state, deviateBy } = await open(files);
    deviateBy(first(99, 'r1/110.m4s', error(503, 'SlowDown')));
    await expect(copy()).rejects.toMatchObject({ code: 'STORAGE_FAILED' });
    expect(state.copiedFiles).toBe(110);
  });
});

describe('a storage that', () => {
  test('is busy or breaks connections gets the files again', async () => {
    const files = renditions(20);
    const { copy, deviateBy } = await open(files);
    const broken = first(2, 'r1/3.m4s', (_, response) => {
      response.destroy();
      return true;
    });
    const busy = first(3, 'r1/7.m4s', error(503, 'SlowDown'));
    deviateBy((...call) => broken(...call) || busy(...call));
    await copy();
    expectCopies(files);
  });

  test('refuses an expired signature gets another URL', async () => {
    const files = renditions(20);
    const { copy, deviateBy } = await open(files);
    deviateBy(first(1, 'r1/5.m4s', error(403, 'AccessDenied')));
    await copy();
    expectCopies(files);
  });

  test.each([
    [403, 'AccessDenied'],
    [404, 'NoSuchBucket'],
    [400, 'QuotaExceeded'],
  ])('refuses with %d %s in the middle ends the copy: nothing behind is copied', async (status, code) => {
    const files = renditions(200);
    const { copy, stored, deviateBy } = await open(files);
    deviateBy((request, response, body) =>
      Number(/\d+(?=\.m4s)/.exec(request.url ?? '')?.[0] ?? 999) > 60
        ? error(status, code)(request, response, body)
        : false,
    );
    const message = `status ${status}, code ${code}`;
    await expect(copy()).rejects.toMatchObject({ code: 'STORAGE_REFUSED', fatal: true, message });
    expect(stored.has('v720.m3u8')).toBe(false);
    expect(stored.has('master.m3u8')).toBe(false);
    expect(stored.size).toBeLessThan(80);
  });

  test('reports wrong checksums ends it, after a second try', async () => {
    const files = renditions(3);
    const { copy, puts, stored, deviateBy } = await open(files);
    deviateBy((request, response) => {
      if (!request.url?.startsWith('/r1/1.m4s')) return false;
      response.writeHead(200, { etag: '"00000000000000000000000000000000"' }).end();
      return true;
    });
    await expect(copy()).rejects.toMatchObject({ code: 'STORAGE_MISMATCH', fatal: true });
    expect(puts.filter((path) => path === 'r1/1.m4s')).toHaveLength(2);
    expect(stored.has('master.m3u8')).toBe(false);
  });

  test.each<[string, Record<string, string>]>([
    ['no checksum', {}],
    ['one that is no MD5', { etag: '"abc-1"' }],
    ['that of an encrypted object', { etag: `"${'0'.repeat(32)}"`, 'x-amz-server-side-encryption': 'aws:kms' }],
  ])('names %s has the size compared', async (_, headers) => {
    const files = renditions(3);
    const { copy, asked, stored, deviateBy } = await open(files);
    const keeps = { size: true };
    deviateBy((request, response, body) => {
      if (!request.url?.startsWith('/r1/1.m4s')) return false;
      stored.set('r1/1.m4s', keeps.size ? body : body.subarray(1));
      response.writeHead(200, headers).end();
      return true;
    });
    await copy();
    expect(asked.filter(({ ask }) => ask === 'compare')).toEqual([{ ask: 'compare', file: '1' }]);
    keeps.size = false;
    copying.state.copiedFiles = 0;
    await expect(copy()).rejects.toMatchObject({ code: 'STORAGE_MISMATCH' });
  });

  test('responds with status 200 and an error gets the file again', async () => {
    const files = renditions(3);
    const { copy, deviateBy } = await open(files);
    deviateBy(first(2, 'r1/1.m4s', error(200, 'InternalError')));
    await copy();
    expectCopies(files);
  });

  test('redirects is not followed', async () => {
    const files = renditions(3);
    const { copy, deviateBy } = await open(files);
    deviateBy((_, response) => {
      response.writeHead(307, { location: 'http://169.254.169.254/latest/meta-data/' }).end();
      return true;
    });
    await expect(copy()).rejects.toMatchObject({ code: 'STORAGE_REFUSED', message: 'status 307, code none' });
  });

  test('is on this machine is not connected to, unless a setting says so', async () => {
    const { copy, target } = await open(renditions(3));
    await expect(copy({ allowLoopback: false })).rejects.toMatchObject({ code: 'STORAGE_ADDRESS', fatal: true });
    expect(target.requests).toEqual([]);
  });

  test('stops reading is given up', async () => {
    const { copy, deviateBy } = await open(renditions(1));
    deviateBy(() => true);
    await expect(copy({ stallMs: 50 })).rejects.toMatchObject({ code: 'STORAGE_FAILED', fatal: false });
  });
});

describe("the service's own store", () => {
  test('gets other requests when it refuses a signature or breaks off', async () => {
    const files = renditions(30);
    const { copy, deviateSourceBy } = await open(files);
    let refused = 0;
    deviateSourceBy((request, response) => {
      if (!request.url?.startsWith('/7?') || ++refused > 2) return false;
      if (refused === 1) response.writeHead(403).end();
      else response.writeHead(200, { 'content-length': '2007' }).write('abc', () => response.destroy());
      return true;
    });
    await copy();
    expectCopies(files);
  });

  test('without a file ends the copy', async () => {
    const { copy, deviateSourceBy } = await open(renditions(30));
    deviateSourceBy((request, response) => {
      if (!request.url?.startsWith('/7?')) return false;
      response.writeHead(404).end();
      return true;
    });
    await expect(copy()).rejects.toMatchObject({ code: 'INPUT_GONE', fatal: true });
  });
});
