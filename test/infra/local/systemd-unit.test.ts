import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const page = readFileSync(join(import.meta.dirname, '../../../docs/public-server.md'), 'utf8');
const [, unit = ''] = /^```ini\n([\s\S]*?)^```/m.exec(page) ?? [];
const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;

test('the unit has its own user, starts this project and stays in its data folder', () => {
  const lines = unit.split('\n');
  for (const line of ['User=video', 'NoNewPrivileges=yes', 'ProtectSystem=strict', 'StateDirectory=video-service']) {
    expect(lines).toContain(line);
  }
  expect(unit).toMatch(/^ExecStart=\/usr\/bin\/node infra\/local\/start\.mjs$/m);
  expect(lines.filter((line) => line !== '' && !/^(\[\w+\]|\w+=.*)$/.test(line))).toEqual([]);
});

test.runIf(hasSystemd)('systemd finds no fault in it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'unit-'));
  const file = join(folder, 'video-service.service');
  // The program is where it is on this machine; systemd looks for it.
  writeFileSync(file, unit.replace('/usr/bin/node', process.execPath));
  const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', file], { encoding: 'utf8' });
  rmSync(folder, { recursive: true });
  const complaints = stderr.split('\n').filter((line) => line.includes('video-service.service'));
  expect([status, complaints]).toEqual([0, []]);
});
