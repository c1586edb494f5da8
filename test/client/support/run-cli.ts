import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Fetch } from '../../../client/api.ts';
import { run } from '../../../client/cli/run.ts';
import { createFakeService, serveUpload } from './fake-service.ts';

/** A folder that is removed after the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'cli-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

export const templateRecord = { ulid: '01K9Z3P6M8N9P0Q1R2S3T4V5W6', id: 7, name: 'Web', shared: false };

/** A fake service with a template and one upload, and the command line that uses it with its own home folder. */
export function prepareCli() {
  const home = temporaryFolder();
  const handlers = {
    'GET /api/templates': () => ({ body: { data: [templateRecord] } }),
    'GET /api/template-presets': () => ({ body: { data: [{ slug: 'hls-auto', name: 'HLS auto' }] } }),
  };
  const service = createFakeService(handlers, 'https://service.test');
  const upload = serveUpload(service);
  const stop = new AbortController();

  /** Runs a command with the URL and a token in its environment. */
  async function cli(argv: string[], { fetch = service.fetch as Fetch, env = {}, ask = undefined as never } = {}) {
    const output = { stdout: '', stderr: '' };
    const stream = (name: keyof typeof output) => ({
      write: (text: string) => {
        output[name] += text;
      },
    });
    const code = await run(argv, '1.2.3', {
      environment: {
        HOME: home,
        OPEN_VIDEO_SERVICE_URL: service.url,
        OPEN_VIDEO_SERVICE_TOKEN: '1|secret',
        ...env,
      },
      stdout: stream('stdout'),
      stderr: stream('stderr'),
      fetch,
      signal: stop.signal,
      ask,
    });
    return {
      code,
      ...output,
      json: () =>
        output.stdout
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line)),
    };
  }
  return { home, service, ...upload, stop, cli };
}
