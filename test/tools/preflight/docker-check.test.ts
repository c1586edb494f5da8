import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { dockerChecks } from '../../../tools/preflight/docker-check.ts';
import type { Stage } from '../../../tools/preflight/read-stage.ts';

const amd64 = 'linux/amd64';

/** What the check finds with this program as Docker. */
async function findingOf(program: string, name = 'docker') {
  const folder = await mkdtemp(join(tmpdir(), 'docker-check-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, name);
  if (program !== '') await writeFile(file, `#!/bin/sh\n${program}\n`, { mode: 0o755 });
  vi.stubEnv('CDK_DOCKER', file);
  const [check] = dockerChecks({ platforms: [amd64] } as unknown as Stage);
  const { state, text, fix } = [await check!.run()].flat()[0]!;
  return { state, said: `${text} → ${fix}`.replaceAll(file, name) };
}

/** An engine of this version, with its data in this folder. */
const engine = (version: string, dataFolder = '/another-machine') =>
  `case "$*" in
  "version --format {{.Server.Version}}") echo ${version} ;;
  version*) echo ${amd64} ;;
  info*) echo ${dataFolder} ;;
  *) exit 1 ;;
esac`;

test('without Docker, its installation is named', async () => {
  const said = 'docker does not run, and the images are built with it → install and start Docker';
  expect(await findingOf('')).toEqual({ state: 'fails', said });
  expect(await findingOf('echo "Cannot connect to the Docker daemon" >&2; exit 1')).toEqual({ state: 'fails', said });
});

test('a user without permission gets the command that gives it', async () => {
  const program = 'echo "permission denied while trying to connect to the docker API" >&2; exit 1';
  expect(await findingOf(program)).toEqual({
    state: 'fails',
    said: 'you may not use the engine of Docker → sudo usermod -aG docker "$USER", then sign in again',
  });
});

test('a Docker that is too old for the Dockerfiles is named with its version', async () => {
  vi.stubEnv('DOCKER_BUILDKIT', '');
  expect(await findingOf(engine('20.10.24+dfsg1'))).toEqual({
    state: 'fails',
    said: 'Docker 20.10.24+dfsg1 is too old for the Dockerfiles → install Docker 23 or newer, or set DOCKER_BUILDKIT=1',
  });
  expect((await findingOf(engine('5.4.1'), 'podman')).state).toBe('ok');
  expect((await findingOf(engine('28.2.2'))).state).toBe('ok');
  vi.stubEnv('DOCKER_BUILDKIT', '1');
  expect((await findingOf(engine('20.10.24+dfsg1'))).state).toBe('ok');
  expect(await findingOf(engine('19.03.8'))).toEqual({
    state: 'fails',
    said: 'Docker 19.03.8 is too old for the Dockerfiles → install Docker 23 or newer',
  });
});

test('a full disk is named, with the command that frees space', async () => {
  // A file system without any space.
  expect(await findingOf(engine('28.2.2', '/proc'))).toEqual({
    state: 'fails',
    said: '/proc has 0.0 GB of free space, and the images need 5 → docker system prune',
  });
});
