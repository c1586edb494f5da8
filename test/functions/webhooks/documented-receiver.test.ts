import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { eventBody } from '../../../functions/webhooks/events/event-body.ts';
import { postChecked } from '../../../functions/webhooks/sending/checked-request.ts';
import { signedHeaders } from '../../../functions/webhooks/webhook-secret.ts';

const root = join(import.meta.dirname, '../../..');
const page = readFileSync(join(root, 'docs/webhooks.md'), 'utf8');
const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const otherSecret = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;

test('the receiver of docs/webhooks.md takes an event once, and refuses requests without its signature', async () => {
  const [, program = ''] = /^```js$(.*?)^```$/ms.exec(page) ?? [];
  const folder = mkdtempSync(join(tmpdir(), 'receiver-'));
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'receiver.mjs'), program);
  const child = spawn(process.execPath, ['receiver.mjs'], {
    cwd: folder,
    env: { ...process.env, WEBHOOK_SECRET: secret, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines: string[] = [];
  const output = createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
  try {
    await once(output, 'line');
    const url = new URL(`http://127.0.0.1:${lines[0]!.split(' ')[1]}/hooks/video`);
    const body = eventBody('video.completed', '2026-11-22T10:00:00.000000Z', { ulid: '01K', name: 'Ä' });
    const send = async (signedWith: string) => {
      const headers = signedHeaders({ id: 'one', body, atMilliseconds: Date.now() }, [signedWith]);
      const rules = { schemes: ['https:'], allowLoopback: true } as const;
      return (await postChecked(url, { headers, body, timeoutMilliseconds: 30_000 }, rules)).httpStatus;
    };
    expect([await send(secret), await send(secret), await send(otherSecret)]).toEqual([204, 204, 400]);
    expect(lines.slice(1)).toEqual(['video.completed 01K']);
  } finally {
    child.kill();
    await once(child, 'close');
    rmSync(folder, { recursive: true });
  }
});
