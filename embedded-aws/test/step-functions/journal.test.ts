import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { afterEach, expect, test, vi } from 'vitest';
import { toCheckedLine } from '../../src/durable/checked-line.ts';
import { JournalFailure, openJournal, readJournal } from '../../src/step-functions/journal/journal-file.ts';
import { testClock } from '../../src/testing/test-clock.ts';
import { endOf, invoke, invokeAndWait, named, open, start, temporaryFolder, until } from './fixture.ts';

/** Bytes until the disk is full, for journals and for the list of ended executions. What exceeds them is cut. */
const disk = vi.hoisted(() => ({ freeBytes: Number.POSITIVE_INFINITY, freeListBytes: Number.POSITIVE_INFINITY }));

vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>();
  return {
    ...fs,
    writeSync(file: number, bytes: Buffer, offset = 0) {
      if (disk.freeBytes === 0) throw named('Error', 'ENOSPC: no space left on device');
      const written = fs.writeSync(file, bytes, offset, Math.min(bytes.length - offset, disk.freeBytes));
      disk.freeBytes -= written;
      return written;
    },
    appendFileSync(file: number, text: string) {
      fs.appendFileSync(file, text.slice(0, disk.freeListBytes));
      if (text.length > disk.freeListBytes) throw named('Error', 'ENOSPC: no space left on device');
    },
  };
});

afterEach(() => {
  disk.freeBytes = Number.POSITIVE_INFINITY;
  disk.freeListBytes = Number.POSITIVE_INFINITY;
});

const line = (type: string) => ({ path: '', type, atMs: 1 });

async function typesIn(path: string, prefix?: string): Promise<string[]> {
  const types = [];
  for await (const { type } of readJournal(path, prefix)) types.push(type);
  return types;
}

test('appended lines are read again; an incomplete last line is skipped, and removed before the next one', async () => {
  const path = join(await temporaryFolder(), 'journal');
  await writeFile(path, `${toCheckedLine(line('one'))}01234567 {"path":"","type":"to`);
  expect(await typesIn(path)).toEqual(['one']);
  const journal = openJournal(path);
  journal.append(line('two'));
  await Promise.all([journal.synced(), journal.synced()]);
  journal.close();
  expect(await typesIn(path)).toEqual(['one', 'two']);
  expect(() => journal.append(line('three'))).toThrow(JournalFailure);
});

test('an incomplete line longer than the read buffer is removed too', async () => {
  const path = join(await temporaryFolder(), 'journal');
  await writeFile(path, `${toCheckedLine(line('one'))}01234567 {"path":"${'x'.repeat(200_000)}`);
  openJournal(path).close();
  expect(await readFile(path, 'utf8')).toBe(toCheckedLine(line('one')));
});

test('lines of an earlier version are read, with the checksum behind the JSON', async () => {
  const path = join(await temporaryFolder(), 'journal');
  const json = JSON.stringify(line('one'));
  await writeFile(path, `${json}\t${crc32(json).toString(16)}\n${toCheckedLine(line('two'))}`);
  expect(await typesIn(path)).toEqual(['one', 'two']);
  expect(await typesIn(path, '{"path":""')).toEqual(['one', 'two']);
  expect(await typesIn(path, '{"path":"1')).toEqual([]);
  await writeFile(path, `${json.replace('one', 'two')}\t${crc32(json).toString(16)}\n`);
  await expect(typesIn(path)).rejects.toThrow('has a damaged line');
});

test('lines of 0.1.0 are read, which had no checksum, and are damaged when they are no JSON', async () => {
  const path = join(await temporaryFolder(), 'journal');
  await writeFile(path, `${JSON.stringify(line('one'))}\n${toCheckedLine(line('two'))}`);
  expect(await typesIn(path)).toEqual(['one', 'two']);
  await writeFile(path, `${JSON.stringify(line('one')).slice(0, -1)}\n`);
  await expect(typesIn(path)).rejects.toThrow('has a damaged line');
});

test('a complete line that is damaged is an error, also when it is the last one', async () => {
  const path = join(await temporaryFolder(), 'journal');
  await writeFile(path, toCheckedLine(line('one')) + toCheckedLine(line('two')).replace('two', 'too'));
  await expect(typesIn(path)).rejects.toThrow(`${path} has a damaged line.`);
});

test('texts may have every character that ends lines in Unicode', async () => {
  const path = join(await temporaryFolder(), 'journal');
  await writeFile(path, toCheckedLine(line('a\u2028b\u2029c\u0085d')));
  expect(await typesIn(path)).toEqual(['a\u2028b\u2029c\u0085d']);
});

test('a line that a full disk wrote partly is removed', async () => {
  const path = join(await temporaryFolder(), 'journal');
  const journal = openJournal(path);
  journal.append(line('one'));
  disk.freeBytes = 10;
  expect(() => journal.append(line('two'))).toThrow(JournalFailure);
  disk.freeBytes = Number.POSITIVE_INFINITY;
  journal.append(line('three'));
  journal.close();
  expect(await typesIn(path)).toEqual(['one', 'three']);
});

test('on a full disk no execution starts, the running ones are reported and continue after a restart with free space', async () => {
  const folder = await temporaryFolder();
  const reports: unknown[] = [];
  const calls: (() => void)[] = [];
  const definition = {
    StartAt: 'Work',
    States: { Work: invoke('f', { Output: '{% $states.result.Payload %}', End: true }) },
  };
  const first = await open({
    folder,
    definition,
    functions: { f: () => new Promise<void>((resolve) => calls.push(resolve)) },
    onError: (error) => reports.push(error),
  });
  const arn = await start(first, {}, 'one');
  const finishCall = await until(() => calls[0]);
  disk.freeBytes = 0;
  await expect(start(first, {}, 'two')).rejects.toThrow('ENOSPC');
  finishCall();
  await until(() => reports[0]);
  expect(reports[0]).toBeInstanceOf(JournalFailure);
  await first.close();
  disk.freeBytes = Number.POSITIVE_INFINITY;

  const second = await open({ folder, definition, functions: { f: () => 'done' } });
  expect(await endOf(second, arn)).toEqual({ status: 'SUCCEEDED', output: 'done' });
  expect(await endOf(second, await start(second, {}, 'two'))).toEqual({ status: 'SUCCEEDED', output: 'done' });
});

test('an execution that a full disk stopped continues without a restart when there is space', async () => {
  const clock = testClock();
  const reports: unknown[] = [];
  const calls: (() => void)[] = [];
  const states = await open({
    definition: { StartAt: 'Work', States: { Work: invoke('f', { End: true }) } },
    functions: { f: () => new Promise<void>((resolve) => calls.push(resolve)) },
    onError: (error) => reports.push(error),
    ...clock,
  });
  const arn = await start(states);
  const finishFirst = await until(() => calls[0]);
  disk.freeBytes = 0;
  finishFirst();
  await until(() => clock.nextInMs() === 5000);
  clock.advance(5000);
  const finishSecond = await until(() => calls[1]);
  finishSecond();
  await until(() => clock.nextInMs() === 5000);
  disk.freeBytes = Number.POSITIVE_INFINITY;
  clock.advance(5000);
  const finishThird = await until(() => calls[2]);
  finishThird();
  expect((await endOf(states, arn)).status).toBe('SUCCEEDED');
  expect(reports.map((error) => (error as Error).name)).toEqual(['JournalFailure', 'JournalFailure']);
});

test('child executions beside one that a full disk stopped continue with it, with results that came in between', async () => {
  const clock = testClock();
  const tokens: string[] = [];
  const calls: (() => void)[] = [];
  const flow = {
    StartAt: 'Which',
    States: {
      Which: { Type: 'Choice', Choices: [{ Condition: '{% $states.input = 0 %}', Next: 'Wait' }], Default: 'Work' },
      Wait: invokeAndWait('wait', { End: true }),
      Work: invoke('work', { Output: '{% $states.result.Payload %}', End: true }),
    },
  };
  const ItemProcessor = { ProcessorConfig: { Mode: 'DISTRIBUTED', ExecutionType: 'STANDARD' }, ...flow };
  const states = await open({
    definition: {
      StartAt: 'Each',
      States: { Each: { Type: 'Map', Items: '{% $states.input %}', ItemProcessor, End: true } },
    },
    functions: {
      wait: ({ token }: { token: string }) => void tokens.push(token),
      work: () => new Promise<string>((resolve) => calls.push(() => resolve('worked'))),
    },
    // The disk has space again at once: what is recorded of the other child is stored.
    onError: () => {
      disk.freeBytes = Number.POSITIVE_INFINITY;
    },
    ...clock,
  });
  const arn = await start(states, [0, 1]);
  const taskToken = await until(() => tokens[0]);
  const finishFirst = await until(() => calls[0]);
  disk.freeBytes = 0;
  finishFirst();
  await until(() => clock.nextInMs() === 5000);
  await states.call('SendTaskSuccess', { taskToken, output: '"waited"' });
  clock.advance(5000);
  const finishSecond = await until(() => calls[1]);
  finishSecond();
  expect(await endOf(states, arn)).toEqual({ status: 'SUCCEEDED', output: ['waited', 'worked'] });
  expect(tokens).toHaveLength(1);
});

test('an ended execution that a full disk did not list is listed at the next start, as are those that follow', async () => {
  const folder = await temporaryFolder();
  const reports: unknown[] = [];
  const definition = { StartAt: 'Pass', States: { Pass: { Type: 'Pass', End: true } } };
  const first = await open({ folder, definition, onError: (error) => reports.push(error) });
  disk.freeListBytes = 10;
  const unlisted = await start(first, {}, 'one');
  await until(() => reports[0]);
  expect(String(reports[0])).toContain('ENOSPC');
  disk.freeListBytes = Number.POSITIVE_INFINITY;
  const listed = await start(first, {}, 'two');
  expect((await endOf(first, listed)).status).toBe('SUCCEEDED');
  await first.close();

  const second = await open({ folder, definition });
  expect((await endOf(second, unlisted)).status).toBe('SUCCEEDED');
  expect((await endOf(second, listed)).status).toBe('SUCCEEDED');
});
