import { execFile } from 'node:child_process';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { runStep } from '../../../functions/nodes/steps/run-step.ts';
import { bundle } from '../../../infra/build/bundle.ts';
import { createImageName, stepValues } from '../../../test/fixtures/servers/run-node-steps.ts';
import { type SshServer, startSshServer } from '../../../test/fixtures/servers/start-ssh-server.ts';
import { median, type Row, row } from '../row.ts';
import { secondsOf } from '../stop-watch.ts';

const runs = 15;

/**
 * The duration of a deployment step compared with one command of OpenSSH's client to the same sshd, alternating. The
 * step finds nothing to change, so the time is for connecting, sending the script, the lock and the check. Also the
 * size of the function that runs it.
 */
export async function measureDeployStep(): Promise<Row[]> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-deploy-'));
  const server = await startSshServer({ images: [createImageName('a')] });
  try {
    const ssh = await sshCommand(server, folder);
    const step = async () => {
      const result = await runStep(server.target, 'image', { values: stepValues });
      if (!result.ok) throw new Error(result.error.message);
    };
    const seconds = { ssh: [] as number[], step: [] as number[] };
    for (let turn = 0; turn < runs; turn++) {
      seconds.ssh.push(await secondsOf(ssh));
      seconds.step.push(await secondsOf(step));
    }
    await bundle(folder);
    const { size } = await stat(join(folder, 'functions/nodes/operate/index.cjs'));
    const [whole, bare] = [median(seconds.step), median(seconds.ssh)];
    return [
      row({ name: 'deploy step over an ssh command', value: whole - bare, baseline: bare, unit: 's', atMost: 0.5 }),
      row({ name: 'bundle of the deploy function', value: size / 1000, unit: 'KB', atMost: 1000 }),
    ];
  } finally {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function sshCommand({ target }: SshServer, folder: string): Promise<() => Promise<void>> {
  const key = join(folder, 'key');
  await writeFile(key, target.privateKey, { mode: 0o600 });
  const options = ['StrictHostKeyChecking=no', 'UserKnownHostsFile=/dev/null', 'LogLevel=ERROR', 'IdentitiesOnly=yes'];
  const arguments_ = [
    ...['-F', 'none', '-i', key, '-p', String(target.port)],
    ...options.flatMap((option) => ['-o', option]),
    ...[`${target.user}@${target.address}`, 'sudo -n timeout -k 5 60 true'],
  ];
  return async () => void (await promisify(execFile)('ssh', arguments_));
}
