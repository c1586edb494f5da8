import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const page = readFileSync(join(import.meta.dirname, '../../docs/public-server.md'), 'utf8');
const [unit = '', backupUnit = '', timer = ''] = [...page.matchAll(/^```ini\n([\s\S]*?)^```/gm)].map(
  ([, text = '']) => text,
);
const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;

test('the unit has its own user, starts this project and stays in its data folder', () => {
  const lines = unit.split('\n');
  for (const line of ['User=video', 'NoNewPrivileges=yes', 'ProtectSystem=strict', 'StateDirectory=video-service']) {
    expect(lines).toContain(line);
  }
  expect(unit).toMatch(/^ExecStart=\/usr\/bin\/node local\/start\.mjs$/m);
  expect(lines.filter((line) => line !== '' && !/^(\[\w+\]|\w+=.*)$/.test(line))).toEqual([]);
});

test('the backup runs as the same user on the same data folder', () => {
  expect(unit).toContain('DATA_DIR=/var/lib/video-service ');
  for (const line of ['User=video', 'Environment=DATA_DIR=/var/lib/video-service HOME=/tmp', 'UMask=0077']) {
    expect(backupUnit.split('\n')).toContain(line);
  }
  const [, program = ''] = /exec \/usr\/bin\/node (\S+) backup \/var\/backups\/video-service\//.exec(backupUnit) ?? [];
  expect(existsSync(join(import.meta.dirname, '../..', program))).toBe(true);
  expect(timer).toMatch(/^OnCalendar=/m);
});

test.runIf(hasSystemd)('systemd finds no fault in them', () => {
  const folder = mkdtempSync(join(tmpdir(), 'unit-'));
  const units = {
    'video-service.service': unit,
    'video-service-backup.service': backupUnit,
    'video-service-backup.timer': timer,
  };
  const files = Object.entries(units).map(([name, text]) => {
    // The program is where it is on this machine; systemd looks for it.
    writeFileSync(join(folder, name), text.replace('/usr/bin/node', process.execPath));
    return join(folder, name);
  });
  const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', ...files], { encoding: 'utf8' });
  rmSync(folder, { recursive: true });
  const complaints = stderr.split('\n').filter((line) => line.includes('video-service'));
  expect([status, complaints]).toEqual([0, []]);
});
