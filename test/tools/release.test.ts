import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { apiVersion } from '../../functions/contracts/api-version.ts';
import { writeImageContexts } from '../../tools/release/image-contexts.ts';
import { releaseNotes, sectionOf } from '../../tools/release/release-notes.ts';

const temporaryFolder = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'release-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
};

const packageFiles = ['package.json', 'client/package.json', 'dashboard/package.json', 'embedded-aws/package.json'];
const versionOf = async (file: string): Promise<string> => JSON.parse(await readFile(file, 'utf8')).version;

test('packages, dashboard and API document have one version, which the changelog describes', async () => {
  const versions = await Promise.all(packageFiles.map(versionOf));
  expect(new Set([...versions, apiVersion])).toEqual(new Set([versions[0]]));
  expect(await releaseNotes(`v${versions[0]}`)).toContain('### Added');
});

test('the notes are the section of the version alone', () => {
  const changelog = '# Changelog\n\n## [0.2.0] - 2026-11-27\n\n- New.\n\n## [0.1.0] - 2026-11-26\n\n- First.\n';
  expect(sectionOf(changelog, '0.2.0')).toBe('- New.');
  expect(sectionOf(changelog, '0.1.0')).toBe('- First.');
  expect(sectionOf(changelog, '0.1')).toBeUndefined();
});

test('a tag that is not the version of a package, or has no section, makes no release', async () => {
  const folder = await temporaryFolder();
  for (const file of packageFiles) {
    await mkdir(join(folder, file, '..'), { recursive: true });
    await cp(file, join(folder, file));
  }
  await writeFile(join(folder, 'CHANGELOG.md'), '# Changelog\n\n## [Unreleased]\n\n- New.\n');
  const version = await versionOf('package.json');
  await expect(releaseNotes('v9.9.9', folder)).rejects.toThrow('The tag is v9.9.9, but package.json has the version');
  await expect(releaseNotes(`v${version}`, folder)).rejects.toThrow(`CHANGELOG.md has no section for ${version}`);
});

type Job = { steps: { run?: string }[]; strategy?: { matrix: { include: { context: string; file: string }[] } } };

test('every image of a release has its Dockerfile, with the files that it copies', async () => {
  const workflow = parse(await readFile('.github/workflows/release.yml', 'utf8')) as { jobs: Record<string, Job> };
  const folder = await temporaryFolder();
  await writeImageContexts(folder);
  const inFolder = (path: string): string => path.replace(/^dist\b/, folder);
  for (const { context, file } of workflow.jobs.images!.strategy!.matrix.include) {
    const dockerfile = await readFile(inFolder(file), 'utf8');
    const copied = [...dockerfile.matchAll(/^COPY (?!--from)(?:--\S+ )*(.+) \S+$/gm)].flatMap(([, paths]) =>
      paths!.split(' '),
    );
    expect(copied.length, file).toBeGreaterThan(0);
    for (const path of copied) await stat(join(inFolder(context), path));
  }
});

test('the notes of the release are printed by the command of the workflow', async () => {
  const version = await versionOf('package.json');
  const { stdout } = await promisify(execFile)(process.execPath, ['tools/release/release-notes.ts', `v${version}`]);
  expect(stdout.trim()).toBe(sectionOf(await readFile('CHANGELOG.md', 'utf8'), version));
});
