import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { createGunzip, gzip } from 'node:zlib';
import * as z from 'zod';
import { now } from '../../shared/clock.ts';
import { readEnvironment } from '../../shared/environment.ts';
import { accessLogPrefix, edgeLogsPrefix } from '../../shared/object-keys.ts';
import { createObject, deleteObject, objectHead, readObject } from '../aws/object-store.ts';
import { addDelivery, emptyDeliveries, readAccesses } from '../common/access-log.ts';
import { log } from '../common/log.ts';
import { countDeliveries, isCounted } from '../table/statistics/delivery-table.ts';
import { viewerSecret } from '../table/views/viewer-secrets.ts';
import { countViews } from '../views/count-views.ts';
import { createLogListener } from '../views/read-log.ts';
import { accessOf } from './edge-log-lines.ts';

const input = z.object({ detail: z.object({ object: z.object({ key: z.string() }) }) });

/**
 * Invoked at least once for each access log that a proxy uploads: adds its bytes and sessions to the daily sums, and
 * its views to those of its videos. A log of the distribution is first converted to that of a node, whose upload
 * invokes the function again.
 */
export async function handler(raw: unknown): Promise<void> {
  const { key } = input.parse(raw).detail.object;
  if (key.startsWith(edgeLogsPrefix)) await convertEdgeLog(key);
  else await count(key);
}

async function count(key: string): Promise<void> {
  if (await isCounted(key)) return log.info('access log', { key, counted: false });
  const lines = createInterface({ input: Readable.from([await readObject(key)]).pipe(createGunzip()) });
  const deliveries = emptyDeliveries();
  const listener = readEnvironment('COUNT_VIEWS') ? createLogListener(secretsByDay()) : undefined;
  const unreadable = await readAccesses(lines, now(), async (access, date) => {
    addDelivery(deliveries, access, date);
    await listener?.hear(access, date);
  });
  const views = listener && (await countViews(key, listener.videos));
  const counted = await countDeliveries(key, deliveries, views);
  const { sessions } = deliveries;
  log.info('access log', { key, counted, sessions: sessions.size, videos: listener?.videos.size, unreadable });
}

/** Reads the secret of each day once. */
function secretsByDay(): (date: string) => Promise<string> {
  const secrets = new Map<string, Promise<string>>();
  return (date) => {
    const secret = secrets.get(date) ?? viewerSecret(date);
    secrets.set(date, secret);
    return secret;
  };
}

/**
 * Converts an access log of the distribution to that of a node with the name `edge`, without signatures, and deletes
 * the original. The name of the file stays, and an object is created once under its name, so a repeated call leads to
 * one log, which is counted once.
 */
async function convertEdgeLog(key: string): Promise<void> {
  // An earlier call did all of this.
  if ((await objectHead(key)) === undefined) return;
  const lines: string[] = [];
  let others = 0;
  for await (const text of createInterface({ input: Readable.from([await readObject(key)]).pipe(createGunzip()) })) {
    const access = accessOf(text);
    if (access) lines.push(`${JSON.stringify(access)}\n`);
    else others += 1;
  }
  const name = key.slice(key.lastIndexOf('/') + 1);
  if (lines.length > 0) {
    await createObject(`${accessLogPrefix('edge')}${name}`, await promisify(gzip)(lines.join('')), 'application/gzip');
  }
  await deleteObject(key);
  log.info('edge log', { key, files: lines.length, others });
}
