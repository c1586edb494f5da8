/**
 * Installs what the other programs need. It is JavaScript for Node 20, because it runs before the packages are
 * installed, and Node 24 is one of them.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '..');
const node = join(root, 'node_modules/node/bin/node');
const oldestFfmpeg = 5;

/**
 * V8 holds three times the semi-space for new objects of the main thread, by default up to 48 MB. With --expose-gc,
 * idle threads collect garbage and return the memory. Each thread collects its new objects by itself: helper threads
 * take more processor time for heaps of a few megabytes, and the functions of other requests use the other cores.
 */
export const memoryOptions = ['--max-semi-space-size=4', '--expose-gc', '--no-parallel-scavenge'];

/** Something that the user must install. The message is one sentence. */
export class SetupNeeded extends Error {}

/** Installs the packages of the lock file, unless exactly these are installed. */
export function ensurePackages() {
  if (packagesAreInstalled()) return;
  console.error('Installing packages…');
  const { status } = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
  });
  if (status !== 0) throw new SetupNeeded('The packages could not be installed: run "npm ci" and see what it says.');
}

function packagesAreInstalled() {
  const wanted = readPackages('package-lock.json');
  const installed = readPackages('node_modules/.package-lock.json');
  return Object.entries(wanted ?? {}).every(([path, { version, optional, link }]) => {
    // The folders of this repository that are packages have links in node_modules.
    if (link) return existsSync(join(root, path));
    return optional || !path.includes('node_modules/') || installed?.[path]?.version === version;
  });
}

/**
 * @param {string} file a lock file below the root
 * @returns {Record<string, { version: string, optional?: boolean, link?: boolean }> | undefined}
 */
function readPackages(file) {
  try {
    return JSON.parse(readFileSync(join(root, file), 'utf8')).packages;
  } catch {
    return undefined;
  }
}

/** Installs ffmpeg and ffprobe with the package manager of the system, if they are missing. */
export function ensureFfmpeg() {
  const problem = ffmpegProblem();
  if (!problem) return;
  if (installableFfmpeg() >= oldestFfmpeg) install('ffmpeg');
  const remaining = ffmpegProblem();
  if (remaining)
    throw new SetupNeeded(
      `${remaining}: install ffmpeg ${oldestFfmpeg} or newer, with libx264, and put it on the PATH.`,
    );
}

/** Installs Chromium, for the tests in a browser. */
export function ensureChromium() {
  if (has('chromium') || has('chromium-browser') || has('google-chrome') || process.env.CHROMIUM) return;
  install('chromium');
  if (!has('chromium')) throw new SetupNeeded('There is no Chromium: install it, or set CHROMIUM to its path.');
}

/** Installs what the tests of node deployment need: sshd, which they start, and tools that servers have. */
export function ensureServerTools() {
  if (!has('sshd')) {
    install('openssh-server');
    // The package starts a server on all addresses. The tests start one on the loopback address.
    if (has('sshd') && has('systemctl')) asAdministrator(['systemctl', '--quiet', 'disable', '--now', 'ssh']);
  }
  for (const name of ['openssl', 'curl']) if (!has(name)) install(name);
  for (const name of ['sshd', 'ssh-keygen', 'openssl', 'curl', 'flock'])
    if (!has(name))
      throw new SetupNeeded(`There is no ${name}: install OpenSSH's server, openssl, curl and util-linux.`);
}

/** Installs nginx with njs, which proxy nodes run, for the tests that run one. */
export function ensureNginx() {
  if (hasNginx()) return;
  install('nginx', 'libnginx-mod-http-js');
  // As with sshd, the package starts a server on all addresses.
  if (has('systemctl')) asAdministrator(['systemctl', '--quiet', 'disable', '--now', 'nginx']);
  if (!hasNginx()) {
    throw new SetupNeeded('There is no nginx with njs: install nginx and its module http-js, as Debian 12 has them.');
  }
}

// On Debian, /usr/sbin is not on the PATH of users.
const hasNginx = () =>
  (has('nginx') || existsSync('/usr/sbin/nginx')) && existsSync('/usr/lib/nginx/modules/ngx_http_js_module.so');

/** Installs the AWS CLI 2, for the test that runs the commands of the documentation. */
export function ensureAwsCli() {
  if (hasAwsCli()) return;
  install('awscli');
  if (!hasAwsCli())
    throw new SetupNeeded('There is no AWS CLI 2: install it as its documentation says, and put it on the PATH.');
}

// Another version may come first on the PATH.
const hasAwsCli = () =>
  (output('sh', ['-c', 'IFS=:; for folder in $PATH; do "$folder/aws" --version 2>&1; done; true']) ?? '').includes(
    'aws-cli/2',
  );

function ffmpegProblem() {
  const version = output('ffmpeg', ['-version']);
  if (version === undefined || output('ffprobe', ['-version']) === undefined) return 'There is no ffmpeg with ffprobe';
  // Builds from git have a revision instead of a number, and are newer.
  const number = /^ffmpeg version n?(\d+)/.exec(version)?.[1];
  if (number && Number(number) < oldestFfmpeg) return `The ffmpeg on the PATH is version ${number}`;
  if (!output('ffmpeg', ['-hide_banner', '-encoders'])?.includes('libx264'))
    return 'The ffmpeg on the PATH has no libx264';
  return undefined;
}

/** The version of ffmpeg that apt would install; 0 without apt. The package lists are updated if necessary. */
function installableFfmpeg() {
  const candidate = () => /Candidate: (?:\d+:)?(\d+)/.exec(output('apt-cache', ['policy', 'ffmpeg']) ?? '')?.[1];
  if (!has('apt-get')) return has('dnf') ? oldestFfmpeg : 0;
  if (!candidate()) showFailure(runPackageManager(updateLists));
  return Number(candidate() ?? 0);
}

/** @param {string[]} names of packages, the same for apt and dnf */
function install(...names) {
  if (!mayInstall()) return;
  console.error(`Installing ${names.join(', ')}…`);
  if (has('apt-get')) {
    const command = ['apt-get', 'install', '-y', '-qq', '--no-install-recommends', ...names];
    if (runPackageManager(command) === undefined) return;
    // The package lists have versions that the mirror no longer has.
    showFailure(runPackageManager(updateLists) ?? runPackageManager(command));
  } else if (has('dnf')) {
    showFailure(runPackageManager(['dnf', 'install', '-y', '-q', ...names]));
  }
}

const updateLists = ['apt-get', 'update', '-qq'];

/** A new machine in a cloud installs updates for minutes, during which another program cannot install anything. */
const lockMs = 900_000;

/**
 * Runs a command of the package manager. While another program holds its locks, the command is repeated.
 * @param {string[]} command
 * @returns {string | undefined} its output if it failed
 */
function runPackageManager(command) {
  const untilMs = Date.now() + lockMs;
  let isSaid = false;
  for (;;) {
    const { status, text } = asAdministrator(command);
    if (status === 0) return undefined;
    if (!/\block\b/.test(text) || Date.now() > untilMs) return text;
    if (!isSaid) console.error(`Waiting for another program that installs packages${holderIn(text)}…`);
    isSaid = true;
    spawnSync('sleep', ['1']);
  }
}

/** @param {string} text "It is held by process 812 (apt-get)" */
const holderIn = (text) => {
  const holder = /held by (process \d+(?: \([^)\n]+\))?)/.exec(text)?.[1];
  return holder ? `: ${holder}` : '';
};

/** @param {string | undefined} text */
const showFailure = (text) => {
  if (text) console.error(text.trimEnd());
};

const isAdministrator = () => process.getuid?.() === 0;
const mayInstall = () =>
  isAdministrator() || (has('sudo') && spawnSync('sudo', ['-n', 'true'], { stdio: 'ignore' }).status === 0);

/**
 * Runs a command as root.
 * @param {string[]} command
 * @returns {{ status: number | null, text: string }} `text` is its output
 */
function asAdministrator(command) {
  const prefix = isAdministrator() ? [] : ['sudo', '-n'];
  const [program = '', ...rest] = [...prefix, 'env', 'DEBIAN_FRONTEND=noninteractive', 'LC_ALL=C', ...command];
  const { status, stdout, stderr } = spawnSync(program, rest, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: 64 * 2 ** 20,
  });
  return { status, text: `${stdout ?? ''}${stderr ?? ''}` };
}

/**
 * Whether a program is installed, also in the folder for administrators, which may not be on the PATH.
 * @param {string} program
 */
const has = (program) =>
  spawnSync('sh', ['-c', `PATH=$PATH:/usr/sbin; command -v ${program}`], { stdio: 'ignore' }).status === 0;

/**
 * The output of a program; undefined when it fails.
 * @param {string} program
 * @param {string[]} args
 */
function output(program, args) {
  const { status, stdout } = spawnSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  return status === 0 ? stdout : undefined;
}

/**
 * Runs a program with the Node version of the project. It has the terminal of this process, gets its signals, and
 * determines its exit status. When this process dies, the program sees that its IPC channel is closed.
 * @param {string[]} args
 * @param {Record<string, string>} env added to the environment of this process
 * @returns {Promise<number>} the exit status
 */
export function runNode(args, env = {}) {
  const child = spawn(node, args, { stdio: ['inherit', 'inherit', 'inherit', 'ipc'], env: { ...process.env, ...env } });
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']))
    process.on(signal, () => child.kill(signal));
  if (process.env.npm_lifecycle_event) whenParentIsGone(() => child.kill('SIGTERM'));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve(code ?? 128 + constants.signals[signal ?? 'SIGKILL']));
  });
}

/**
 * npm sends a signal only to the shell between npm and this process. The shell dies without forwarding it.
 * @param {() => void} act
 */
function whenParentIsGone(act) {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    act();
  }, 250);
  timer.unref();
}

/**
 * Exits with the status that `work` returns. For SetupNeeded it prints the message only.
 * @param {() => Promise<number>} work
 */
export async function exitWith(work) {
  try {
    process.exit(await work());
  } catch (error) {
    if (!(error instanceof SetupNeeded)) throw error;
    console.error(error.message);
    process.exit(1);
  }
}
