import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { imageHeaders } from '../../../fixtures/image-files.ts';
import { prepareCli } from '../../support/run-cli.ts';

const ulid = '01K9Z3P6M8N9P0Q1R2S3T4V5W6';
const image = { ulid, name: 'logo \u001b[2J.png', width: 400, height: 200, size: 9, url: 'x', created_at: 'y' };

test('images are listed with their sizes', async () => {
  const { cli, service } = prepareCli();
  service.handlers['GET /api/images'] = () => ({ body: { data: [image] } });
  expect((await cli(['images'])).stdout).toBe(
    ['ULID                        SIZE       NAME', '01K9Z3P6M8N9P0Q1R2S3T4V5W6  400 × 200  logo �[2J.png', ''].join(
      '\n',
    ),
  );
});

test('an image is sent as a file of its type, with the name of its file, and its ULID is printed', async () => {
  const { cli, service, home } = prepareCli();
  const file = imageHeaders.webp(400, 200);
  await writeFile(join(home, 'my logo.webp'), file);
  let seen: unknown;
  service.handlers['POST /api/images?name=my%20logo.webp'] = async (request: Request) => {
    seen = [
      request.headers.get('content-type'),
      new URL(request.url).searchParams.get('name'),
      Buffer.from(await request.arrayBuffer()).equals(file),
    ];
    return { status: 201, body: { data: image } };
  };
  const added = await cli(['images', 'add', join(home, 'my logo.webp')]);
  expect(added.stderr).toBe('');
  expect([added.code, added.stdout]).toEqual([0, `${ulid}\n`]);
  expect(seen).toEqual(['image/webp', 'my logo.webp', true]);
});

test('an image that templates use is not deleted, and the reason is printed', async () => {
  const { cli, service } = prepareCli();
  const message = 'The image is the watermark of 2 templates.';
  service.handlers[`DELETE /api/images/${ulid}`] = () => ({ status: 409, body: { message, code: 'image_in_use' } });
  expect(await cli(['images', 'delete', ulid])).toMatchObject({ code: 1, stdout: '', stderr: `${message}\n` });
});
