import { createHash } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { nameOfBuild, openBuilds } from '../../../../lab/bench/encoders/builds.ts';
import { checkPackage, readUris } from '../../../../lab/bench/encoders/debian-root.ts';
import { programsOfRoot } from '../../../encoder-task/support/programs-of-root.ts';
import { run } from '../../../journey/support/ffmpeg.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'encoder-builds-'));
});
afterEach(() => rm(folder, { recursive: true }));

const sha256 = createHash('sha256').update('content').digest('hex');
const line = `'http://deb.debian.org/pool/libx265-215_4.2-1%2bb1_amd64.deb' libx265-215_4.2-1%2bb1_amd64.deb 7 SHA256:${sha256}`;

describe('the packages of a suite', () => {
  test('are those that apt names, each with its hash', () => {
    expect(readUris(`Reading package lists...\n${line}\n`)).toEqual([
      {
        url: 'http://deb.debian.org/pool/libx265-215_4.2-1%2bb1_amd64.deb',
        file: 'libx265-215_4.2-1%2bb1_amd64.deb',
        sha256,
      },
    ]);
  });

  test.each([
    ['no SHA256', `'http://h/a.deb' a.deb 7 MD5Sum:4530ba49f545ea968a61b105b6f87b98`, 'without SHA256'],
    ['a file in another folder', `'http://h/a.deb' ../a.deb 7 SHA256:${sha256}`, 'without SHA256'],
    ['no package', 'E: Unable to locate package ffmpeg', 'names no packages'],
  ])('are refused with %s', (_, text, reason) => {
    expect(() => readUris(text)).toThrow(reason);
  });

  test('are refused with another content than the list of packages says', () => {
    const [named] = readUris(line);
    checkPackage(named!, Buffer.from('content'));
    expect(() => checkPackage(named!, Buffer.from('other'))).toThrow(/libx265.* has the SHA256/);
  });
});

test.each([
  ['ffmpeg version 5.1.9-0+deb12u1 Copyright (c) 2000-2026', 'ffmpeg 5.1.9'],
  ['ffmpeg version n7.1 Copyright', 'ffmpeg 7.1'],
  ['ffmpeg version N-118000-gabcdef Copyright', 'ffmpeg N-118000-gabcdef'],
])('%s is named %s', (text, name) => {
  expect(nameOfBuild(text)).toBe(name);
});

test('a program that is not ffmpeg is refused', () => {
  expect(() => nameOfBuild('sh: not found')).toThrow('not an ffmpeg');
});

test('a build is a program, a folder with one, or one on the PATH, and two of one version have two names', async () => {
  const builds = await openBuilds({ ffmpeg: ['ffmpeg', 'ffmpeg'], suites: [] }, folder);
  expect(builds.map(({ program }) => program)).toEqual(['ffmpeg', 'ffmpeg']);
  expect(new Set(builds.map(({ name }) => name)).size).toBe(2);
  const inFolder = join(folder, 'ffmpeg');
  await writeFile(inFolder, '#!/bin/sh\nexec ffmpeg "$@"\n');
  await chmod(inFolder, 0o755);
  expect(await openBuilds({ ffmpeg: [folder], suites: [] }, folder)).toEqual([
    { name: builds[0]!.name.replace(' (1)', ''), program: inFolder, encoders: builds[0]!.encoders },
  ]);
  await expect(openBuilds({ ffmpeg: [join(folder, 'none')], suites: [] }, folder)).rejects.toThrow('no ffmpeg at');
});

describe('programs of the root of another system', () => {
  test('run by its loader, with its libraries', async () => {
    const root = join(folder, 'root');
    const libraries = join(root, 'usr/lib/x86_64-linux-gnu');
    await mkdir(libraries, { recursive: true });
    await writeFile(join(libraries, 'ld-linux-x86-64.so.2'), '#!/bin/sh\necho "$@"\n', { mode: 0o755 });
    const programs = await programsOfRoot(root, join(folder, 'bin'));
    expect(await readFile(join(programs, 'ffprobe'), 'utf8')).toContain(`'${root}/usr/bin/ffprobe' "$@"`);
    const path = process.env.PATH;
    process.env.PATH = `${programs}:${path}`;
    const { stdout } = await run('ffmpeg', ['-version']).finally(() => {
      process.env.PATH = path;
    });
    expect(stdout.toString()).toBe(
      `--library-path ${['', '/pulseaudio', '/blas', '/lapack'].map((inner) => `${libraries}${inner}`).join(':')} ` +
        `${root}/usr/bin/ffmpeg -v error -version\n`,
    );
  });

  test('are refused without libraries of Debian or a loader', async () => {
    await mkdir(join(folder, 'usr/lib'), { recursive: true });
    await expect(programsOfRoot(folder, join(folder, 'bin'))).rejects.toThrow('no libraries of Debian');
    await mkdir(join(folder, 'usr/lib/aarch64-linux-gnu'));
    await expect(programsOfRoot(folder, join(folder, 'bin'))).rejects.toThrow('no loader');
  });
});
