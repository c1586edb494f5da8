import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBufferPool } from '../../../encoder-task/deliver/buffer-pool.ts';
import { copyFiles } from '../../../encoder-task/deliver/copy-files.ts';
import { createPieceReader } from '../../../encoder-task/deliver/pieces.ts';
import { storagePace } from '../../../encoder-task/deliver/storage-errors.ts';
import { createTargetClient } from '../../../encoder-task/deliver/target-client.ts';
import { createPace } from '../../../encoder-task/ingest/pace.ts';
import type { PartRequest } from '../../../encoder-task/transfer/job-files.ts';
import type { DeliverSpec, FileResponse, FileToCopy, StoredPart } from '../../../shared/protocol/jobs.ts';
import { type SourceServer, serveFile, startSource } from '../../fixtures/servers/source-server.ts';

export type TestFile = { path: string; body: Buffer; stage: number };
/** Responds instead of the store when it returns true. The body of the request has arrived. */
export type Deviation = (request: IncomingMessage, response: ServerResponse, body: Buffer) => boolean;

export const fileOf = (path: string, bytes: number, stage = 0): TestFile => ({ path, body: randomBytes(bytes), stage });

type CopyOptions = { signal?: AbortSignal; allowLoopback?: boolean; stallMs?: number; nowMs?: () => number };

const md5 = (body: Buffer): string => createHash('md5').update(body).digest('hex');

/** A source, a store of a user, and the part of the service that a worker calls. */
export async function openCopying(files: TestFile[], { partBytes = 0, singleBytes = 1e6 } = {}) {
  const stored = new Map<string, Buffer>();
  const puts: string[] = [];
  const headers = new Map<string, IncomingMessage['headers']>();
  const parts = new Map<string, Map<number, Buffer>>();
  const asked: PartRequest[] = [];
  const state = { copiedFiles: 0, copiedBytes: 0, generation: 0, running: 0, mostRunning: 0 };
  let deviate: Deviation = () => false;
  let sourceDeviate: (request: IncomingMessage, response: ServerResponse) => boolean = () => false;
  const source = await startSource((request, response, count) => {
    if (sourceDeviate(request, response)) return;
    const file = files[Number(new URL(request.url ?? '', 'http://s').pathname.slice(1))]!;
    serveFile(file.body, { etag: null })(request, response, count);
  });
  const target = await startSource(async (request, response) => {
    const chunks: Buffer[] = [];
    state.running++;
    state.mostRunning = Math.max(state.mostRunning, state.running);
    try {
      for await (const chunk of request) chunks.push(chunk);
    } catch {
      return;
    } finally {
      state.running--;
    }
    const body = Buffer.concat(chunks);
    const url = new URL(request.url ?? '', 'http://s');
    puts.push(`${url.pathname.slice(1)}${url.searchParams.has('part') ? `#${url.searchParams.get('part')}` : ''}`);
    if (deviate(request, response, body)) return;
    const expected = Buffer.from(String(request.headers['content-md5']), 'base64').toString('hex');
    if (expected !== md5(body)) return void response.writeHead(400).end('<Error><Code>BadDigest</Code></Error>');
    const path = url.pathname.slice(1);
    headers.set(path, request.headers);
    const part = Number(url.searchParams.get('part'));
    if (part > 0) parts.get(path)!.set(part, body);
    else stored.set(path, body);
    response.writeHead(200, { etag: `"${md5(body)}"` }).end();
  });

  const toCopy = (position: number): FileToCopy => {
    const { path, body, stage } = files[position]!;
    const common = {
      position,
      bytes: body.length,
      stage,
      source: `${source.url(String(position))}?g=${state.generation}`,
    };
    if (body.length > singleBytes) return { ...common, partBytes };
    return {
      ...common,
      target: { url: `${target.url(path)}?g=${state.generation}`, headers: { 'content-type': 'video/mp4' } },
    };
  };
  const askParts = async (request: PartRequest): Promise<FileResponse> => {
    asked.push(request);
    if (request.ask === 'copies' || request.ask === 'copied') {
      if (request.copiedFiles > state.copiedFiles) {
        Object.assign(state, { copiedFiles: request.copiedFiles, copiedBytes: request.copiedBytes });
      }
      if (request.ask === 'copied') return {};
      state.generation++;
      const end = Math.min(files.length, request.position + request.count);
      return { files: Array.from({ length: end - request.position }, (_, n) => toCopy(request.position + n)) };
    }
    const { path, body } = files[Number((request as { file: string }).file)]!;
    switch (request.ask) {
      case 'compare':
        return { isSame: stored.get(path)?.length === body.length };
      case 'open': {
        const known = parts.get(path) ?? new Map<number, Buffer>();
        parts.set(path, known);
        const storedParts: StoredPart[] = [...known].map(([number, one]) => ({
          number,
          bytes: one.length,
          etag: `"${md5(one)}"`,
        }));
        return { s3UploadId: path, storedParts };
      }
      case 'parts': {
        const numbers = Array.from({ length: request.count }, (_, n) => request.from + n);
        return { urls: Object.fromEntries(numbers.map((n) => [String(n), `${target.url(path)}?part=${n}`])) };
      }
      case 'close':
        stored.set(path, Buffer.concat(request.parts.map(({ number }) => parts.get(path)!.get(number)!)));
        return {};
      default:
        throw new Error(`unexpected ${request.ask}`);
    }
  };

  /** One attempt of a worker. */
  const copy = async (options: CopyOptions = {}) => {
    const { signal = new AbortController().signal, allowLoopback = true, stallMs = 60_000, nowMs } = options;
    const folder = await mkdtemp(join(tmpdir(), 'deliver-test-'));
    const pool = createBufferPool(32 * 2 ** 20);
    const reader = createPieceReader({ pool, folder, connections: 16, signal, stallMs });
    const client = createTargetClient({ allowLoopback, connections: 16, stallMs });
    const spec: DeliverSpec = {
      kind: 'deliver',
      fileCount: files.length,
      totalBytes: files.reduce((sum, { body }) => sum + body.length, 0),
      copiedFiles: state.copiedFiles,
      copiedBytes: state.copiedBytes,
      allowLoopback,
    };
    try {
      const pace = createPace(nowMs, storagePace);
      const context = { askParts, reader, client, pace, signal, firstDelayMs: 1, reportProgress: () => undefined };
      return await copyFiles(context, spec);
    } finally {
      reader.close();
      client.close();
      await rm(folder, { recursive: true });
    }
  };
  return {
    copy,
    stored,
    puts,
    headers,
    asked,
    state,
    source,
    target,
    parts,
    deviateBy: (by: Deviation) => {
      deviate = by;
    },
    deviateSourceBy: (by: typeof sourceDeviate) => {
      sourceDeviate = by;
    },
    close: async () => {
      await Promise.all([source, target].map((server: SourceServer) => server.close()));
    },
  };
}
