import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, test } from 'vitest';
import { createObject, deleteObject, readObject } from '../../../functions/aws/object-store.ts';
import { documents } from '../../../functions/aws/table-client.ts';
import { newUlid } from '../../../functions/common/ids.ts';
import { handler } from '../../../functions/delivery/count-accesses.lambda.ts';
import { queryItems, write } from '../../../functions/table/items/items.ts';
import { keys } from '../../../functions/table/items/keys.ts';
import type { User, Video } from '../../../functions/table/records.ts';
import { listAnalytics } from '../../../functions/table/statistics/analytics-table.ts';
import { listUsage } from '../../../functions/table/statistics/usage-table.ts';
import { deleteVideoRecords } from '../../../functions/table/videos/deleted-videos.ts';
import { listVideoDays, sumOfDays } from '../../../functions/table/views/video-days.ts';
import { day } from '../../../shared/clock.ts';
import { accessLogPrefix, planKey, sampleKey } from '../../../shared/object-keys.ts';
import { createPerson } from '../../fixtures/create-person.ts';
import { fileBytes, filesOf, storeWatchedVideo } from '../../fixtures/records/watched-video.ts';
import { useBucket } from '../../fixtures/use-bucket.ts';
import { useTable } from '../../fixtures/use-table.ts';

useTable();
useBucket();

const nowMs = Date.now();
const [today, yesterday] = [day(nowMs), day(nowMs - 86_400_000)];

let owner: User;
let video: Video;
beforeEach(async () => {
  owner = (await createPerson()).user;
  video = await storeWatchedVideo(owner, { externalUserId: 'crm-1' });
});

const newSession = () => randomBytes(12).toString('base64url');

function line(file: string, changes: Record<string, unknown> = {}): string {
  return JSON.stringify({
    time: new Date(nowMs).toISOString(),
    node: newUlid(),
    method: 'GET',
    path: `/videos/${video.ulid}/${file}`,
    session: '',
    status: 200,
    bytes: 1000,
    durationSeconds: 0.01,
    remoteAddress: '192.0.2.1',
    userAgent: 'Mozilla/5.0',
    ...changes,
  });
}

async function shipped(...lines: string[]): Promise<string> {
  const key = `${accessLogPrefix(newUlid())}${newUlid()}.jsonl.gz`;
  await createObject(key, gzipSync(lines.join('\n')), 'application/gzip');
  return key;
}

const count = (key: string) => handler({ detail: { object: { key } } });
const countLines = async (...lines: string[]) => count(await shipped(...lines));

async function counted(date = today) {
  const { views, watchedMilliseconds, bytes, ...rest } =
    (await listVideoDays(video.ulid, date, date)).get(date) ?? sumOfDays([]);
  return { views, seconds: watchedMilliseconds / 1000, bytes, ...rest };
}

const sums = async (date = today) => {
  const { views, seconds, bytes } = await counted(date);
  return { views, seconds, bytes };
};

describe('a view', () => {
  test('is a session that has loaded a part of the media, once for all its segments, logs and proxies', async () => {
    const session = newSession();
    await countLines(line(filesOf.picture(0), { session }), line(filesOf.picture(1), { session }));
    await countLines(line(filesOf.picture(2), { session }));
    expect(await sums()).toEqual({ views: 1, seconds: 18, bytes: 3000 });
  });

  test('is none that has loaded manifests, images and captions only, was refused, or asked for headers', async () => {
    const session = newSession();
    await countLines(
      line(filesOf.playlist, { session }),
      line('thumbnails/poster.jpg', { session }),
      line('captions/x-1/de.vtt', { session }),
      line('r1/encode-video-00-00000-a1/720p/init.mp4', { session }),
      line(filesOf.picture(0), { session, method: 'HEAD' }),
      line(filesOf.picture(0), { session, status: 404 }),
    );
    expect(await sums()).toEqual({ views: 0, seconds: 0, bytes: 6000 });
  });

  test('is none of the session of lists or of the samples of the service', async () => {
    await countLines(
      line(filesOf.picture(0), { session: 'list' }),
      line('', { path: `/${sampleKey(newUlid())}`, session: newSession() }),
    );
    expect(await sums()).toEqual({ views: 0, seconds: 0, bytes: 1000 });
  });

  test('is one for each player that names itself, and for all others together beyond eight', async () => {
    const session = newSession();
    const by = (player: string) => line(filesOf.picture(0), { session, cmcd: encodeURIComponent(`sid="${player}"`) });
    await countLines(by('a'), by('b'), by('a'), line(filesOf.picture(0), { session }));
    expect(await sums()).toMatchObject({ views: 3, seconds: 18 });
    await countLines(...Array.from({ length: 500 }, (_, player) => by(`invented-${player}`)));
    expect(await sums()).toMatchObject({ views: 9, seconds: 54 });
    const items = await queryItems(keys.playback(session).pk);
    expect(items).toHaveLength(1);
    expect(Object.keys(items[0]!.playbacks as object)).toHaveLength(9);
  });
});

describe('watched seconds', () => {
  test('count a position once, in whatever rendition and however often it is loaded', async () => {
    const session = newSession();
    await countLines(
      line(filesOf.picture(3, '720p'), { session }),
      line(filesOf.picture(3, '1080p', 4), { session }),
      line(filesOf.picture(3), { session }),
      line(filesOf.sound(3), { session }),
      line(filesOf.sound(4), { session }),
      line(filesOf.transportStream(3), { session }),
      line(filesOf.transportStream(99), { session }),
      line(filesOf.transportStream(100), { session }),
    );
    expect(await sums()).toMatchObject({ views: 1, seconds: 12 });
  });

  test('of a video without picture are those of its sound', async () => {
    video = await storeWatchedVideo(owner, { aspectRatio: null });
    const session = newSession();
    await countLines(line(filesOf.sound(0), { session }), line(filesOf.sound(1), { session }));
    expect(await sums()).toMatchObject({ views: 1, seconds: 12 });
  });

  test('of a progressive file are in proportion to the bytes, at most all of it', async () => {
    const session = newSession();
    const part = (bytes: number) => line(filesOf.mp4, { session, status: 206, bytes });
    await countLines(part(fileBytes / 10), part(fileBytes / 10));
    expect(await sums()).toMatchObject({ views: 1, seconds: 120 });
    await countLines(part(fileBytes), part(fileBytes));
    expect(await sums()).toMatchObject({ views: 1, seconds: 600 });
  });

  test('have no key frames, which players load while a viewer searches', async () => {
    const session = newSession();
    await countLines(line(filesOf.picture(7), { session, status: 206 }));
    expect(await sums()).toMatchObject({ views: 1, seconds: 0 });
  });

  test('are those of the old source while a new one is encoded', async () => {
    const replaced = {
      sourceKey: video.sourceKey,
      sourceBytes: video.sourceBytes,
      planNumber: 1,
      status: 'completed' as const,
      query: null,
      durationSeconds: 600,
      aspectRatio: '16:9',
    };
    video = await storeWatchedVideo(owner, { durationSeconds: 600, replaced });
    await write({ update: keys.video(video.ulid), set: { durationSeconds: 30 } });
    const session = newSession();
    await countLines(line(filesOf.picture(0), { session }), line(filesOf.picture(90), { session }));
    expect(await sums()).toMatchObject({ views: 1, seconds: 12 });
  });

  test('are those of a playback that goes on while its video is processed again', async () => {
    const session = newSession();
    await countLines(line(filesOf.picture(0), { session }), line(filesOf.picture(1), { session }));
    const plan = await readObject(planKey(video.ulid, 1));
    await createObject(planKey(video.ulid, 2), plan, 'application/json');
    const again = (number: number) => filesOf.picture(number).replace('r1/', 'r2/');
    await countLines(line(again(1), { session }), line(again(2), { session }));
    expect(await sums()).toMatchObject({ views: 1, seconds: 18 });
  });

  test('do not grow with replays, and a view stays one', async () => {
    const session = newSession();
    const once = [0, 1, 2].map((number) => line(filesOf.picture(number), { session }));
    await countLines(...once, ...once);
    await countLines(...once);
    expect(await sums()).toEqual({ views: 1, seconds: 18, bytes: 9000 });
  });

  test('end with a video whose last segment is shorter', async () => {
    video = await storeWatchedVideo(owner, { durationSeconds: 63.5 });
    const session = newSession();
    await countLines(line(filesOf.picture(9), { session }), line(filesOf.picture(10), { session }));
    expect(await sums()).toMatchObject({ seconds: 9.5 });
  });

  test('of a long video are remembered in 512 bytes', async () => {
    video = await storeWatchedVideo(owner, { durationSeconds: 12 * 3600 });
    const session = newSession();
    await countLines(...Array.from({ length: 7200 }, (_, number) => line(filesOf.picture(number), { session })));
    expect(await sums()).toMatchObject({ views: 1, seconds: 12 * 3600 });
    const [item] = await queryItems(keys.playback(session).pk);
    expect((item!.playbacks as Record<string, { slots: Uint8Array }>)['']!.slots.length).toBeLessThanOrEqual(512);
  });
});

test('the audience has each playback that reached a hundredth of the video once', async () => {
  const [one, other] = [newSession(), newSession()];
  await countLines(...[0, 1, 2].map((number) => line(filesOf.picture(number), { session: one })));
  await countLines(...[0, 99, 99].map((number) => line(filesOf.picture(number), { session: other })));
  const { reached } = await counted();
  expect([reached[0], reached[1], reached[2], reached[3], reached[99]]).toEqual([2, 1, 1, 0, 1]);
});

test('a session over midnight is a view of its first day, and each day has its seconds and bytes', async () => {
  const session = newSession();
  const time = new Date(nowMs - 86_400_000).toISOString();
  await countLines(
    line(filesOf.picture(1), { session, bytes: 7 }),
    line(filesOf.picture(0), { session, bytes: 5, time }),
  );
  expect([await sums(yesterday), await sums()]).toEqual([
    { views: 1, seconds: 6, bytes: 5 },
    { views: 0, seconds: 6, bytes: 7 },
  ]);
});

test('lines of a wrong clock and of the time before the oldest log count for nothing', async () => {
  const at = (days: number) => ({ session: newSession(), time: new Date(nowMs + days * 86_400_000).toISOString() });
  await countLines(
    line(filesOf.picture(0), at(-16)),
    line(filesOf.picture(0), at(1.1)),
    line(filesOf.picture(0), at(-14)),
  );
  expect([await sums(day(nowMs - 16 * 86_400_000)), await sums(day(nowMs + 1.1 * 86_400_000))]).toEqual([
    { views: 0, seconds: 0, bytes: 0 },
    { views: 0, seconds: 0, bytes: 0 },
  ]);
  expect(await sums(day(nowMs - 14 * 86_400_000))).toEqual({ views: 1, seconds: 6, bytes: 1000 });
});

describe('viewers of a public video', () => {
  const from = (remoteAddress: string, changes: Record<string, unknown> = {}) =>
    line(filesOf.picture(0), { remoteAddress, ...changes });

  test('are told apart by network, and within it by user agent or the ID of the player', async () => {
    await countLines(
      from('192.0.2.1'),
      from('192.0.2.1'),
      from('192.0.2.1', { userAgent: 'other' }),
      from('192.0.2.1', { cmcd: 'sid%3D%22a%22' }),
      from('192.0.2.2'),
      from('2001:db8::1'),
      from('2001:db8::2'),
    );
    await countLines(from('192.0.2.2'));
    expect(await sums()).toMatchObject({ views: 5, seconds: 30 });
  });

  test('are at most nine of a network, whatever they invent', async () => {
    const invented = Array.from({ length: 300 }, (_, number) => from('192.0.2.9', { userAgent: `agent ${number}` }));
    await countLines(...invented.slice(0, 150));
    await countLines(...invented.slice(150));
    expect(await sums()).toMatchObject({ views: 9 });
  });

  test('leave neither address nor user agent in the table, and IDs of a secret that expires with its day', async () => {
    await countLines(from('203.0.113.77', { userAgent: 'Rare Browser 1.0' }));
    const secret = (await queryItems(keys.viewerSecret(today).pk))[0]!;
    expect(Number(secret.expiresAt)).toBe(Date.parse(today) / 1000 + 16 * 86_400);
    const stored = JSON.stringify(await wholeTable());
    expect(stored).not.toContain('203.0.113');
    expect(stored).not.toContain('Rare Browser');
    expect(stored).toContain('PLAYBACK#public#');
  });
});

async function wholeTable(): Promise<unknown> {
  const { ScanCommand } = await import('@aws-sdk/lib-dynamodb');
  return documents.send(new ScanCommand({ TableName: process.env.TABLE_NAME }));
}

describe('the owner', () => {
  const used = async () =>
    Object.fromEntries(
      (await listUsage(owner.ulid, today, today)).map(({ metric, externalUserId, value }) => [
        `${metric} ${externalUserId}`,
        value,
      ]),
    );

  test('has the bytes, views and seconds of the videos by external user', async () => {
    await countLines(line(filesOf.picture(0), { session: newSession() }), line(filesOf.playlist));
    expect(await used()).toEqual({
      'delivered_bytes crm-1': 2000,
      'views crm-1': 1,
      'watched_seconds crm-1': 6000,
    });
  });

  test('has what comes later of a deleted video too, as far as it is known without its plan', async () => {
    await deleteVideoRecords(video, []);
    await deleteObject(planKey(video.ulid, 1));
    await countLines(line(filesOf.picture(0), { session: newSession() }));
    expect(await used()).toEqual({ 'delivered_bytes crm-1': 1000, 'views crm-1': 1, 'watched_seconds crm-1': 0 });
  });

  test('is the one whom the video belongs to when the log is counted', async () => {
    const key = await shipped(line(filesOf.picture(0), { session: newSession() }));
    const former = owner;
    owner = (await createPerson()).user;
    await write({ update: keys.video(video.ulid), set: { ownerUlid: owner.ulid } });
    await count(key);
    expect(await used()).toEqual({ 'delivered_bytes crm-1': 1000, 'views crm-1': 1, 'watched_seconds crm-1': 6000 });
    owner = former;
    expect(await used()).toEqual({});
  });

  test('is nobody for a video that never was, whose bytes count for the stage', async () => {
    video = { ...video, ulid: newUlid() };
    await countLines(line(filesOf.picture(0), { session: newSession() }));
    expect(await sums()).toEqual({ views: 0, seconds: 0, bytes: 0 });
  });
});

describe('what players tell', () => {
  const told = (session: string, text: string, number = 0, changes: Record<string, unknown> = {}) =>
    line(filesOf.picture(number), { session, cmcd: encodeURIComponent(text), ...changes });
  const playback = async () => {
    const { distributions } = await counted();
    return Object.fromEntries(
      Object.entries(distributions).map(([name, counts]) => [
        name,
        Object.fromEntries(counts.flatMap((value, bucket) => (value === 0 ? [] : [[bucket, value]]))),
      ]),
    );
  };

  test('is in distributions, of which a playback has one bucket each, whatever the order of the logs', async () => {
    const session = newSession();
    const logs = [
      [told(session, 'br=(3000),d=6000,msd=700,ot=v,sid="a",v=2')],
      [told(session, 'br=(1000),bsd=(600),d=6000,ot=v,sid="a",v=2', 1)],
      [told(session, 'br=(1000),bsd=(600),d=6000,ec=("E"),ot=v,sid="a",v=2', 2)],
      [told(session, 'br=(64),d=6000,ot=a,sid="a",v=2', 3)],
    ];
    for (const lines of logs) await countLines(...lines);
    // 1,200 ms in 24 s of watch time are 4.8 %; (3000 + 1000 + 1000) / 3 kbit/s
    const expected = { startup_ms: { 2: 1 }, rebuffering_share: { 4: 1 }, bitrate_kbps: { 4: 1 }, errors: { 1: 1 } };
    expect(await playback()).toEqual(expected);
    video = await storeWatchedVideo(owner);
    const again = newSession();
    const moved = logs.toReversed().map(([text]) => {
      const { path, ...rest } = JSON.parse(text!);
      return JSON.stringify({ ...rest, session: again, path: path.replace(/videos\/\w+/, `videos/${video.ulid}`) });
    });
    for (const text of moved) await countLines(text);
    expect(await playback()).toEqual(expected);
  });

  test('of the time since the start counts once, and not beside single times', async () => {
    const session = newSession();
    await countLines(told(session, 'bsda=(1000),ot=v,v=2'), told(session, 'bsd=(2000),bsda=(3000),ot=v,v=2'));
    expect(await playback()).toMatchObject({ rebuffering_share: { 7: 1 } });
  });

  test('in version 1 is estimated by responses that took longer than the buffer lasted', async () => {
    const [stalled, smooth] = [newSession(), newSession()];
    const ended = (second: number) => new Date(nowMs - 60_000 + second * 1000).toISOString();
    await countLines(
      told(stalled, 'bl=0,d=6000,ot=v,su', 0, { durationSeconds: 2, time: ended(2) }),
      told(stalled, 'bl=1000,d=6000,ot=v', 1, { durationSeconds: 4, time: ended(7) }),
      told(stalled, 'bl=0,bs,d=6000,ot=v,su', 2, { durationSeconds: 0.2, time: ended(7.2) }),
      told(smooth, 'bl=1000,d=6000,ot=v', 1, { durationSeconds: 4 }),
    );
    // 3 s beside 18 s of watch time
    expect(await playback()).toMatchObject({ startup_ms: {}, rebuffering_share: { 0: 1, 6: 1 }, errors: { 0: 2 } });
  });

  test('without a duration is estimated by when the next object was asked for too: hls.js sends none', async () => {
    const session = newSession();
    const at = (second: number) => ({ time: new Date(nowMs - 60_000 + second * 1000).toISOString() });
    await countLines(
      told(session, 'bl=(0),d=6000,ot=v,sid="a",sta=s,su,v=2', 0, at(0)),
      told(session, 'bl=(2000),d=6000,ot=v,sid="a",sta=p,v=2', 1, at(4)),
      // Asked for 5 s later, when only 2 s were buffered.
      told(session, 'bl=(6000),bs,d=6000,ot=v,sid="a",sta=p,su,v=2', 2, at(9)),
      // After a pause or a search, the buffer was not empty.
      told(session, 'bl=(9000),d=6000,ot=v,sid="a",v=2', 3, at(10)),
      told(session, 'bs,d=6000,ot=v,sid="a",su,v=2', 90, at(12)),
    );
    // 3 s beside 30 s of watch time
    expect(await playback()).toMatchObject({ startup_ms: {}, rebuffering_share: { 5: 1 } });
  });

  test.each(['first', 'last'])('is estimated over two logs too, if the later one comes %s', async (order) => {
    const session = newSession();
    const at = (second: number) => ({ time: new Date(nowMs - 60_000 + second * 1000).toISOString() });
    const logs = [
      told(session, 'bl=(4000),d=2000,ot=v,sid="a",sta=d,su,v=2', 2, at(5)),
      told(session, 'bl=(2000),bs,d=2000,ot=v,sid="a",sta=r,su,v=2', 3, at(12)),
    ];
    for (const text of order === 'last' ? logs : logs.toReversed()) await countLines(text);
    await countLines(told(session, 'bl=(9000),d=2000,ot=v,sid="a",sta=p,v=2', 4, at(13)));
    // 3 s beside 18 s of watch time
    expect(await playback()).toMatchObject({ rebuffering_share: { 6: 1 } });
  });

  test('of a video without picture is the bitrate of its sound', async () => {
    video = await storeWatchedVideo(owner, { aspectRatio: null });
    await countLines(line(filesOf.sound(0), { session: newSession(), cmcd: encodeURIComponent('br=128,d=6000,ot=a') }));
    expect(await playback()).toMatchObject({ bitrate_kbps: { 0: 1 } });
  });
});

test('a log is counted once, though each call dies after its first write', async () => {
  const session = newSession();
  const all = async () => {
    const stage = (await listAnalytics(today, today)).get(today);
    return { ...(await counted()), stage: { ...stage } };
  };
  const lines = [
    line(filesOf.picture(0), { session, cmcd: encodeURIComponent('bsd=(900),msd=100,ot=v,v=2') }),
    line(filesOf.picture(1), { session: newSession() }),
    line(filesOf.picture(1)),
  ];
  const before = (await all()).stage;
  const key = await shipped(...lines);
  let isWritten = false;
  const dying =
    (next: (request: never) => Promise<never>, { commandName = '' }: { commandName?: string }) =>
    async (request: never) => {
      if (/^(Put|Update|Delete|TransactWrite|BatchWrite)/.test(commandName)) {
        if (isWritten) throw new Error('died');
        isWritten = true;
      }
      return next(request);
    };
  documents.middlewareStack.add(dying as never, { step: 'initialize', name: 'dying' });
  let deaths = 0;
  try {
    for (let isDone = false; !isDone; ) {
      isWritten = false;
      isDone = await count(key).then(
        () => true,
        () => false,
      );
      if (!isDone) deaths += 1;
    }
  } finally {
    documents.middlewareStack.remove('dying');
  }
  expect(deaths).toBeGreaterThanOrEqual(4);
  const after = await all();
  expect(after).toMatchObject({ views: 3, seconds: 18, bytes: 3000 });
  expect(after.stage.views! - (before.views ?? 0)).toBe(3);
  expect(after.stage.watchedMs! - (before.watchedMs ?? 0)).toBe(18_000);
  expect(after.stage.sessions! - (before.sessions ?? 0)).toBe(2);
  await Promise.all([count(key), count(key)]);
  expect(await all()).toEqual(after);
});

test('concurrent calls for logs of the same session lose nothing', async () => {
  const session = newSession();
  const logs = await Promise.all(
    Array.from({ length: 12 }, (_, number) =>
      shipped(line(filesOf.picture(number), { session }), line(filesOf.picture(0), { session })),
    ),
  );
  await Promise.all([...logs, ...logs].map(count));
  expect(await sums()).toEqual({ views: 1, seconds: 72, bytes: 24_000 });
  const [item] = await queryItems(keys.playback(session).pk);
  await write({ update: { pk: item!.pk, sk: item!.sk }, add: { version: 1 } });
  await countLines(line(filesOf.picture(50), { session }));
  const [pruned] = await queryItems(keys.playback(session).pk);
  expect(pruned!.added).toHaveLength(1);
});

test('nothing is counted by video when views are switched off', async () => {
  process.env.COUNT_VIEWS = 'off';
  const session = newSession();
  await countLines(line(filesOf.picture(0), { session }));
  expect(await sums()).toEqual({ views: 0, seconds: 0, bytes: 0 });
  const [item] = await queryItems(keys.playback(session).pk);
  expect(Object.keys(item!).sort()).toEqual(['countedBy', 'expiresAt', 'kind', 'pk', 'sk']);
  process.env.COUNT_VIEWS = 'on';
  await countLines(line(filesOf.picture(1), { session }));
  expect(await sums()).toMatchObject({ views: 1, seconds: 6 });
});
