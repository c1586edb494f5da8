// The cost of a proxy node that serves cached segments and checks their signed URLs, compared with the same nginx
// serving the same files without checks; and its memory under load. wrk generates the load. node lab/bench/proxy.ts
// [seconds]      of load for the memory, which is printed for each minute

import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { containerPaths } from '../../delivery/nginx/proxy-settings.ts';
import { signed, startOrigin, startProxy, videoUlid } from '../../test/delivery/proxy/running-proxy.ts';
import { formatTable, median, type Row, row } from './row.ts';

const segmentBytes = 64 * 1024;
const segments = Array.from({ length: 200 }, (_, index) => `r1/v720-a1/${index}.m4s`);
const connections = 32;
const rounds = 15;
const viewers = 5000;

/** @param seconds of load for the memory */
export async function measureProxy(seconds: number): Promise<Row[]> {
  const missing = missingProgram();
  if (missing) {
    console.error(`The proxy is not measured: ${missing} is not installed.`);
    return [];
  }
  const folder = await mkdtemp(join(tmpdir(), 'proxy-bench-'));
  const origin = await startOrigin();
  const proxy = await startProxy(origin);
  const plain = await startPlainServer(folder, 18_000 + Math.floor(Math.random() * 10_000));
  try {
    for (const file of segments) {
      const Body = Buffer.alloc(segmentBytes, file);
      await origin.store.send(
        new PutObjectCommand({ Bucket: origin.bucket, Key: `videos/${videoUlid}/${file}`, Body }),
      );
      await writeFile(join(folder, file.replaceAll('/', '-')), Body);
    }
    const load = async (name: string, pidFile: string, address: string, paths: string[]): Promise<Load> => {
      const script = join(folder, `${name}.lua`);
      await writeFile(script, requests(paths));
      return { address, script, workers: await workersOf(Number(await readFile(pidFile, 'utf8'))) };
    };
    const pidFile = join(proxy.folder, 'run/nginx.pid');
    const expiresSeconds = Date.now() / 1000 + seconds + 3600;
    const link = (file: string, viewer: number) => signed(file, { session: `viewer-${viewer}`, expiresSeconds });
    const oneViewer = segments.map((file) => link(file, 0));
    const manyViewers = Array.from({ length: viewers }, (_, viewer) =>
      link(segments[viewer % segments.length]!, viewer),
    );
    const proxied = await load('proxied', pidFile, proxy.address, oneViewer);
    const busy = await load('busy', pidFile, proxy.address, manyViewers);
    const files = segments.map((file) => `/${file.replaceAll('/', '-')}`);
    const handedOut = await load('plain', join(folder, 'run/nginx.pid'), plain.address, files);

    return [...(await measureSpeed(proxied, handedOut)), ...(await measureMemory(busy, seconds))];
  } finally {
    await plain.close();
    await proxy.close();
    await origin.close();
    await rm(folder, { recursive: true });
  }
}

function missingProgram(): string | undefined {
  const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` };
  const program = ['wrk', 'nginx'].find((name) => spawnSync(name, ['-v'], { env }).error);
  if (program) return program;
  return existsSync(join(containerPaths.modules, 'ngx_http_js_module.so')) ? undefined : "nginx's module njs";
}

/** The loads alternate, so that other load affects both. */
async function measureSpeed(proxied: Load, handedOut: Load): Promise<Row[]> {
  await run(proxied, 3);
  await run(handedOut, 1);
  const checked: Answered[] = [];
  const plain: Answered[] = [];
  for (let round = 0; round < rounds; round++) {
    checked.push(await run(proxied, 1));
    plain.push(await run(handedOut, 1));
  }
  const middle = (answered: Answered[], pick: (one: Answered) => number) => median(answered.map(pick));
  return [
    row({
      name: 'signed, kept 64 KiB segment from a proxy: time',
      value: middle(checked, ({ microseconds }) => microseconds),
      unit: 'µs',
      baseline: middle(plain, ({ microseconds }) => microseconds),
      ratioAtMost: 1.25,
    }),
    row({
      name: "signed, kept 64 KiB segment from a proxy: nginx's CPU",
      value: middle(checked, ({ cpuMicroseconds }) => cpuMicroseconds),
      unit: 'µs',
      baseline: middle(plain, ({ cpuMicroseconds }) => cpuMicroseconds),
    }),
  ];
}

/** Under the load of many viewers, once each of them has sent a request. */
async function measureMemory(busy: Load, seconds: number): Promise<Row[]> {
  await run(busy, 3);
  const mebibytes = async () => (await memoryBytes(busy.workers)) / 2 ** 20;
  const before = await mebibytes();
  const loaded = run(busy, seconds);
  const minutes: Row[] = [];
  for (let minute = 1; minute * 60 < seconds; minute++) {
    await sleep(60_000);
    minutes.push(row({ name: `memory of its workers after ${minute} min`, value: await mebibytes(), unit: 'MiB' }));
  }
  const { responses } = await loaded;
  const after = await mebibytes();
  return [
    row({ name: 'memory of its workers at the start', value: before, unit: 'MiB' }),
    ...minutes,
    row({ name: `memory of its workers after ${seconds} s and ${responses} answers`, value: after, unit: 'MiB' }),
    row({ name: `growth of it over ${seconds} s`, value: after - before, unit: 'MiB', atMost: 4 }),
  ];
}

type Load = { address: string; script: string; workers: number[] };
type Answered = { responses: number; microseconds: number; cpuMicroseconds: number };

/** Means per response; throws when one failed. */
async function run({ address, script, workers }: Load, seconds: number): Promise<Answered> {
  const before = await cpuMicroseconds(workers);
  const { stdout } = await promisify(execFile)('wrk', [
    ...['--threads', '1', '--connections', String(connections), '--duration', `${seconds}s`, '--timeout', '30s'],
    ...['--script', script],
    address,
  ]);
  if (/Non-2xx|Socket errors/.test(stdout)) throw new Error(stdout);
  const responses = Number(/(\d+) requests in/.exec(stdout)![1]);
  const perSecond = Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)![1]);
  const spent = (await cpuMicroseconds(workers)) - before;
  return { responses, microseconds: 1e6 / perSecond, cpuMicroseconds: spent / responses };
}

/** A wrk script that requests one path after the other. */
const requests = (paths: string[]): string => `
local sent, wanted = 0, {}
init = function()
  for path in ([[${paths.join(' ')}]]):gmatch('%S+') do wanted[#wanted + 1] = wrk.format('GET', path) end
end
request = function()
  sent = sent + 1
  return wanted[sent % #wanted + 1]
end
`;

/** nginx with the performance settings of a proxy, including the access log, and nothing else. */
async function startPlainServer(folder: string, port: number) {
  const configuration = join(folder, 'nginx.conf');
  await mkdir(join(folder, 'run'));
  await writeFile(
    configuration,
    `${process.getuid?.() === 0 ? 'user root;' : ''}
worker_processes auto; pid ${folder}/run/nginx.pid; error_log stderr crit;
events { worker_connections 8192; }
http {
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/run/${name};`).join(' ')}
  open_file_cache max=10000 inactive=60s;
  server {
    listen 127.0.0.1:${port}; root ${folder};
    access_log ${folder}/run/access.log combined buffer=64k flush=5s;
    sendfile on; tcp_nodelay on; tcp_nopush off; keepalive_requests 100000;
  }
}`,
  );
  const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` };
  const nginx: ChildProcess = spawn('nginx', ['-c', configuration, '-g', 'daemon off;'], { env, stdio: 'inherit' });
  return {
    address: `http://127.0.0.1:${port}`,
    async close() {
      nginx.kill();
      await once(nginx, 'exit');
    },
  };
}

/** The workers of an nginx master. It also has processes for its cache, one of which soon ends. */
async function workersOf(master: number): Promise<number[]> {
  const processes = (await readdir('/proc')).map(Number).filter((pid) => pid > 0);
  const told = (pid: number, file: string) => readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '');
  const found = await Promise.all(
    processes.map(async (pid) => {
      const isChild = Number((await told(pid, 'stat')).split(' ').at(3)) === master;
      return isChild && (await told(pid, 'cmdline')).startsWith('nginx: worker process');
    }),
  );
  return processes.filter((_, index) => found[index]);
}

async function cpuMicroseconds(processes: number[]): Promise<number> {
  const texts = await Promise.all(processes.map((pid) => readFile(`/proc/${pid}/schedstat`, 'utf8')));
  return texts.reduce((sum, text) => sum + Number(text.split(' ')[0]) / 1000, 0);
}

/** The private memory of the processes, without shared pages. */
async function memoryBytes(processes: number[]): Promise<number> {
  const texts = await Promise.all(processes.map((pid) => readFile(`/proc/${pid}/smaps_rollup`, 'utf8')));
  return texts.reduce((sum, text) => {
    const kibibytes = [...text.matchAll(/^Private_\w+:\s+(\d+) kB/gm)].map((match) => Number(match[1]));
    return sum + 1024 * kibibytes.reduce((total, one) => total + one, 0);
  }, 0);
}

if (process.argv[1] === import.meta.filename) {
  console.log(formatTable(await measureProxy(Number(process.argv[2] ?? 5))));
}
