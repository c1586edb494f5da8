import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Interrupted } from '../../../../client/cli/exit-code.ts';
import { prepareCli, temporaryFolder } from '../../support/run-cli.ts';

const event = (type: string, name: string) => ({
  ulid: 'E',
  type,
  timestamp: '2026-11-22T10:00:00Z',
  data: { ulid: 'V', name, status: 'completed' },
});
const [first, second, third] = [event('video.created', 'a'), event('video.completed', 'b'), event('video.failed', 'c')];

function prepare() {
  const cli = prepareCli();
  const page = (query: string, data: object[], next_cursor: string | null) => {
    cli.service.handlers[`GET /api/events?per_page=100${query}`] = () => ({ body: { data, meta: { next_cursor } } });
  };
  page('', [first, second], 'C2');
  page('&after=C2', [third], 'C3');
  page('&after=C3', [], 'C3');
  return { ...cli, page };
}

test('all events are printed, with the cursor that continues', async () => {
  const { cli } = prepare();
  const ended = await cli(['events']);
  expect(ended.stdout).toBe(
    [
      '2026-11-22T10:00:00Z  video.created       V  a  Ready',
      '2026-11-22T10:00:00Z  video.completed     V  b  Ready',
      '2026-11-22T10:00:00Z  video.failed        V  c  Ready',
      '',
    ].join('\n'),
  );
  expect(ended).toMatchObject({ code: 0, stderr: 'Continue with: --after C3\n' });
});

test('with --json each event is a line, after a cursor and of some types', async () => {
  const { cli } = prepare();
  expect((await cli(['events', '--json', '--after', 'C2'])).json()).toEqual([third]);
  expect((await cli(['events', '--json', '--types', 'video.created,video.failed'])).json()).toEqual([first, third]);
});

test('a cursor file continues where the last command ended', async () => {
  const { cli, page } = prepare();
  const file = join(temporaryFolder(), 'cursor');
  expect((await cli(['events', '--json', '--cursor-file', file])).json()).toHaveLength(3);
  expect(await readFile(file, 'utf8')).toBe('C3\n');
  expect((await cli(['events', '--cursor-file', file])).stdout).toBe('');
  page('&after=C3', [first], 'C4');
  page('&after=C4', [], null);
  expect((await cli(['events', '--json', '--cursor-file', file])).json()).toEqual([first]);
  expect(await readFile(file, 'utf8')).toBe('C4\n');
});

test('--follow goes on until it is interrupted', async () => {
  const { cli, page, stop } = prepare();
  setTimeout(() => page('&after=C3', [event('video.deleted', 'd')], 'C4'), 300);
  page('&after=C4', [], 'C4');
  const running = cli(['events', '--follow', '--interval', '1', '--json', '--after', 'C3']);
  setTimeout(() => stop.abort(new Interrupted('SIGINT')), 1500);
  const ended = await running;
  expect(ended.code).toBe(130);
  expect(ended.json()).toMatchObject([{ type: 'video.deleted' }]);
});

test('a cursor comes from one place', async () => {
  const ended = await prepare().cli(['events', '--after', 'C', '--cursor-file', 'f']);
  expect(ended).toMatchObject({ code: 2, stderr: 'Pass --after or --cursor-file, not both.\n' });
});

test('a type that no event has is a usage error', async () => {
  const { cli } = prepare();
  const ended = await cli(['events', '--types', 'video.failed,foo.bar']);
  expect(ended).toMatchObject({ code: 2, stdout: '' });
  expect(ended.stderr).toContain("There are no events 'foo.bar'. Types: upload.completed, video.created, ");
});

test('events of outputs name their video', async () => {
  const { cli, page } = prepare();
  page('', [{ ...event('output.completed', 'hls'), data: { ulid: 'O', video_ulid: 'V', name: 'hls' } }], 'C1');
  page('&after=C1', [], 'C1');
  expect((await cli(['events'])).stdout).toBe('2026-11-22T10:00:00Z  output.completed    V  O  hls\n');
});
