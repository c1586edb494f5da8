import { execFile } from 'node:child_process';
import { copyFile, cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, matchesGlob } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
const tsc = join(root, 'node_modules/.bin/tsc');

let folder: string;

/** A project that has installed the package as npm packs it. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'client-package-'));
  const packed = await run('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: join(root, 'client') });
  const installed = join(folder, 'node_modules/open-video-service');
  await mkdir(installed, { recursive: true });
  await run('tar', ['-xf', join(folder, packed.stdout.trim()), '-C', installed, '--strip-components=1']);
  for (const name of ['openapi-fetch', 'openapi-typescript-helpers']) {
    await symlink(join(root, 'node_modules', name), join(folder, 'node_modules', name));
  }
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
});
afterAll(() => rm(folder, { recursive: true }));

test('the package contains its code, types and description only', async () => {
  const installed = await readdir(join(folder, 'node_modules/open-video-service'));
  expect(installed.toSorted()).toEqual(['README.md', 'dist', 'package.json']);
});

test('a program imports it', async () => {
  const program = `
    import { createClient, ApiError } from 'open-video-service';
    const fetch = async () => Response.json({ message: 'Unauthenticated.' }, { status: 401 });
    const { api } = createClient({ url: 'http://service.test', fetch });
    const error = await api.GET('/api/me').catch((error) => error);
    console.log(error instanceof ApiError, error.status, error.message);`;
  await writeFile(join(folder, 'program.js'), program);
  // the version of Node that is installed, which may be older than that of the project
  expect((await run('node', ['program.js'], { cwd: folder })).stdout).toBe('true 401 Unauthenticated.\n');
});

test('its command is one file without dependencies, for the version of Node that is installed', async () => {
  const command = join(folder, 'cli.js');
  await copyFile(join(folder, 'node_modules/open-video-service/dist/cli.js'), command);
  const { version } = JSON.parse(await readFile(join(root, 'client/package.json'), 'utf8'));
  expect((await run('node', [command, '--version'])).stdout).toBe(`${version}\n`);
  const env = { ...process.env, OPEN_VIDEO_SERVICE_URL: 'https://service.invalid', HOME: folder };
  const ended = await run('node', [command, 'videos'], { env }).catch((error) => error);
  expect([ended.code, ended.stdout]).toEqual([2, '']);
  expect(ended.stderr).toContain('The API token is missing');
});

test('its types are found and checked', async () => {
  const lines = [
    `import { bodyOf, createClient } from 'open-video-service';`,
    `const { api } = createClient({ url: 'http://service.test' });`,
    `export const name: string = (await bodyOf(api.GET('/api/me'))).name;`,
    '// @ts-expect-error there is no such path',
    `await api.GET('/api/mee');`,
    '// @ts-expect-error the path needs a ULID',
    `await api.GET('/api/videos/{ulid}');`,
  ];
  await writeFile(join(folder, 'program.ts'), lines.join('\n'));
  const options = [
    '--strict',
    '--noEmit',
    '--module',
    'nodenext',
    '--target',
    'es2022',
    '--types',
    '',
    '--lib',
    'es2023,dom',
  ];
  const checked = await run(tsc, [...options, 'program.ts'], { cwd: folder }).catch((error) => error);
  expect(checked.stdout).toBe('');
});

test('a project that is made as the README says compiles the examples of the README, with the current TypeScript', async () => {
  const project = join(folder, 'project');
  const packages = join(project, 'node_modules');
  const readme = await readFile(join(root, 'client/README.md'), 'utf8');
  const [commands, config, ...examples] = [...readme.matchAll(/^```(?:sh|json|ts)\n(.*?)^```$/gms)].map(
    ([, code]) => code!,
  );
  await mkdir(packages, { recursive: true });
  await cp(join(folder, 'node_modules'), packages, { recursive: true });
  // The registry is not asked: what the commands install is linked to the packages of this repository.
  const installed = [...commands!.matchAll(/^npm install (?:--save-dev )?(.*)$/gm)].flatMap(([, names]) =>
    names!.split(' '),
  );
  expect((await readdir(folder)).filter((name) => matchesGlob(name, basename(installed[0]!)))).toHaveLength(1);
  for (const name of installed.filter((name) => !name.startsWith('./'))) {
    await mkdir(dirname(join(packages, name)), { recursive: true });
    await symlink(join(root, 'node_modules', name), join(packages, name));
  }
  const [init, type] = commands!.split('\n')[0]!.split(' && ');
  await run('sh', ['-c', `${init} && ${type}`], { cwd: project });
  await writeFile(join(project, 'tsconfig.json'), config!);
  expect(examples.length).toBeGreaterThan(1);
  await Promise.all(examples.map((code, n) => writeFile(join(project, `example-${n}.ts`), code)));
  const compiled = await run(join(packages, 'typescript/bin/tsc'), [], { cwd: project }).catch((error) => error);
  expect(compiled.stdout).toBe('');
  expect(await readdir(join(project, 'dist'))).toEqual(examples.map((_, n) => `example-${n}.js`));
});
