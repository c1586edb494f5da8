import { execFile } from 'node:child_process';
import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { readEncodersOf } from '../../../encoder-task/ffmpeg/encoder-versions.ts';
import type { Encoders } from '../../../shared/protocol/jobs.ts';
import { unpackSuite } from './debian-root.ts';

export type BuildChoice = {
  /** programs, or folders with a program `ffmpeg`; that on the PATH if there is neither this nor a suite */
  ffmpeg: string[];
  /** suites of Debian, such as `trixie` */
  suites: string[];
};

/** An ffmpeg, and the versions of its encoders. */
export type Build = { name: string; program: string; encoders: Encoders };

/** The chosen builds in their order, those of suites last. These are unpacked in `folder`. */
export async function openBuilds({ ffmpeg, suites }: BuildChoice, folder: string): Promise<Build[]> {
  const programs = await Promise.all((ffmpeg.length + suites.length === 0 ? ['ffmpeg'] : ffmpeg).map(programAt));
  for (const suite of suites) {
    const inner = join(folder, suite);
    await mkdir(inner);
    programs.push(join(await unpackSuite(suite, inner), 'ffmpeg'));
  }
  const builds = await Promise.all(programs.map(openBuild));
  const names = builds.map(({ name }) => name);
  return builds.map((build, n) => ({
    ...build,
    name: names.indexOf(build.name) === names.lastIndexOf(build.name) ? build.name : `${build.name} (${n + 1})`,
  }));
}

async function programAt(path: string): Promise<string> {
  const found = await stat(path).catch(() => undefined);
  // a name without a folder is looked up by the system
  if (!found && !path.includes('/')) return path;
  if (!found) throw new Error(`There is no ffmpeg at ${path}`);
  return found.isDirectory() ? join(path, 'ffmpeg') : path;
}

async function openBuild(program: string): Promise<Build> {
  const { stdout } = await promisify(execFile)(program, ['-version']);
  return { name: nameOfBuild(stdout), program, encoders: await readEncodersOf(program) };
}

/** `ffmpeg 7.1` of the first line of `ffmpeg -version`, without the revision of a distribution. */
export function nameOfBuild(text: string): string {
  const [, version] = /^ffmpeg version (\S+)/.exec(text) ?? [];
  if (!version) throw new Error(`This is not an ffmpeg: ${text.split('\n')[0]}`);
  return `ffmpeg ${/^n?(\d+(\.\d+)+)/.exec(version)?.[1] ?? version}`;
}
