import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { type ContainerInput, startContainer } from '../../src/ecs/container-process.ts';

test('the process of a container does not load the compiler of TypeScript for its own start', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'container-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const hasCompiler = `process.moduleLoadList.some((name) => name.includes('amaro'))`;
  await writeFile(join(folder, 'entry.mjs'), `process.exit(${hasCompiler} ? 1 : 0);`);
  const container = { name: 'one', environment: {}, mounts: [] };
  const definition = { entryFile: 'entry.mjs', containers: [container] } as unknown as ContainerInput['definition'];
  const input = { definition, entryFolder: folder, folder, environments: {}, slotEnvironment: {}, onLogLine: () => {} };
  expect(await (await startContainer(container as never, input)).exitCode).toBe(0);
});

test('a container of a service with a low priority has no higher one, which only the administrator could set', async () => {
  const niceness = Math.max(12, getPriority());
  const folder = await mkdtemp(join(tmpdir(), 'container-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  // The priority may be set after the start.
  await writeFile(
    join(folder, 'entry.mjs'),
    `import { getPriority } from 'node:os';
setInterval(() => { if (getPriority() === ${niceness}) process.exit(7); }, 20);
`,
  );
  const module = join(import.meta.dirname, '../../src/ecs/container-process.ts');
  const script = `
import { setPriority } from 'node:os';
import { startContainer, killContainer } from ${JSON.stringify(module)};
setPriority(${niceness});
const folder = ${JSON.stringify(folder)};
const container = { name: 'one', environment: {}, mounts: [] };
const definition = { entryFile: 'entry.mjs', containers: [container] };
const input = { definition, entryFolder: folder, folder, environments: {}, slotEnvironment: {}, onLogLine: () => {} };
console.log(await (await startContainer(container, input)).exitCode);
`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script]);
  expect(stdout.trim()).toBe('7');
});
