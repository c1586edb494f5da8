import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { listContainers } from '../../../functions/nodes/list-containers.ts';
import { createImageName, replaceProgram, runSteps } from '../../fixtures/servers/run-node-steps.ts';
import { type SshServer, startSshServer } from '../../fixtures/servers/start-ssh-server.ts';

let server: SshServer;
afterEach(() => server.stop());

test("the node's containers are listed in the format of the API, running or not", async () => {
  server = await startSshServer({ images: [createImageName('a')], target: { workers: 1 } });
  await runSteps(server, ['configure', 'start']);
  const container = {
    id: expect.stringMatching(/^[0-9a-f]{12}$/),
    name: 'video-service-worker-1',
    image: createImageName('a'),
    state: 'running',
    status: 'Up 3 hours',
    created_at: '2026-11-20T08:00:00.000000Z',
  };
  expect(await listContainers(server.target)).toEqual([container]);
  expect(await listContainers({ ...server.target, ulid: '01K9Z3S0C1D2E3F4G5H6J7K8MC' })).toEqual([]);
  await runSteps(server, ['drain']);
  expect(await listContainers(server.target)).toEqual([{ ...container, state: 'exited' }]);
});

/** A server whose Docker prints many containers. */
async function startCrowdedServer(count: number): Promise<void> {
  server = await startSshServer({ images: [] });
  const facts = '"image":"encoder","state":"exited","status":"Exited (0)","createdAt":"2026-11-20 08:00:00 +0000 UTC"';
  const printed = `{"id":"%012x","name":"worker-%d",${facts}}\\n`;
  await replaceProgram(server, 'docker', `for ((n = 1; n <= ${count}; n++)); do printf '${printed}' $n $n; done`);
}

test('of many containers none is missing', async () => {
  await startCrowdedServer(700);
  const names = (await listContainers(server.target)).map(({ name }) => name);
  expect(names).toEqual(Array.from({ length: 700 }, (_, index) => `worker-${index + 1}`));
});

test('too many containers are an error, and not the last ones of them', async () => {
  await startCrowdedServer(8_000);
  await expect(listContainers(server.target)).rejects.toMatchObject({ code: 'OUTPUT_TOO_LARGE' });
});

test('a server without Docker has no containers; one that does not respond is unreachable', async () => {
  server = await startSshServer();
  expect(await listContainers(server.target)).toEqual([]);
  await server.fault('sudo');
  await expect(listContainers(server.target)).rejects.toMatchObject({ code: 'SUDO_REFUSED' });
  await server.fault('sudo', null);
  await runSteps(server, ['docker']);
  await rm(join(server.root, 'docker/runs'));
  await expect(listContainers(server.target)).rejects.toMatchObject({ code: 'DOCKER_FAILED' });
});
