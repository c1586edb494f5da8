import { execFile } from 'node:child_process';
import { statfs } from 'node:fs/promises';
import { basename } from 'node:path';
import { promisify } from 'node:util';
import { type Check, type Finding, fails, ok } from './check.ts';
import type { Stage } from './read-stage.ts';

/** The program that the CDK uses. */
const docker = (): string => process.env.CDK_DOCKER ?? 'docker';

/** A hanging Docker engine must not stop the other checks. */
const timeoutMs = 30_000;

const run = async (...args: string[]): Promise<string> =>
  (await promisify(execFile)(docker(), args, { timeout: timeoutMs })).stdout;

export const dockerChecks = (stage: Stage): Check[] => [{ name: 'Docker', run: () => checkDocker(stage) }];

async function checkDocker({ platforms }: Stage): Promise<Finding> {
  if (platforms.length === 0) return ok('the deployment builds no image');
  const problem = (await engineProblem()) ?? (await diskProblem());
  if (problem) return problem;
  const missing = await missingPlatforms(platforms);
  if (missing.length === 0) return ok(`it builds for ${platforms.join(' and ')}`);
  return fails(
    `it does not build for ${missing.join(' and ')}`,
    `${docker()} run --privileged --rm tonistiigi/binfmt --install all`,
  );
}

async function engineProblem(): Promise<Finding | undefined> {
  let version: string;
  try {
    version = (await run('version', '--format', '{{.Server.Version}}')).trim();
  } catch (error) {
    if (/permission denied/i.test((error as { stderr?: string }).stderr ?? '')) {
      return fails('you may not use the engine of Docker', `sudo usermod -aG docker "$USER", then sign in again`);
    }
    return fails(`${docker()} does not run, and the images are built with it`, 'install and start Docker');
  }
  // Other programs that the CDK can use have other version numbers.
  const [, major] = basename(docker()) === 'docker' ? (/^(\d+)\./.exec(version) ?? []) : [];
  const oldest = process.env.DOCKER_BUILDKIT === '1' ? oldestWithBuildKit : oldestOnBuildKit;
  if (major === undefined || Number(major) >= oldest) return undefined;
  const fix = Number(major) < oldestWithBuildKit ? '' : ', or set DOCKER_BUILDKIT=1';
  return fails(`Docker ${version} is too old for the Dockerfiles`, `install Docker ${oldestOnBuildKit} or newer${fix}`);
}

/** The first major version whose BuildKit has what the Dockerfiles use, and the first that uses it by itself. */
const oldestWithBuildKit = 20;
const oldestOnBuildKit = 23;

/** Two architectures of worker and proxy, with what their builds leave. */
const neededBytes = 5e9;

/** The folder of an engine on another machine is not there. */
async function diskProblem(): Promise<Finding | undefined> {
  const folder = (await run('info', '--format', '{{.DockerRootDir}}').catch(() => '')).trim();
  const disk = folder.startsWith('/') ? await statfs(folder).catch(() => undefined) : undefined;
  const freeBytes = disk ? disk.bavail * disk.bsize : neededBytes;
  if (freeBytes >= neededBytes) return undefined;
  const text = `${folder} has ${(freeBytes / 1e9).toFixed(1)} GB of free space, and the images need ${neededBytes / 1e9}`;
  return fails(text, `${docker()} system prune`);
}

/** The builder lists the platforms that it emulates too. */
async function missingPlatforms(platforms: readonly string[]): Promise<string[]> {
  const inspected = await run('buildx', 'inspect').catch(() => '');
  const listed = /^\s*Platforms:\s*(.*)$/m.exec(inspected)?.[1];
  const known = listed?.split(/,\s*/).map((name) => name.replace(/\*$/, '').trim()) ?? [await ownPlatform()];
  return platforms.filter((platform) => !known.some((one) => one === platform || one.startsWith(`${platform}/`)));
}

const ownPlatform = async (): Promise<string> =>
  (await run('version', '--format', '{{.Server.Os}}/{{.Server.Arch}}')).trim();
