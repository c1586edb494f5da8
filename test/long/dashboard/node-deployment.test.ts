import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { callingProgram, type SshServer, startSshServer } from '../../fixtures/servers/start-ssh-server.ts';
import { administrator, type Dashboard, faultsOf, startDashboard } from './support/dashboard.ts';

const image = `registry.example.com/worker@sha256:${'a'.repeat(64)}`;

let server: SshServer;
let dashboard: Dashboard;

/** A service, and a server that it reaches over OpenSSH. Its containers call the service and do nothing else. */
beforeAll(async () => {
  server = await startSshServer({ program: callingProgram });
  dashboard = await startDashboard({
    NODE_SSH_PORT: String(server.target.port),
    WORKER_IMAGE: image,
    WORKERS: '1',
  });
}, 600_000);
afterAll(async () => {
  await dashboard?.close();
  await server?.stop();
}, 120_000);

const stepOf = (page: Page, name: string) =>
  page.locator('.deploy-step').filter({ has: page.getByRole('heading', { name, exact: true, level: 3 }) });

async function run(page: Page, name: string): Promise<void> {
  const step = stepOf(page, name);
  await step.getByRole('button', { name: /^Run/ }).click();
  await step.locator('.badge', { hasText: 'Succeeded' }).waitFor();
  await step.getByRole('log').waitFor();
}

/** Runs a step that writes for some seconds, and reads its log while it runs. */
async function runWatched(page: Page, name: string): Promise<void> {
  await server.fault('docker-pull-slow', '12');
  const step = stepOf(page, name);
  await step.getByRole('button', { name: /^Run/ }).click();
  const log = step.getByRole('log');
  const isRunning = () => step.locator('.badge', { hasText: 'Running' }).isVisible();
  await log.getByText('second 3, line 30').waitFor();
  expect(await isRunning()).toBe(true);
  // It shows its end by itself.
  await expect.poll(() => page.evaluate<number>(fromEnd)).toBeLessThan(2);
  expect(await faultsOf(page)).toEqual([]);

  // A user who reads is not moved.
  await page.evaluate(`${openLog}.scrollTo(0, 100)`);
  const lines = await log.locator('span').count();
  await expect.poll(() => log.locator('span').count()).toBeGreaterThan(lines);
  expect(await isRunning()).toBe(true);
  expect(await page.evaluate(`${openLog}.scrollTop`)).toBe(100);
  await log.focus();
  await page.keyboard.press('End');
  await step.locator('.badge', { hasText: 'Succeeded' }).waitFor();
  await expect.poll(() => page.evaluate<number>(fromEnd)).toBeLessThan(2);
  await page.getByRole('status').filter({ hasText: 'Image: Succeeded' }).waitFor({ state: 'attached' });
}

/** The log of one step is open. How far its end is below what is shown, in pixels. */
const openLog = "document.querySelector('.step-log')";
const fromEnd = `${openLog}.scrollHeight - ${openLog}.scrollTop - ${openLog}.clientHeight`;

test('an administrator deploys a server step by step while the logs grow, drains and deletes it', async () => {
  const page = await dashboard.open('/administration/ssh-keys', administrator);
  await page.getByText('There are no SSH keys').waitFor();
  expect(await faultsOf(page)).toEqual([]);

  // A key: one half pasted, the other from a file.
  await page.getByRole('button', { name: 'Add a key' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('fleet');
  await dialog.getByLabel('Public key', { exact: true }).fill(server.publicKey);
  const buffer = Buffer.from(server.target.privateKey);
  await dialog.getByLabel('Private key from a file').setInputFiles({ name: 'id', mimeType: 'text/plain', buffer });
  await expect.poll(() => dialog.getByLabel('Private key', { exact: true }).inputValue()).toContain('PRIVATE KEY');
  expect(await faultsOf(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Add a key' }).click();
  await page.getByRole('row', { name: /fleet/ }).waitFor();
  const secret = server.target.privateKey.split('\n')[1]!;
  expect(await page.content()).not.toContain(secret);

  // The node.
  await page.getByRole('navigation', { name: 'Administration' }).getByRole('link', { name: 'Nodes' }).click();
  await page.getByText('There are no nodes').waitFor();
  expect(await faultsOf(page)).toEqual([]);
  await page.getByRole('button', { name: 'Register a node' }).click();
  await dialog.getByLabel('Name', { exact: true }).fill('encoder-1');
  await dialog.getByLabel('IP address').fill('not an address');
  await dialog.getByLabel('SSH user').fill(server.target.user);
  await dialog.getByLabel('Workers').fill('2');
  await dialog.getByRole('button', { name: 'Register a node' }).click();
  await dialog.getByText('must be an IPv4 or IPv6 address').waitFor();
  expect(await dialog.getByLabel('SSH user').inputValue()).toBe(server.target.user);
  expect(await faultsOf(page)).toEqual([]);
  await dialog.getByLabel('IP address').fill(server.target.address);
  await dialog.getByRole('button', { name: 'Register a node' }).click();
  await page.getByRole('heading', { level: 1, name: 'encoder-1' }).waitFor();
  await page.getByText('Next step: Check').waitFor();
  expect(await faultsOf(page)).toEqual([]);

  expect(await stepOf(page, 'Docker').getByRole('button', { name: 'Run: Docker' }).isDisabled()).toBe(true);
  for (const name of ['Check', 'Packages', 'Docker']) await run(page, name);
  await runWatched(page, 'Image');
  for (const name of ['Configure', 'Start', 'Verify']) await run(page, name);
  await page.getByText('All required steps have succeeded.').waitFor();
  await page.locator('.node-summary .badge', { hasText: 'Active' }).waitFor();
  expect(await faultsOf(page)).toEqual([]);
  await page.getByText('video-service-worker-2').waitFor();
  await page.getByRole('region', { name: 'Containers' }).getByText('Running').first().waitFor();

  await stepOf(page, 'Drain').getByRole('button', { name: 'Run: Drain' }).click();
  await page.locator('.node-summary .badge', { hasText: 'Not deployed' }).waitFor();
  await page.getByText('Next step: Start').waitFor();

  // The key is in use; then the node is deleted, and its page says so.
  await page.getByRole('navigation', { name: 'Administration' }).getByRole('link', { name: 'SSH keys' }).click();
  await page.getByRole('button', { name: 'Delete: fleet' }).click();
  await dialog.getByText('1 node uses this key').waitFor();
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await dialog.getByRole('alert').waitFor();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await page.goBack();
  await page.getByRole('heading', { level: 1, name: 'encoder-1' }).waitFor();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await dialog.getByRole('heading', { name: 'Delete the node encoder-1?' }).waitFor();
  expect(await faultsOf(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByText('The node encoder-1 is deleted.').waitFor();
  await page.getByRole('link', { name: 'To the nodes' }).click();
  await page.getByText('There are no nodes').waitFor();
}, 900_000);

test('a step that fails shows its log and is repeated; a node whose server is gone is deleted by force', async () => {
  const page = await dashboard.open('/administration/nodes', administrator);
  await page.getByRole('button', { name: 'Register a node' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name', { exact: true }).fill('<img src=x onerror=alert(1)>');
  await dialog.getByLabel('IP address').fill('127.0.0.2');
  await dialog.getByLabel('SSH user').fill('nobody');
  await dialog.getByRole('button', { name: 'Register a node' }).click();
  await page.getByRole('heading', { level: 1, name: '<img src=x onerror=alert(1)>' }).waitFor();
  await stepOf(page, 'Check').getByRole('button', { name: 'Run: Check' }).click();
  await stepOf(page, 'Check').locator('.badge', { hasText: 'Failed' }).waitFor();
  await stepOf(page, 'Check').getByRole('button', { name: 'Run again: Check' }).waitFor();
  await page.locator('.notice-error').first().waitFor();
  expect(await faultsOf(page)).toEqual([]);

  await page.getByRole('link', { name: 'Overview' }).click();
  await page.getByRole('link', { name: 'The node <img src=x onerror=alert(1)> has failed.' }).click();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await dialog.getByLabel('Force: delete without the server').check();
  await dialog.getByText('Nothing is removed from the server.').waitFor();
  await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Nodes' }).waitFor();
  expect(await faultsOf(page)).toEqual([]);
}, 300_000);
