import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { clientCode, curlCommand } from '../../../dashboard/components/call-samples.ts';

const origin = 'https://video.example.com';
const rename = {
  method: 'PUT',
  path: '/api/videos/{ulid}',
  params: { ulid: '01K9Z3P6M8N9P0Q1R2S3T4V5W6' },
  body: { name: `it's "$(rm -rf /)" \`x\`` },
} as const;

/** What a shell passes to curl. */
const argumentsOf = (command: string): string[] =>
  execFileSync('sh', ['-c', `curl() { printf '%s\\0' "$@"; }\nTOKEN=t\n${command}`], { encoding: 'utf8' })
    .split('\0')
    .slice(0, -1);

test('a shell passes user text to curl unchanged', () => {
  const passed = argumentsOf(curlCommand(rename, origin));
  expect(passed).toContain(JSON.stringify(rename.body));
  expect(passed).toContain('Authorization: Bearer t');
  expect(passed.at(-1)).toBe(`${origin}/api/videos/01K9Z3P6M8N9P0Q1R2S3T4V5W6`);
});

test('a query is part of the URL', () => {
  const list = { method: 'GET', path: '/api/videos', query: { q: 'a & b', page: 2 } } as const;
  expect(argumentsOf(curlCommand(list, origin)).at(-1)).toBe(`${origin}/api/videos?q=a+%26+b&page=2`);
});

test('the code for the client calls the same operation', () => {
  expect(clientCode(rename, origin)).toContain('await api.PUT("/api/videos/{ulid}", {\n  "params"');
  expect(clientCode({ method: 'POST', path: '/logout' }, origin)).toContain('await api.POST("/logout");');
});
