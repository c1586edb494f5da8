import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { programsOfRoot } from '../../../test/encoder-task/support/programs-of-root.ts';

const run = promisify(execFile);

const mirror = 'http://deb.debian.org/debian';
const keyring = '/usr/share/keyrings/debian-archive-keyring.gpg';

/** A package that apt would download. */
type DebianPackage = { url: string; file: string; sha256: string };

/**
 * Unpacks the ffmpeg of a suite of Debian with all that it depends on into `folder`, and returns the folder of its
 * programs. Nothing of this machine's packages changes: apt gets its own lists and an empty list of what is installed.
 */
export async function unpackSuite(suite: string, folder: string): Promise<string> {
  const env = { ...process.env, APT_CONFIG: await writeAptConfig(suite, folder) };
  await run('apt-get', ['-qq', 'update'], { env });
  const { stdout } = await run('apt-get', ['-qq', '--yes', '--print-uris', 'install', 'ffmpeg'], { env });
  const root = join(folder, 'root');
  await mkdir(root);
  for (const each of readUris(stdout)) {
    const file = join(folder, each.file);
    await run('curl', ['--silent', '--show-error', '--fail', '--output', file, each.url]);
    checkPackage(each, await readFile(file));
    await run('dpkg-deb', ['--extract', file, root]);
  }
  return programsOfRoot(root, join(folder, 'bin'));
}

/** The lines of `apt-get --print-uris`: `'URL' FILE SIZE SHA256:HASH`. */
export function readUris(text: string): DebianPackage[] {
  const lines = text.split('\n').filter((line) => line.startsWith("'"));
  if (lines.length === 0) throw new Error('apt-get names no packages');
  return lines.map((line) => {
    const [, url, file, sha256] = /^'([^']+)' ([\w.+~%-]+\.deb) \d+ SHA256:([0-9a-f]{64})$/.exec(line.trim()) ?? [];
    if (!url || !file || !sha256) throw new Error(`apt-get names a package without SHA256: ${line}`);
    return { url, file, sha256 };
  });
}

/** @throws when the content is not that of the list of packages, which the archive has signed */
export function checkPackage({ url, sha256 }: DebianPackage, content: Buffer): void {
  const found = createHash('sha256').update(content).digest('hex');
  if (found !== sha256) throw new Error(`${url} has the SHA256 ${found} and not ${sha256}`);
}

async function writeAptConfig(suite: string, folder: string): Promise<string> {
  for (const name of ['lists/partial', 'cache/archives/partial', 'etc']) {
    await mkdir(join(folder, name), { recursive: true });
  }
  await writeFile(join(folder, 'status'), '');
  await writeFile(join(folder, 'sources.list'), `deb [signed-by=${keyring}] ${mirror} ${suite} main\n`);
  const { stdout: architecture } = await run('dpkg', ['--print-architecture']);
  const settings = {
    'Dir::State': folder,
    'Dir::State::status': join(folder, 'status'),
    'Dir::State::Lists': join(folder, 'lists'),
    'Dir::Cache': join(folder, 'cache'),
    'Dir::Etc': join(folder, 'etc'),
    'Dir::Etc::SourceList': join(folder, 'sources.list'),
    'Dir::Etc::SourceParts': join(folder, 'none'),
    'Dir::Etc::Parts': join(folder, 'none'),
    'Dir::Etc::PreferencesParts': join(folder, 'none'),
    'APT::Architecture': architecture.trim(),
    'APT::Install-Recommends': '0',
    // lists of a suite in development are only valid for a week, and mirrors can be older; they are signed anyway
    'Acquire::Check-Valid-Until': 'false',
    'Acquire::ForceHash': 'SHA256',
    'APT::Sandbox::User': '',
    'Debug::NoLocking': '1',
  };
  const file = join(folder, 'apt.conf');
  await writeFile(
    file,
    Object.entries(settings)
      .map(([name, value]) => `${name} "${value}";\n`)
      .join(''),
  );
  return file;
}
