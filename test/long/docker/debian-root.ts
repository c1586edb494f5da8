import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from './commands.ts';

const mirror = 'http://deb.debian.org/debian';

/** A minimal Debian 13, as in the image of that name. */
export type Base = {
  root: string;
  /** of the release of which it consists and of how it was made */
  digest: string;
};

/** Makes the base, or finds it in the folder, where it is kept until the next release of Debian 13. */
export async function makeBase(folder: string): Promise<Base> {
  const release = await fetch(`${mirror}/dists/trixie/InRelease`);
  if (!release.ok) throw new Error(`${mirror} answers ${release.status}: this test needs a mirror of Debian.`);
  const updates = `deb ${mirror} trixie-updates main\ndeb ${mirror}-security trixie-security main\n`;
  const digest = createHash('sha256')
    .update(`minbase\n${updates}\n${await release.text()}`)
    .digest('hex');
  const root = join(folder, `debian-${digest.slice(0, 16)}`);
  if (existsSync(root)) return { root, digest };
  const unfinished = `${root}.unfinished`;
  await rm(unfinished, { recursive: true, force: true });
  await run('debootstrap', ['--variant=minbase', 'trixie', unfinished, mirror]);
  await writeFile(join(unfinished, 'etc/apt/sources.list.d/updates.list'), updates);
  await rename(unfinished, root);
  return { root, digest };
}

type Server = {
  root: string;
  /** of the user `deploy`, who may become root */
  publicKey: string;
  /** the proxy by which apt reaches the mirror */
  aptProxy: string;
};

/** Makes a server of a copy of the base: what a provider of virtual machines installs, and no more. */
export async function makeServer(base: string, { root, publicKey, aptProxy }: Server): Promise<void> {
  await run('cp', ['-a', base, root]);
  await cp('/etc/resolv.conf', join(root, 'etc/resolv.conf'));
  // Without systemd, packages do not start anything.
  await writeFile(join(root, 'usr/sbin/policy-rc.d'), '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  const inside = (...command: string[]) =>
    run('chroot', [root, 'env', 'DEBIAN_FRONTEND=noninteractive', 'LC_ALL=C', ...command]);
  await inside('apt-get', '-qq', 'update');
  await inside('apt-get', '-qq', '-y', '--no-install-recommends', 'install', 'openssh-server', 'sudo');
  await inside('useradd', '--create-home', '--shell', '/bin/bash', 'deploy');
  await mkdir(join(root, 'home/deploy/.ssh'));
  await writeFile(join(root, 'home/deploy/.ssh/authorized_keys'), `${publicKey}\n`);
  await inside('chown', '-R', 'deploy:deploy', '/home/deploy');
  // sudo looks for the address of its machine.
  await writeFile(join(root, 'etc/hosts'), '127.0.0.1 localhost node1\n');
  await writeFile(join(root, 'etc/sudoers.d/deploy'), 'deploy ALL=(ALL) NOPASSWD: ALL\n', { mode: 0o440 });
  await writeFile(join(root, 'usr/local/bin/systemctl'), systemctl, { mode: 0o755 });
  await writeFile(join(root, 'etc/apt/apt.conf.d/90proxy'), `Acquire::http::Proxy "${aptProxy}";\n`);
  await mkdir(join(root, '.old'), { recursive: true });
}

/** Stands in for systemd, which does not run here: units are files, and Docker's engine is started as its unit does. */
const systemctl = `#!/bin/bash
units=/var/lib/units
mkdir -p "$units"
words=()
for word in "$@"; do [[ $word == --* ]] || words+=("$word"); done
case \${words[0]} in
  is-enabled) [[ -e $units/\${words[1]} ]] ;;
  disable) rm -f "$units/\${words[1]}" ;;
  enable)
    touch "$units/\${words[1]}"
    [[ \${words[1]} == docker && ! -e /run/docker.pid ]] || exit 0
    setsid /usr/sbin/dockerd </dev/null >/var/log/dockerd.log 2>&1 3>&- 9>&- &
    ;;
esac
`;

/** What the first process of the server does, in new namespaces of mounts and processes. `shared` is mounted too. */
export const bootScript = (root: string, shared: string): string => `set -e
mount --make-rprivate /
mount --bind '${root}' '${root}'
mount -t proc proc '${root}/proc'
mount --rbind /sys '${root}/sys'
mount --rbind /dev '${root}/dev'
mount -t tmpfs tmpfs '${root}/run'
mkdir -p '${root}/run/sshd' '${root}${shared}' '${shared}'
mount --bind '${shared}' '${root}${shared}'
hostname node1
cd '${root}'
# Not chroot alone: runc joins the namespace of mounts at its root.
pivot_root . .old
exec chroot . sh -c 'umount -l /.old; exec /usr/sbin/sshd -D -e' </dev/null
`;
