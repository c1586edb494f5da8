import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { loadStack, writeToStderr } from 'embedded-aws';
import { createClient } from '../client/create-client.ts';
import { findCoreSpeed } from './core-speed.ts';
import { apiTokenFile, keepApiToken, storeApiToken, tokenName } from './files/api-token.ts';
import { withDemoClip } from './files/demo-clip.ts';
import { type Processed, processFiles } from './files/process-files.ts';
import { createProgress } from './files/progress.ts';
import { reportLines } from './files/report-lines.ts';
import { checkSourceFiles, type SourceFile } from './files/source-files.ts';
import { help, type Options, readOptions } from './options.ts';
import { ignoreOutputErrors } from './output-errors.ts';
import { CannotStart } from './server/cannot-start.ts';
import type { Cloud } from './server/cloud.ts';
import { collectWhenIdle } from './server/collect-when-idle.ts';
import { describeEngine, findSpeechModel } from './server/speech-model.ts';
import { synthesise } from './synthesise.ts';

/** The process exits after this time, even if a part does not stop. */
const maxStopMs = 5000;

// All that the service writes has secrets or private videos in it.
process.umask(0o077);

const startedAtMs = performance.now();
let writeLine = writeToStderr;
let cloud: Promise<Cloud> | undefined;
let stopping = false;

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void stop(0));
ignoreOutputErrors();
// The parent process has ended.
process.on('disconnect', () => void stop(0));

try {
  await main(readOptions(process.argv.slice(2), process.env));
} catch (error) {
  if (!stopping) {
    console.error(error instanceof CannotStart ? error.message : error);
    await stop(1);
  }
}

async function main(options: Options): Promise<void> {
  if (options.help) {
    process.stdout.write(help);
    return leave(0);
  }
  const files = await checkSourceFiles(options.files);
  const { token, apiUrl } = await start(options);
  const results = [
    ...(options.demo ? await withDemoClip((clip) => work([clip], apiUrl, token)) : []),
    ...(files.length > 0 ? await work(files, apiUrl, token) : []),
  ];
  const failed = results.some(({ failure }) => failure !== undefined);
  if (failed) return stop(1);
  console.log('Ctrl-C stops it.');
}

async function start(options: Options) {
  const { dataFolder, port, workers, logLevel, adminEmail: email, adminPassword } = options;
  const {
    nodeSshPort,
    registration,
    countViews,
    transcriptSearch,
    loopbackTargets,
    listenAddress,
    publicUrls,
    trustedProxies,
    clients,
    chaos,
  } = options;
  const { workerImage, proxyImage, acmeDirectory, nodeCertificates, workerTokenFile, workerAddress } = options;
  const { transcriptionModel } = options;
  const speech = transcriptionModel === undefined ? undefined : findSpeechModel(transcriptionModel);
  // Loaded here, so that a wrong option is reported without the time that this takes.
  const [templateFolder, { startCloud }, coreSpeed] = await Promise.all([
    synthesise(),
    import('./server/cloud.ts'),
    findCoreSpeed(),
    loadStack(),
  ]);
  const password = adminPassword ?? randomBytes(12).toString('base64url');
  cloud = startCloud({
    dataFolder,
    port,
    templateFolder,
    ...(workers !== undefined && { workers }),
    coreSpeed,
    logLevel,
    listenAddress,
    ...(publicUrls && { publicUrls }),
    trustedProxies,
    clients,
    chaos,
    hasProxies: proxyImage !== undefined,
    ...(workerTokenFile !== undefined && { workerTokenFile }),
    ...(workerAddress !== undefined && { workerAddress }),
    ...(speech && { speech }),
    env: {
      NODE_SSH_PORT: String(nodeSshPort),
      REGISTRATION: registration,
      COUNT_VIEWS: countViews,
      TRANSCRIPT_SEARCH: transcriptSearch,
      ALLOW_LOOPBACK_TARGETS: loopbackTargets,
      ...(workerImage && { WORKER_IMAGE_X86_64: workerImage, WORKER_IMAGE_ARM64: workerImage }),
      ...(proxyImage && { PROXY_IMAGE_X86_64: proxyImage, PROXY_IMAGE_ARM64: proxyImage }),
      ...(acmeDirectory && { ACME_DIRECTORY: acmeDirectory }),
      ...(nodeCertificates && { NODE_CERTIFICATES: nodeCertificates }),
    },
    writeLine: (source, line) => writeLine(source, line),
    admin: { name: 'Administrator', email, password, tokenName },
  });
  const { apiUrl, adminCreated, adminToken } = await cloud;
  const { gc } = globalThis;
  // Other flavors of the collection keep the memory for new objects, which grows to 12 MB under load.
  if (gc) collectWhenIdle(() => gc({ type: 'major', execution: 'sync', flavor: 'last-resort' }));
  const account = { email, password: adminCreated ? password : adminPassword };
  if (adminToken !== undefined) await storeApiToken(dataFolder, adminToken);
  console.log(`Ready at ${apiUrl} in ${((performance.now() - startedAtMs) / 1000).toFixed(1)} s`);
  if (publicUrls) console.log(`Public address: ${publicUrls.apiUrl}`);
  if (adminCreated && adminPassword === undefined) {
    console.log(`Administrator: ${email}, password ${password} (shown this once)`);
  } else {
    console.log(`Administrator: ${email}`);
  }
  if (existsSync(apiTokenFile(dataFolder))) console.log(`API token: in ${apiTokenFile(dataFolder)}`);
  if (speech) console.log(`Captions from speech: ${describeEngine(speech)}`);
  console.log(`Open ${publicUrls?.apiUrl ?? apiUrl}/ in a browser.`);
  return { apiUrl, token: () => keepApiToken(dataFolder, apiUrl, account) };
}

async function work(files: SourceFile[], apiUrl: string, token: () => Promise<string>): Promise<Processed[]> {
  const client = createClient({ url: apiUrl, token: await token() });
  const progress = createProgress(process.stdout);
  writeLine = (source, line) => progress.say(`[${source}] ${line}`);
  let results: Processed[];
  try {
    results = await processFiles(files, client, progress);
  } finally {
    progress.stop();
    writeLine = writeToStderr;
  }
  for (const result of results) report(result);
  return results;
}

function report(result: Processed): void {
  const { stdout, stderr } = reportLines(result);
  for (const line of stdout) console.log(line);
  for (const line of stderr) console.error(line);
}

/** Stops the service and exits. Further signals have no effect. */
async function stop(status: number): Promise<void> {
  if (stopping) return;
  stopping = true;
  setTimeout(leave, maxStopMs, status || 1).unref();
  const running = await cloud?.catch(() => undefined);
  await running?.close();
  leave(status);
}

function leave(status: number): void {
  process.exit(status);
}
