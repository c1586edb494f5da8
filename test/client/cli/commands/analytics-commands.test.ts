import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { prepareCli } from '../../support/run-cli.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-11-20T10:00:00Z') });
});
afterEach(() => vi.useRealTimers());

const ulid = '01K9Z3Q8V7N4T2M6X5C0R1B2D3';

test('usage prints all metrics of the last 30 days, or those that are asked for', async () => {
  const { cli, service } = prepareCli();
  const row = { metric: 'views', external_user_id: null, value: 3, date: '2026-11-20' };
  const rows = [row, { ...row, external_user_id: 'crm \u001b[2J' }];
  service.handlers['GET /api/usage?from=2026-10-22&to=2026-11-20&metric=*'] = () => ({ body: { data: rows } });
  const some = 'from=2026-11-01&to=2026-11-02&metric=views&external_user_id=crm';
  service.handlers[`GET /api/usage?${some}`] = () => ({ body: { data: [row] } });
  service.handlers['GET /api/usage?from=2026-10-22&to=2026-11-20&metric=views'] = () => ({ body: { data: [] } });
  expect(await cli(['usage'])).toMatchObject({
    code: 0,
    stdout: [
      'DAY (UTC)   METRIC  VALUE  EXTERNAL USER',
      '2026-11-20  views   3      -',
      '2026-11-20  views   3      crm �[2J',
      '',
    ].join('\n'),
  });
  const options = ['--from', '2026-11-01', '--to', '2026-11-02', '--metric', 'views', '--external-user-id', 'crm'];
  expect((await cli(['usage', '--json', ...options])).json()).toEqual([{ data: [row] }]);
  expect(await cli(['usage', '--metric', 'views'])).toMatchObject({
    stdout: '',
    stderr: 'Nothing was used on these days.\n',
  });
});

test('videos analytics prints the days on which somebody watched, their sums and medians', async () => {
  const { cli, service } = prepareCli();
  const series = (name: string, ...values: number[]) =>
    values.map((value, index) => ({ date: `2026-11-0${index + 1}`, [name]: value }));
  const distribution = (median: number | null, count: number) => ({ count, median, p95: median, buckets: [] });
  const data = {
    from: '2026-11-01',
    to: '2026-11-03',
    views: { total: 3, series: series('count', 1, 0, 2) },
    watched: { total_seconds: 90, series: series('seconds', 60, 0, 30) },
    delivered: { total_bytes: 5000, series: series('bytes', 4000, 0, 1000) },
    audience: { duration_seconds: 60, reached: [] },
    playback: {
      startup_ms: distribution(812.5, 2),
      rebuffering_share: distribution(0.0005, 2),
      bitrate_kbps: distribution(null, 0),
      errors: distribution(0.5, 2),
    },
  };
  const path = `GET /api/videos/${ulid}/analytics`;
  service.handlers[`${path}?from=2026-11-01&to=2026-11-20`] = () => ({ body: { data } });
  service.handlers[`${path}?from=2026-10-22&to=2026-11-20`] = () => ({ body: { data } });
  const { code, stdout } = await cli(['videos', 'analytics', ulid.toLowerCase(), '--from', '2026-11-01']);
  expect([code, stdout]).toEqual([
    0,
    [
      'DAY (UTC)   VIEWS  WATCHED (S)  BYTES',
      '2026-11-01  1      60           4000',
      '2026-11-03  2      30           1000',
      '=           3      90           5000',
      'startup_ms 812.5 (2), rebuffering_share 0.001 (2), bitrate_kbps -, errors 0.5 (2)',
      '',
    ].join('\n'),
  ]);
  expect((await cli(['videos', 'analytics', ulid, '--json'])).json()).toEqual([{ data }]);
  expect(await cli(['videos', 'analytics', 'x'])).toMatchObject({ code: 2 });
});
