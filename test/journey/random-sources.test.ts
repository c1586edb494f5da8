import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { sourceOf, type Templates, trySource } from '../../lab/random-sources/try-source.ts';
import { type Client, signUp } from './support/client.ts';

let folder: string;
let client: Client;
let templates: Templates;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'random-sources-'));
  client = await signUp(inject('apiUrl'));
  templates = new Map();
});

afterAll(() => rm(folder, { recursive: true }));

/** Four of those that `npm run random-sources -- --seed 1` tries. */
test.each([1, 2, 4, 16])('viewers get what random source %i contains', async (number) => {
  const { text, problems } = await trySource(sourceOf(1, number), { client, templates, folder });
  expect({ text, problems }).toEqual({ text, problems: [] });
});
