import { randomUUID } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { edgeLogLine } from 'embedded-aws/testing';
import signedUrl from '../../delivery/urls/signed-url.js';
import { newUlid } from '../../functions/common/ids.ts';
import { accessLogPrefix } from '../../shared/object-keys.ts';
import type { SimulatedRequest } from './simulated-day.ts';

/** Where a log comes from: a proxy, the distribution on AWS, or the distribution on one machine. */
const originOf = (logger: number): 'proxy' | 'distribution' | 'embedded' =>
  logger < 3 ? 'proxy' : logger < 6 ? 'distribution' : 'embedded';

const nodes = Array.from({ length: 3 }, newUlid);

/** Log files in a folder, each of one logger and period, divided into two: some requests are in the other half. */
export function createLogFiles(folder: string, { startMs, periods }: { startMs: number; periods: number }) {
  const buffers = new Map<string, string[]>();
  const periodMs = 86_400_000 / periods;

  /** what has to be counted of each log: its videos, and the sessions of each */
  const countedOnce = { videos: new Set<string>(), sessions: new Set<string>() };

  const flush = (name: string): void => {
    appendFileSync(join(folder, name), (buffers.get(name) ?? []).join(''));
    buffers.set(name, []);
  };

  return {
    add(request: SimulatedRequest): void {
      const period = Math.floor((request.atMs - startMs) / periodMs);
      const half = request.isAstray ? 1 - request.half : request.half;
      const name = `${request.logger}-${period}-${half}`;
      countedOnce.videos.add(`${name} ${request.videoUlid}`);
      countedOnce.sessions.add(`${name} ${request.videoUlid} ${request.session || request.address}`);
      const lines = buffers.get(name) ?? [];
      buffers.set(name, lines);
      lines.push(`${lineOf(request)}\n`);
      if (lines.length >= 500) flush(name);
    },
    parts: () => ({ videos: countedOnce.videos.size, sessions: countedOnce.sessions.size }),
    /** The files with the keys under which they are stored. */
    close(): { name: string; key: string; read: () => Promise<Uint8Array> }[] {
      for (const name of buffers.keys()) flush(name);
      return [...buffers.keys()].map((name) => ({
        name,
        key: keyOf(Number(name.split('-')[0]), name),
        read: async () => gzipSync(await readFile(join(folder, name))),
      }));
    },
  };
}

const keyOf = (logger: number, name: string): string =>
  originOf(logger) === 'proxy'
    ? `${accessLogPrefix(nodes[logger]!)}${name}.jsonl.gz`
    : `logs/edge/AWSLogs/123456789012/CloudFront/E${logger}.${name}.${randomUUID()}.gz`;

function lineOf(request: SimulatedRequest): string {
  const { logger, atMs, videoUlid, file, session, status, bytes, responseSeconds, address, userAgent, cmcd } = request;
  const key = `videos/${videoUlid}/${file}`;
  if (originOf(logger) === 'proxy') {
    return JSON.stringify({
      time: new Date(atMs).toISOString(),
      node: nodes[logger],
      method: 'GET',
      path: `/${key}`,
      session,
      status,
      bytes,
      durationSeconds: responseSeconds,
      remoteAddress: address,
      userAgent,
      ...(cmcd !== undefined && { cmcd }),
    });
  }
  const path = session === '' ? signedUrl.publicPathOf(key) : `/s/k1.9999999999.${session}.${'x'.repeat(43)}/${key}`;
  if (originOf(logger) === 'embedded') {
    const target = cmcd === undefined ? path : `${path}?CMCD=${cmcd}`;
    return edgeLogLine({ atMs, target, status, bytes, responseSeconds, address, userAgent });
  }
  const [date, time] = new Date(atMs).toISOString().split(/[T.]/);
  return JSON.stringify({
    date,
    time,
    'c-ip': address,
    'cs-method': 'GET',
    'cs-uri-stem': path,
    'cs-uri-query': cmcd === undefined ? '-' : `CMCD=${cmcd}`,
    'sc-status': String(status),
    'sc-bytes': String(bytes),
    'time-taken': responseSeconds.toFixed(3),
    'cs(User-Agent)': encodeURIComponent(userAgent),
  });
}
