import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sendFrom } from '../support/send-from.ts';
import { until } from '../support/service.ts';

const page = join(import.meta.dirname, '../../../docs/public-server.md');
const host = 'video.example.com';

/** The code block of docs/public-server.md in this language. */
export async function readRecipe(language: string): Promise<string> {
  const [, text] = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'm').exec(await readFile(page, 'utf8')) ?? [];
  if (text === undefined) throw new Error(`the page has no ${language}`);
  return text;
}

/** `ports`: HTTPS and HTTP of the reverse proxy, and the first port of the service. */
export type FrontOptions = { folder: string; tlsPort: number; plainPort: number; servicePort: number };
export type FrontProgram = 'nginx' | 'caddy';
export type Front = { certificate: string; stop(): Promise<void> };

/** A reverse proxy configured as docs/public-server.md shows, with a self-signed certificate and unprivileged ports. */
export async function startFront(program: FrontProgram, options: FrontOptions): Promise<Front> {
  const folder = join(options.folder, program);
  await mkdir(folder, { recursive: true });
  const [certificateFile, keyFile] = [join(folder, 'certificate.pem'), join(folder, 'key.pem')];
  const names = [host, `store.${host}`].map((name) => `DNS:${name}`).join();
  execFileSync(
    'openssl',
    [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'],
      ...['-subj', `/CN=${host}`, '-addext', `subjectAltName=${names}`, '-keyout', keyFile, '-out', certificateFile],
    ],
    { stdio: 'ignore' },
  );
  const files = { folder, certificateFile, keyFile };
  const child = program === 'nginx' ? await nginx(options, files) : await caddy(options, files);
  let ended = false;
  child.once('exit', () => {
    ended = true;
  });
  const certificate = await readFile(certificateFile, 'utf8');
  const front = {
    certificate,
    async stop() {
      if (ended) return;
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
  const send = sendFrom({ localAddress: '127.0.0.2', certificate });
  await until(async () => {
    if (ended) throw new Error(`${program} ended`);
    return send(`https://${host}:${options.tlsPort}/health`, {}).then(
      () => true,
      () => false,
    );
  });
  return front;
}

type Files = { folder: string; certificateFile: string; keyFile: string };

const toPorts = (recipe: string, servicePort: number): string =>
  recipe.replace(/127\.0\.0\.1:300(\d)/g, (_, nth) => `127.0.0.1:${servicePort + Number(nth)}`);

async function nginx(options: FrontOptions, { folder, certificateFile, keyFile }: Files): Promise<ChildProcess> {
  const recipe = toPorts(await readRecipe('nginx'), options.servicePort)
    .replace(/\/etc\/letsencrypt\S+fullchain\.pem/, certificateFile)
    .replace(/\/etc\/letsencrypt\S+privkey\.pem/, keyFile)
    .replaceAll('listen 443', `listen 127.0.0.1:${options.tlsPort}`)
    .replaceAll('listen 80', `listen 127.0.0.1:${options.plainPort}`);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${join(folder, name)};`,
  );
  const configuration = `daemon off; pid ${join(folder, 'pid')}; error_log ${join(folder, 'error.log')}; events {}
http { access_log off; ${temporary.join(' ')}
${recipe}
}`;
  await writeFile(join(folder, 'nginx.conf'), configuration);
  return spawn('nginx', ['-p', folder, '-c', join(folder, 'nginx.conf')], { stdio: ['ignore', 'ignore', 'inherit'] });
}

async function caddy(options: FrontOptions, { folder, certificateFile, keyFile }: Files): Promise<ChildProcess> {
  const recipe = toPorts(await readRecipe('caddyfile'), options.servicePort).replace(
    / \{\n/g,
    ` {\n\ttls ${certificateFile} ${keyFile}\n`,
  );
  const general = `{
	admin off
	auto_https disable_redirects
	https_port ${options.tlsPort}
	http_port ${options.plainPort}
	default_bind 127.0.0.1
}
`;
  await writeFile(join(folder, 'Caddyfile'), general + recipe);
  const home = { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
  return spawn('caddy', ['run', '--config', join(folder, 'Caddyfile'), '--adapter', 'caddyfile'], {
    stdio: 'ignore',
    env: home,
  });
}
