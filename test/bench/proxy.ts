// How fast a proxy node delivers cached segments whose links it checks, beside the same nginx that hands out the same files to anyone; and what that
// does to its memory. The load is made by wrk.
// node test/bench/proxy.ts [seconds]      loads that long for each number

import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { signed, startOrigin, startProxy, videoUlid } from '../infra/proxy/running-proxy.ts';
import { formatTable, median, type Row, row } from './row.ts';

const segmentBytes = 64 * 1024;
const segments = Array.from({ length: 200 }, (_, index) => `r1/v720-a1/${index}.m4s`);
const connections = 32;
const rounds = 3;

/** Rates take turns, so that what else the machine does strikes both. */
export async function measureProxy(seconds: number): Promise<Row[]> {
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
    const proxied = { address: proxy.address, script: join(folder, 'proxied.lua') };
    const handedOut = { address: plain.address, script: join(folder, 'plain.lua') };
    await writeFile(proxied.script, requests(segments.map((file) => signed(file))));
    await writeFile(handedOut.script, requests(segments.map((file) => `/${file.replaceAll('/', '-')}`)));
    await load(proxied, 3);
    await load(handedOut, 1);

    const workers = await workersOf(Number(await readFile(join(proxy.folder, 'run/nginx.pid'), 'utf8')));
    const before = await memoryBytes(workers);
    const rates: { checked: number; plain: number }[] = [];
    for (let round = 0; round < rounds; round++) {
      rates.push({ checked: await load(proxied, seconds), plain: await load(handedOut, seconds) });
    }
    const grown = (await memoryBytes(workers)) - before;
    const microseconds = (pick: (rate: { checked: number; plain: number }) => number) => 1e6 / median(rates.map(pick));
    return [
      row({
        name: 'signed, cached 64 KiB segment from a proxy',
        value: microseconds(({ checked }) => checked),
        unit: 'µs',
        baseline: microseconds(({ plain }) => plain),
        ratioAtMost: 1.25,
      }),
      row({ name: `growth of its memory over ${rounds * seconds} s`, value: grown / 2 ** 20, unit: 'MiB', atMost: 16 }),
    ];
  } finally {
    await plain.close();
    await proxy.close();
    await origin.close();
    await rm(folder, { recursive: true });
  }
}

type Load = { address: string; script: string };

/** Answers a second; throws when one was no success. */
async function load({ address, script }: Load, seconds: number): Promise<number> {
  const { stdout } = await promisify(execFile)('wrk', [
    ...['--threads', '1', '--connections', String(connections), '--duration', `${seconds}s`, '--script', script],
    address,
  ]);
  if (/Non-2xx|Socket errors/.test(stdout)) throw new Error(stdout);
  return Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)![1]);
}

/** A program for wrk that asks for one path after the other. */
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

/** nginx with what concerns speed as a proxy has it, the access log among it, and no more. */
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

/** The processes that a master of nginx has. */
async function workersOf(master: number): Promise<number[]> {
  const processes = (await readdir('/proc')).map(Number).filter((pid) => pid > 0);
  const parents = await Promise.all(
    processes.map(async (pid) =>
      Number((await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')).split(' ').at(3)),
    ),
  );
  return processes.filter((_, index) => parents[index] === master);
}

/** What the processes have of their own, without what they share. */
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
