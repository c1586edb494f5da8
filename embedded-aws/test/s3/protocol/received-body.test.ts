import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { GetObjectCommand, HeadObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { defaultMinUploadRate, receivedBody } from '../../../src/s3/protocol/received-body.ts';
import { bucketName as Bucket, type Running, runS3 } from '../running.ts';

describe('the rate of a body', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  /** Reads a body and returns the result. */
  function read(pauseAfterChunk: () => Promise<unknown> = async () => {}) {
    const request = new PassThrough();
    const seen = { bytes: 0, end: '' };
    const reading = (async () => {
      for await (const chunk of receivedBody(request as unknown as IncomingMessage, defaultMinUploadRate)) {
        seen.bytes += chunk.length;
        await pauseAfterChunk();
      }
    })().then(
      () => {
        seen.end = 'whole';
      },
      (error: Error) => {
        seen.end = error.name;
      },
    );
    return { request, seen, reading };
  }
  const pass = async (seconds: number) => {
    for (let second = 0; second < seconds; second++) {
      await vi.advanceTimersByTimeAsync(1000);
      await new Promise((resolve) => setImmediate(resolve));
    }
  };

  test('with one byte every five seconds ends after half a minute', async () => {
    const { request, seen } = read();
    for (let at = 0; at < 30; at += 5) {
      expect(seen.end).toBe('');
      request.write('x');
      await pass(5);
    }
    expect(seen).toEqual({ bytes: 6, end: 'RequestTimeout' });
  });

  test('without any byte ends after half a minute', async () => {
    const { seen } = read();
    await pass(29);
    expect(seen.end).toBe('');
    await pass(1);
    expect(seen.end).toBe('RequestTimeout');
  });

  test('of a slow mobile network with long pauses continues for an hour', async () => {
    const { request, seen, reading } = read();
    for (let minute = 0; minute < 60; minute++) {
      for (let second = 0; second < 6; second++) {
        request.write(Buffer.alloc(6000));
        await pass(1);
      }
      await pass(20);
      for (let second = 0; second < 6; second++) {
        request.write(Buffer.alloc(6000));
        await pass(1);
      }
      await pass(20);
    }
    request.end();
    await reading;
    expect(seen).toEqual({ bytes: 60 * 12 * 6000, end: 'whole' });
  });

  test('does not include the time in which the reader is busy', async () => {
    let done = (): void => {};
    const { request, seen, reading } = read(
      () =>
        new Promise<void>((resolve) => {
          done = resolve;
        }),
    );
    request.write('x');
    await pass(300);
    expect(seen.end).toBe('');
    request.end();
    done();
    await reading;
    expect(seen.end).toBe('whole');
  });
});

describe('an upload that is too slow', () => {
  let running: Running;
  beforeEach(async () => {
    running = await runS3({ minUploadRate: { bytes: 100, seconds: 3 } });
  });

  /**
   * Sends the head of an upload and a piece of its body every 200 ms. Returns the response and whether the connection
   * was closed.
   */
  async function trickle(head: string[], piece: string, times: number): Promise<string> {
    const socket = connect(Number(new URL(running.endpoint).port), '127.0.0.1');
    let answer = '';
    let closed = false;
    socket.on('data', (data) => {
      answer += data;
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      closed = true;
    });
    socket.write(`${head.join('\r\n')}\r\n\r\n`);
    for (let sent = 0; sent < times && answer === ''; sent++) {
      socket.write(piece);
      await sleep(200);
    }
    await expect.poll(() => answer).not.toBe('');
    if (answer.includes('RequestTimeout')) await expect.poll(() => closed).toBe(true);
    socket.destroy();
    return answer;
  }

  test('ends with RequestTimeout, is not stored, and its connection is closed', async () => {
    const s3 = running.client({ requestChecksumCalculation: 'WHEN_REQUIRED' });
    const url = new URL(await getSignedUrl(s3, new PutObjectCommand({ Bucket, Key: 'slow' })));
    const head = [`PUT ${url.pathname}${url.search} HTTP/1.1`, `Host: ${url.host}`, 'Content-Length: 1000'];
    const answer = await trickle(head, 'x', 1000);
    expect(answer).toMatch(/^HTTP\/1.1 400 Bad Request\r\n/);
    expect(answer).toContain('<Code>RequestTimeout</Code>');
    await expect(s3.send(new HeadObjectCommand({ Bucket, Key: 'slow' }))).rejects.toThrow();
  });

  test('ends even before a form has been authenticated', async () => {
    const { host } = new URL(running.endpoint);
    const type = 'Content-Type: multipart/form-data; boundary=b';
    const answer = await trickle(
      [`POST /${Bucket} HTTP/1.1`, `Host: ${host}`, type, 'Content-Length: 1000'],
      '-',
      1000,
    );
    expect(answer).toContain('<Code>RequestTimeout</Code>');
  });

  test('is allowed above the minimum rate', async () => {
    const s3 = running.client({ requestChecksumCalculation: 'WHEN_REQUIRED' });
    const url = new URL(await getSignedUrl(s3, new PutObjectCommand({ Bucket, Key: 'steady' })));
    const head = [`PUT ${url.pathname}${url.search} HTTP/1.1`, `Host: ${url.host}`, 'Content-Length: 1000'];
    expect(await trickle(head, 'x'.repeat(50), 20)).toMatch(/^HTTP\/1.1 200 OK\r\n/);
    const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key: 'steady' }));
    expect(await Body!.transformToString()).toBe('x'.repeat(1000));
  });
});
