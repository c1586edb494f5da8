import type { BrowserContextOptions } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  administrator,
  answerWith,
  type Dashboard,
  faultsOf,
  hold,
  looks,
  startDashboard,
} from './support/dashboard.ts';

let dashboard: Dashboard;
/** One session for all tests: sign-ins of an account are limited to a few a minute. */
let storageState: BrowserContextOptions['storageState'];

beforeAll(async () => {
  dashboard = await startDashboard({ WORKERS: '1' });
}, 600_000);
afterAll(() => dashboard.close(), 120_000);

async function openAsAdministrator(path: string, options: BrowserContextOptions = {}) {
  storageState ??= await (await dashboard.open('/', administrator)).context().storageState();
  return dashboard.open(path, undefined, { storageState, ...options });
}

const pages = [
  ['', 'Administration', '/api/queue'],
  ['/users', 'Users', '/api/users'],
  ['/nodes', 'Nodes', '/api/nodes'],
  ['/ssh-keys', 'SSH keys', '/api/ssh-keys'],
  ['/queue', 'Queue and workers', '/api/queue'],
  ['/settings', 'Settings', '/api/settings'],
] as const;

describe.each(pages)('/administration%s', (path, title, resource) => {
  test('is for administrators: others learn whom to ask, and nothing is loaded', async () => {
    const person = await dashboard.createUser();
    const page = await dashboard.open('/', person);
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await page.goto(`/administration${path}`);
    await page.getByRole('heading', { level: 1, name: 'Only administrators can see this page' }).waitFor();
    await page.getByText(`You are signed in as ${person.email}`).waitFor();
    expect(asked).not.toContain(resource);
    expect(await faultsOf(page)).toEqual([]);
  });

  test('is right while it loads, when the service fails, and in German', async () => {
    const page = await openAsAdministrator('/');
    const release = await hold(page, resource);
    await page.goto(`/administration${path}`);
    await page.getByRole('heading', { level: 1, name: title }).waitFor();
    await page.getByText('Loading …').first().waitFor();
    expect(await faultsOf(page)).toEqual([]);
    release();
    await page.getByText('Loading …').first().waitFor({ state: 'detached' });
    await answerWith(page, resource, 500, { message: 'Server Error' });
    await page.reload();
    await page.getByText('The service has a problem.').waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await page.evaluate("localStorage.setItem('language', 'de')");
    await page.reload();
    await page.getByRole('navigation', { name: 'Verwaltung' }).waitFor();
    expect(await faultsOf(page)).toEqual([]);
  });

  test.each(looks)('has no faults at %s', async (_, options) => {
    const page = await openAsAdministrator(`/administration${path}`, options);
    await page.getByRole('heading', { level: 1, name: title }).waitFor();
    await page.getByText('Loading …').first().waitFor({ state: 'detached' });
    expect(await faultsOf(page)).toEqual([]);
  });
});

test('a user is created, gets a quota and another password, becomes an administrator, and is deleted', async () => {
  const page = await openAsAdministrator('/administration/users');
  const dialog = page.getByRole('dialog');
  await page.getByRole('button', { name: 'Create a user' }).click();
  await dialog.getByLabel('Name').fill('Cy <b>');
  await dialog.getByLabel('Email').fill(administrator.email);
  await dialog.getByLabel('Password').fill('battery staple');
  await dialog.getByLabel('Uploads per month', { exact: true }).fill('much');
  await dialog.getByText('Enter a number such as 250').waitFor();
  await dialog.getByLabel('Uploads per month', { exact: true }).fill('1,5');
  await dialog.getByRole('button', { name: 'Create' }).click();
  await dialog.getByText('This is used already.').waitFor();
  expect(await dialog.getByLabel('Name').inputValue()).toBe('Cy <b>');
  expect(await faultsOf(page)).toEqual([]);
  await dialog.getByLabel('Email').fill('cy@example.com');
  await dialog.getByRole('button', { name: 'Create' }).click();
  await dialog.waitFor({ state: 'detached' });
  expect(await page.evaluate<string>('document.activeElement.textContent')).toBe('Create a user');
  const row = page.getByRole('row', { name: /cy@example\.com/ });
  await row.getByText('1.5 GB').waitFor();
  await row.getByText('No limit').waitFor();

  await row.getByRole('button', { name: 'Edit: Cy <b>' }).click();
  expect(await dialog.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
  await dialog.getByLabel('Administrator').check();
  await dialog.getByLabel('Uploads per month', { exact: true }).fill('');
  await dialog.getByLabel('CPU time per month', { exact: true }).fill('10');
  await dialog.getByLabel('CPU time per month', { exact: true }).press('Enter');
  await row.getByText('10 hr').waitFor();
  await row.getByText('Administrator').waitFor();

  await row.getByRole('button', { name: 'Password: Cy <b>' }).click();
  await dialog.getByLabel('New password').fill('short');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.locator('.field-errors').waitFor();
  expect(await faultsOf(page)).toEqual([]);
  await dialog.getByLabel('New password').fill('other battery staple');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'detached' });
  await dashboard.open('/', { email: 'cy@example.com', password: 'other battery staple' });

  await row.getByRole('button', { name: 'Delete: Cy <b>' }).click();
  await dialog.getByRole('heading', { name: 'Delete Cy <b>?' }).waitFor();
  expect(await faultsOf(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await row.waitFor({ state: 'detached' });
});

test('errors of fields are in the language of the user, and a password is shown on request', async () => {
  const page = await openAsAdministrator('/administration/users', { locale: 'de-DE' });
  const dialog = page.getByRole('dialog');
  await page.getByRole('button', { name: 'Benutzer anlegen' }).click();
  await dialog.getByLabel('E-Mail').fill('cy');
  const password = dialog.getByLabel('Passwort');
  await password.fill('kurz');
  await dialog.getByRole('button', { name: 'Anzeigen Passwort' }).click();
  expect(await password.getAttribute('type')).toBe('text');
  await dialog.getByRole('button', { name: 'Anlegen', exact: true }).click();
  await dialog.getByText('Das ist erforderlich.').waitFor();
  await dialog.getByText('Geben Sie eine E-Mail-Adresse ein.').waitFor();
  await dialog.getByText('Geben Sie mindestens 8 Zeichen ein.').waitFor();
  expect(await dialog.getByText('field').count()).toBe(0);
  expect(await faultsOf(page)).toEqual([]);
});

test('why a user cannot be deleted is said in the dialog', async () => {
  const bo = await dashboard.createUser('Bo with videos');
  const page = await openAsAdministrator('/administration/users');
  await page.route('**/api/users/*', (route) =>
    route.request().method() === 'DELETE'
      ? route.fulfill({ status: 409, json: { message: 'The user owns videos.' } })
      : route.continue(),
  );
  await page.getByRole('button', { name: `Delete: ${bo.name}` }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('give them to another user').waitFor();
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await dialog.getByRole('alert').getByText('The user owns videos.').waitFor();
  expect(await faultsOf(page)).toEqual([]);
});

test('many users are in pages, and the page is in the address', async () => {
  for (let index = 0; index < 27; index++) await dashboard.createUser(`Person ${index}`);
  const page = await openAsAdministrator('/administration/users');
  await page.getByRole('button', { name: 'Next' }).click();
  await page.getByText('Page 2 of 2').waitFor();
  expect(new URL(page.url()).search).toBe('?page=2');
  expect(await faultsOf(page)).toEqual([]);
  await page.goto('/administration/users?page=99');
  await page.getByText('There are no users on this page').waitFor();
  await page.goBack();
  await page.getByText('Page 2 of 2').waitFor();
});

test('queue and workers are shown with their users, nodes and jobs, and follow the service', async () => {
  const page = await openAsAdministrator('/');
  const job = { kind: 'encode-video', plan: 1, group: 0, index: 4, attempt: 2, progress: 40, started_at: null };
  const worker = { worker: 'worker-1', node_type: 'node', last_call_at: new Date().toISOString() };
  const workers = [
    { ...worker, node: { id: 7, ulid: 'N7', name: 'encoder-7' }, job: { ...job, video: '01JD3Z0000000000000000000A' } },
    { ...worker, node_type: 'pool', node: null, job: null },
  ];
  const user = (name: string, jobs: number) => ({
    user: { id: jobs, ulid: name, name },
    jobs,
    capped: jobs === 500,
    next_queued_at: new Date().toISOString(),
    next_age_seconds: 90,
    kinds: [{ kind: 'encode-video', jobs }],
  });
  const queue = (jobs: number) => ({
    data: {
      jobs,
      capped: true,
      oldest_age_seconds: 400,
      kinds: [{ kind: 'encode-video', jobs }],
      users: [user('Ada', jobs - 3), user('Bo', 3)],
    },
  });
  let depth = 503;
  await answerWith(page, '/api/workers', 200, { data: workers });
  await page.route('**/api/queue', (route) => route.fulfill({ json: queue(depth) }));
  await page.goto('/administration/queue');
  await page.getByText('Queued jobs: at least 503.').waitFor();
  await page.getByRole('row', { name: /Ada at least 500 500 2 minutes/ }).waitFor();
  await page.getByRole('row', { name: /worker-1 encoder-7 Video 5 · 40% · attempt 2/ }).waitFor();
  expect(await faultsOf(page)).toEqual([]);
  depth = 403;
  await page.getByText('Queued jobs: at least 403.').waitFor();
  await page.goto('/administration');
  await page.getByText('403 jobs wait, the oldest for 7 minutes.').waitFor();
  expect(await faultsOf(page)).toEqual([]);
});

test('settings say what this start set', async () => {
  const page = await openAsAdministrator('/administration/settings');
  await page.getByText('Set by the environment variable REGISTRATION.').waitFor();
  await page.getByText('The default is: 20. Set by the environment variable WORKERS.').waitFor();
  await page.getByText('Outputs of a template').waitFor();
});
