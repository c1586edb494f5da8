import { execFile } from 'node:child_process';
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
  try {
    await run('version');
  } catch {
    return fails(`${docker()} does not run, and the images are built with it`, 'install and start Docker');
  }
  const missing = await missingPlatforms(platforms);
  if (missing.length === 0) return ok(`it builds for ${platforms.join(' and ')}`);
  return fails(
    `it does not build for ${missing.join(' and ')}`,
    `${docker()} run --privileged --rm tonistiigi/binfmt --install all`,
  );
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
