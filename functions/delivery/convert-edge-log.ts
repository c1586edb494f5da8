import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { createGunzip, gzip } from 'node:zlib';
import { accessLogPrefix } from '../../shared/object-keys.ts';
import { createObject, deleteObject, objectHead, readObject } from '../aws/object-store.ts';
import { log } from '../common/log.ts';
import { accessOf } from './edge-log-lines.ts';

/**
 * Converts an access log of the distribution to that of a node with the name `edge`, without signatures, and deletes
 * the original. The name of the file stays, and an object is created once under its name, so a repeated call leads to
 * one log, which is counted once.
 */
export async function convertEdgeLog(key: string): Promise<void> {
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
