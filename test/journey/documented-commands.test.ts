import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { imageHeaders } from '../fixtures/image-files.ts';
import { openReceiver } from '../fixtures/servers/open-receiver.ts';
import { readOperator } from '../fixtures/servers/read-operator.ts';
import { callingProgram, type SshServer, startSshServer } from '../fixtures/servers/start-ssh-server.ts';
import { type AwsServer, recordedIn, startAwsServer } from './documented/aws-server.ts';
import { wrongForms } from './documented/check-forms.ts';
import { checkedByForm, notRun, replacements } from './documented/not-run.ts';
import { type DocumentedCommand, readCommands } from './documented/read-commands.ts';
import { programs, runCommands, writePrograms } from './documented/run-page.ts';
import { type Service, startService } from './support/service.ts';
import { makeSourceClip } from './support/source-clip.ts';

const root = join(import.meta.dirname, '../..');
const pages = [
  'README.md',
  'docs/encoding.md',
  'docs/cost.md',
  'docs/nodes.md',
  'docs/deployment.md',
  'docs/docker.md',
  'docs/first-day.md',
  'docs/recovery.md',
  'docs/runbook.md',
  'docs/delivery.md',
  'docs/local.md',
  'docs/public-server.md',
  'docs/uploads.md',
  'docs/command-line.md',
  'docs/webhooks.md',
  'docs/tokens.md',
  'docs/captions.md',
  'docs/videos.md',
  'docs/scale.md',
  'docs/storages.md',
];
const commands = new Map(pages.map((page) => [page, readCommands(page)]));
const all = [...commands.values()].flat();
const isRun = ({ text }: DocumentedCommand): boolean => !notRun.some(({ command }) => command.test(text));
const startsService = ({ text }: DocumentedCommand): boolean => text.startsWith('npm start');

let folder: string;
let server: SshServer;
let service: Service;
let aws: AwsServer;
let forms: string;
let env: Record<string, string>;

/** The service is the demo of the README, with the port of the SSH server that a node needs. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'documented-'));
  const dataFolder = join(folder, 'data');
  const demo = all.find((command) => startsService(command) && isRun(command))!;
  const arguments_ = demo.text.replace(/ +#.*/, '').split(' ').slice(3);
  server = await startSshServer({ program: callingProgram });
  const [password, image] = ['correct-horse-battery', `registry.example.com/worker@sha256:${'a'.repeat(64)}`];
  const settings = { ADMIN_PASSWORD: password, NODE_SSH_PORT: String(server.target.port), WORKER_IMAGE: image };
  forms = join(folder, 'forms.jsonl');
  const cli = programs('aws').find(isSecondVersion);
  if (!cli) throw new Error('AWS CLI 2 is missing: npm test installs it');
  [service, aws] = await Promise.all([
    startService({ dataFolder, arguments_, env: settings }),
    startAwsServer(cli, folder),
    makeSourceClip(join(folder, 'clip.mp4'), { durationSeconds: 3, width: 320, height: 180, bitrate: '500k' }),
    writeFile(join(folder, 'logo.png'), imageHeaders.png(400, 200)),
  ]);
  await writePrograms(join(folder, 'bin'), aws.command);
  const { region, controlUrl, storeUrl, credentials } = await readOperator(dataFolder);
  env = {
    PATH: [join(folder, 'bin'), process.env.PATH].join(delimiter),
    ...aws.env,
    ...recordedIn(forms),
    AWS_ENDPOINT_URL: controlUrl,
    AWS_ENDPOINT_URL_S3: storeUrl,
    AWS_REGION: region,
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    SERVICE_URL: service.apiUrl,
    ADMIN_PASSWORD: password,
    ADMIN_TOKEN: await readFile(join(dataFolder, 'api-token'), 'utf8'),
    AUTHORIZED_KEYS: join(dirname(server.root), 'authorized_keys'),
    USER: userInfo().username,
    XDG_CONFIG_HOME: join(folder, 'config'),
    XDG_STATE_HOME: join(folder, 'state'),
    npm_config_prefer_offline: 'true',
  };
  await service.line(/^Ctrl-C stops it\.$/);
});
afterAll(async () => {
  await service?.stop();
  await server?.stop();
  await aws?.stop();
  for (const line of service?.errors ?? []) console.error(line);
  await rm(folder, { recursive: true, force: true });
});

const isSecondVersion = (program: string): boolean =>
  String(spawnSync(program, ['--version']).stdout).startsWith('aws-cli/2');

/** Runs pages, with other commands before and after them. Returns what each command printed, by its beginning. */
async function run(
  page: string | string[],
  before: readonly DocumentedCommand[] = [],
  after: readonly DocumentedCommand[] = [],
) {
  const selected = [...before, ...[page].flat().flatMap((one) => commands.get(one)!), ...after].filter(
    (command) => isRun(command) && !startsService(command),
  );
  const printed = await runCommands(selected, { folder, env });
  return (beginning: string, nth = 0): string => {
    const found = [...printed].filter(([{ text }]) => text.startsWith(beginning));
    if (!found[nth]) throw new Error(`${page} has no command that begins with ${beginning}`);
    return found[nth][1];
  };
}

test('the README takes a video from a preset to playback URLs, and docs/encoding.md adds a rung', async () => {
  await service.line(/^ +hls +http\S+$/);
  const printed = await run(
    ['README.md', 'docs/encoding.md'],
    [],
    [{ page: 'README.md', line: 0, text: 'echo $VIDEO > video' }],
  );
  expect(printed('npm run cli -- upload')).toMatch(/^clip\.mp4: ready \(\w{26}\)\n {2}hls {2}http\S+\n/m);
  expect(JSON.parse(printed('api videos/$VIDEO/sources'))).toMatchObject({
    sources: [{ format: 'hls', status: 'completed', url: expect.stringMatching(/^http/) }],
  });
  expect(printed('aws lambda invoke')).toContain('"adminCreated":true');
  expect(JSON.parse(printed('api streams')).data.name).toBe('Small');
});

test('a token for an upload is made, and a source is shown and replaced, as docs/uploads.md shows', async () => {
  const get = 'curl -s -H "authorization: Bearer $TOKEN" $API/api';
  const line = (text: string) => ({ page: 'docs/uploads.md', line: 0, text });
  const printed = await run('docs/uploads.md', [
    ...definitions(),
    // As docs/command-line.md says.
    line('export OPEN_VIDEO_SERVICE_URL=$API OPEN_VIDEO_SERVICE_TOKEN=$TOKEN'),
    line(`TEMPLATE=$(${get}/templates | jq -r '.data[0].ulid')`),
    // Not the one whose streams are being edited.
    line(
      `VIDEO=$(${get}/videos?status=completed | jq -r --arg edited $(cat video) '.data[] | select(.ulid != $edited).ulid' | head -1)`,
    ),
  ]);
  const post = `curl -s -H "authorization: Bearer $TOKEN" -H 'content-type: application/json' $API/api`;
  expect(JSON.parse(printed(`${post}/direct-uploads`)).data.upload_token).toMatch(/^[0-9A-Z]{26}_\w{40}$/);
  expect(
    JSON.parse(printed('curl -s -H "authorization: Bearer $TOKEN" "$API/api/videos/$VIDEO/original')),
  ).toMatchObject({
    filename: expect.stringMatching(/\.mp4$/),
    url: expect.stringMatching(/^http/),
  });
  expect(printed('npm run cli -- videos replace')).toContain('plays as before until the new outputs are complete');
});

test('the packed command uploads and watches as docs/command-line.md shows', async () => {
  const printed = await run('docs/command-line.md');
  expect(printed('npx')).toContain('Usage: open-video-service COMMAND [options]');
  expect(printed('open-video-service upload', 0)).toMatch(/^clip\.mp4: ready \(\w{26}\)\n {2}hls {2}http\S+\n$/m);
  expect(printed('open-video-service watch')).toMatch(/^clip\.mp4: uploaded as \w{26}$/m);
  expect(await readdir(join(folder, 'done'))).toEqual(['clip.mp4']);
  expect(printed('open-video-service tokens create')).toMatch(/^\d+\|\w{40}\n$/);
  expect(printed('open-video-service tokens', 1)).toMatch(/ playback:read +Player page$/m);
  const events = printed('open-video-service events').trim().split('\n');
  expect(events.map((line) => JSON.parse(line).type)).toContain('video.completed');
});

/** The definitions of docs/deployment.md that other pages use. The address and a token exist already. */
const definitions = () => [
  ...commands.get('docs/deployment.md')!.filter(({ text }) => /^(STAGE=|\w+\(\) \{)/.test(text)),
  ...['API=$SERVICE_URL', 'TOKEN=$ADMIN_TOKEN'].map((text) => ({ page: 'docs/deployment.md', line: 0, text })),
];

test('a webhook is created and its events are listed as docs/webhooks.md shows', async () => {
  const printed = await run('docs/webhooks.md', definitions());
  expect(printed('jq -r .secret')).toMatch(/^whsec_/);
  expect(JSON.parse(printed('curl -s -X POST')).data).toMatchObject({ event: 'webhook.test' });
  const curl = 'curl -s -H "authorization: Bearer $TOKEN"';
  expect(JSON.parse(printed(`${curl} "$API/api/webhooks`)).data).toEqual(expect.any(Array));
  expect(JSON.parse(printed(`${curl} -H 'content-type: application/json' \\`)).data).toMatchObject({
    resent: expect.any(Number),
  });
  expect(JSON.parse(printed(`${curl} "$API/api/events`)).data).toEqual(expect.any(Array));
});

test('a token with abilities is created and listed as docs/tokens.md shows', async () => {
  const printed = await run('docs/tokens.md', definitions());
  expect(printed('jq -r .token')).toMatch(/^\d+\|[A-Za-z0-9]{40}\n$/);
  expect(printed('curl -s -H "authorization: Bearer $TOKEN" $API/api/tokens | jq')).toContain(
    '"Upload server",["uploads:write","videos:read"],"2099-12-31T00:00:00.000000Z"',
  );
});

test('captions are uploaded, listed and deleted as docs/captions.md shows', async () => {
  const printed = await run('docs/captions.md', definitions());
  expect(JSON.parse(printed('curl -s -X PUT')).data).toMatchObject({ language: 'de', label: 'Deutsch', default: true });
  const list = 'curl -s -H "authorization: Bearer $TOKEN" "$API/api/videos/$VIDEO/captions"';
  expect(JSON.parse(printed(list)).data).toMatchObject([{ kind: 'captions', url: expect.stringMatching(/de\.vtt$/) }]);
  expect(printed('curl -s -X DELETE')).toBe('');
});

test('a video is described, found and given an expiry as docs/videos.md shows', async () => {
  const api = commands.get('README.md')!.filter(({ text }) => text.startsWith('api() {'));
  const text = 'export OPEN_VIDEO_SERVICE_URL=$API OPEN_VIDEO_SERVICE_TOKEN=$TOKEN';
  const printed = await run('docs/videos.md', [...definitions(), { page: 'docs/videos.md', line: 0, text }, ...api]);
  const changed = JSON.parse(printed('api videos/$VIDEO -X PUT')).data;
  expect(changed).toMatchObject({ metadata: { album: 'Summer' }, tags: ['sea', 'family'] });
  expect(JSON.parse(printed("api 'videos?tag=sea"))).toContain(changed.ulid);
  expect(JSON.parse(printed('api tags')).data).toContainEqual({ tag: 'sea', videos: 1 });
  expect(JSON.parse(printed('api videos/$VIDEO/clips'))).toMatchObject({
    clip: { start_seconds: 0.5, end_seconds: 2 },
    source_video: changed.ulid,
  });
  expect(printed('npm run cli -- videos clip')).toMatch(/^\S+: ready/m);
  expect(JSON.parse(printed('api videos/$VIDEO -X PUT', 1)).data.expires_at).toBe('2099-12-31T23:00:00.000000Z');
});

test('the signing key is rotated as docs/delivery.md shows', async () => {
  const printed = await run('docs/delivery.md', definitions());
  expect(printed('call rotate-keys')).toMatch(/"state":"(distributing|retiring)"/);
});

test('an operator finds address and key, checks the data, makes a backup and restores it as docs/local.md shows', async () => {
  const text = 'unset AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AWS_REGION';
  const printed = await run('docs/local.md', [{ page: 'docs/local.md', line: 0, text }]);
  expect(JSON.parse(printed('aws ssm get-parameters-by-path'))).toContain('/video-service/local/signing-keys');
  expect(printed('npm run check:data')).toMatch(/: [1-9]\d* objects, all as they were stored\.$/m);
  expect(printed('npm run backup')).toMatch(/^Backup of .*The service paused for \d+ ms\.$/m);
  expect(printed('DATA_DIR=~/video-data npm run restore')).toContain(' has the backup of ');
});

test('an operator checks a stage as docs/first-day.md shows', async () => {
  const printed = await run('docs/first-day.md', definitions());
  expect(printed('aws cloudformation describe-stacks')).toMatch(/_COMPLETE/);
  expect(printed('for path in')).toBe('200 /health\n404 /no-such-path\n');
});

test('events of a table that was restored as docs/recovery.md shows come through its new stream', async () => {
  const receiver = await openReceiver();
  const line = (text: string) => ({ page: 'docs/recovery.md', line: 0, text });
  const webhook = JSON.stringify({ name: 'restored', url: receiver.url, events: ['captions.added'] });
  const curl = 'curl -s -H "authorization: Bearer $TOKEN" -H "content-type: application/json"';
  const captions = commands.get('docs/captions.md')!.filter(({ text }) => /^(VIDEO=|printf|curl -s -X PUT)/.test(text));
  try {
    // The stream alone can report the event while the minute schedule is off.
    const printed = await run('docs/recovery.md', definitions(), [
      line('rules disable due'),
      line(`${curl} -d '${webhook}' "$API/api/webhooks"`),
      ...captions,
    ]);
    expect(printed('STREAM=')).toBe('');
    await expect.poll(() => receiver.requests.map(({ body }) => JSON.parse(body).type)).toContain('captions.added');
  } finally {
    await run([], [...definitions(), line('rules enable due')]);
    await receiver.close();
  }
});

test('an operator deploys and removes a stage as docs/deployment.md and runbook.md show', async () => {
  const key = 'logs/access/local/documented.jsonl.gz';
  await writeFile(join(folder, 'log.gz'), gzipSync(''));
  const send = (queue: string, event: object) => ({
    page: 'docs/runbook.md',
    line: 0,
    text: `aws sqs send-message --queue-url $(output ${queue}) --message-body '${JSON.stringify(event)}'`,
  });
  const deadLetters = [
    send('DeadLettersUrl', { detail: { object: { key: 'uploads/none' } } }),
    send('UncountedUrl', { requestPayload: { detail: { object: { key } } } }),
  ];
  const video = { page: 'README.md', line: 0, text: 'VIDEO=$(cat video)' };
  const log = { page: 'docs/delivery.md', line: 0, text: `aws s3 cp log.gz s3://$(output BucketName)/${key}` };
  const printed = await run(['docs/deployment.md', 'docs/runbook.md'], [...definitions(), video, log, ...deadLetters]);
  expect(printed('npm run preflight')).toContain('local can be deployed.');
  expect(printed('call setup', 0)).toContain('"adminCreated"');
  expect(printed('npm run smoke').match(/^ok /gm)).toHaveLength(9);
  expect(printed('npm run dead-letters')).toContain('1 uploads started, 1 access logs to be counted.');
  expect(printed('aws s3 rm')).toContain('delete: s3://');
  expect(printed('aws ssm get-parameters-by-path')).toContain('"/video-service/local/signing-keys"');
  const turned = JSON.parse(await readFile(join(folder, 'data/rules.json'), 'utf8')) as Record<string, boolean>;
  const off = Object.keys(turned).filter((name) => !turned[name]);
  expect(off.map((name) => /Uploaded|Watched|Shipped|reconcile|reap/.exec(name)?.[0]).toSorted()).toEqual([
    'Shipped',
    'Uploaded',
    'Watched',
    'reap',
    'reconcile',
  ]);
});

/** Last, because the other tests would wait for this node, which does not really work. */
test('a server becomes a node as docs/nodes.md shows', async () => {
  const printed = await run('docs/nodes.md', definitions());
  const steps = printed('for step in').trim().split('\n');
  expect(steps).toEqual(['check', 'packages', 'docker', 'image', 'configure', 'start', 'verify']);
});

test('commands that the embedded AWS does not support have valid syntax', async () => {
  expect(await wrongForms(forms, aws)).toEqual([]);
});

test('every page with commands is run, and every exception is in use', async () => {
  expect(all.length).toBeGreaterThan(50);
  const withCommands = globSync('{README,docs/*}.md', { cwd: root }).filter((page) =>
    readFileSync(join(root, page), 'utf8').includes('```sh'),
  );
  expect(withCommands.filter((page) => !pages.includes(page))).toEqual([]);
  const unused = [
    ...notRun.filter(({ command }) => !all.some(({ text }) => command.test(text))).map(({ command }) => command),
    ...replacements.filter(({ text: what }) => !all.some(({ text }) => what.test(text))).map(({ text }) => text),
    ...checkedByForm
      .filter(({ operation }) => !all.some(({ text }) => text.includes(`aws ${operation}`)))
      .map(({ operation }) => operation),
  ];
  expect(unused).toEqual([]);
});
