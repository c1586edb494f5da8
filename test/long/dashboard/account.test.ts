import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { answerWith, type Dashboard, faultsOf, hold, looks, startDashboard } from './support/dashboard.ts';

let dashboard: Dashboard;
beforeAll(async () => {
  dashboard = await startDashboard();
}, 600_000);
afterAll(() => dashboard.close(), 120_000);

test('name and email are changed, errors are at their fields, and what was typed stays', async () => {
  const ada = await dashboard.createUser();
  const bo = await dashboard.createUser('Bo');
  const page = await dashboard.open('/account', ada);
  await page.getByRole('heading', { level: 1, name: 'Account' }).waitFor();
  const profile = page.getByRole('region', { name: 'Profile' });
  const email = profile.getByLabel('Email');

  await profile.getByLabel('Name').fill('  <img src=x onerror=alert(1)>  ');
  await email.fill(bo.email);
  await profile.getByRole('button', { name: 'Save' }).click();
  await profile.getByText('This is used already.').waitFor();
  expect(await email.getAttribute('aria-invalid')).toBe('true');
  expect(await email.inputValue()).toBe(bo.email);
  const described = (await email.getAttribute('aria-describedby'))!;
  expect(await page.locator(`[id="${described}"]`).innerText()).toBe('This is used already. Enter another one.');
  expect(await faultsOf(page)).toEqual([]);

  await email.fill('New.Ada@example.com');
  await profile.getByRole('button', { name: 'Save' }).click();
  await page.locator('summary', { hasText: '<img src=x onerror=alert(1)>' }).waitFor();
  expect(await email.inputValue()).toBe('new.ada@example.com');
  expect(await profile.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
  const { json } = await dashboard.call(ada, 'GET', '/api/me');
  expect(json).toMatchObject({ name: '<img src=x onerror=alert(1)>', email: 'new.ada@example.com' });
  expect(await faultsOf(page)).toEqual([]);
});

test('the password is changed with the old one', async () => {
  const ada = await dashboard.createUser();
  const page = await dashboard.open('/account', ada);
  const card = page.getByRole('region', { name: 'Password' });
  const change = async (current: string, next: string, repeated = next) => {
    await card.getByLabel('Current password').fill(current);
    await card.getByLabel('New password').fill(next);
    await card.getByLabel('Repeat the password').fill(repeated);
    await card.getByRole('button', { name: 'Change password' }).click();
  };
  await change('not the password', 'battery staple horse');
  await card.getByText('The password is wrong.').waitFor();
  expect(await card.getByLabel('Current password').getAttribute('aria-invalid')).toBe('true');
  await change(ada.password, 'battery staple horse', 'other staple horse');
  await card.getByText('The passwords are not the same.').waitFor();
  await change(ada.password, 'battery staple horse');
  await card.getByText('The password is changed.').waitFor();
  expect(await card.getByLabel('Current password').inputValue()).toBe('');
  expect(await faultsOf(page)).toEqual([]);
  await dashboard.open('/', { ...ada, password: 'battery staple horse' });
});

test('a token is shown once, copied, used and revoked', async () => {
  const ada = await dashboard.createUser();
  const page = await dashboard.open('/account', ada);
  const tokens = page.getByRole('region', { name: 'API tokens' });
  await tokens.getByText('Never used.').waitFor();

  await tokens.getByRole('button', { name: 'New token' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Create' }).click();
  await dialog.getByText('This is required.').waitFor();
  expect(await faultsOf(page)).toEqual([]);
  await dialog.getByLabel('Name').fill('build server');
  await dialog.getByLabel('Name').press('Enter');
  await dialog.getByText('You will not see it again').waitFor();
  expect(await faultsOf(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Copy token' }).click();
  const token = await page.evaluate<string>('navigator.clipboard.readText()');
  expect(token).toMatch(/^\d+\|[A-Za-z0-9]{40,}$/);
  expect((await dashboard.call({ ...ada, token }, 'GET', '/api/me')).status).toBe(200);
  await dialog.getByRole('button', { name: 'I have copied it' }).click();
  await dialog.waitFor({ state: 'detached' });
  // The focus is back where the dialog was opened, and the secret is nowhere in the page.
  expect(await page.evaluate<string>('document.activeElement.textContent')).toBe('New token');
  expect(await page.content()).not.toContain(token.split('|')[1]);

  await tokens.getByRole('button', { name: 'Revoke build server' }).click();
  await dialog.getByRole('heading', { name: 'Revoke token build server?' }).waitFor();
  expect(await faultsOf(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Revoke', exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
  await tokens.getByText('build server').waitFor({ state: 'detached' });
  expect((await dashboard.call({ ...ada, token }, 'GET', '/api/me')).status).toBe(401);
});

test('a token can do what is chosen, until its last day', async () => {
  const ada = await dashboard.createUser();
  const page = await dashboard.open('/account', ada);
  const tokens = page.getByRole('region', { name: 'API tokens' });
  await tokens.getByText('Everything that you can').waitFor();
  await tokens.getByRole('button', { name: 'New token' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('player');
  await dialog.getByLabel('Everything that you can').uncheck();
  await dialog.getByRole('button', { name: 'Create' }).click();
  await dialog.getByText('At least 1').waitFor();
  // Only administrators can give this one.
  expect(await dialog.getByLabel('Everything in Administration').count()).toBe(0);
  await dialog.getByLabel('Get links to play').check();
  await dialog.getByLabel('Read what was used').check();
  await dialog.getByLabel('Read what was used').uncheck();
  await dialog.getByLabel('Last day').fill('2099-12-31');
  expect(await faultsOf(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Create' }).click();
  const token = (await dialog.locator('code').first().innerText()).trim();
  await dialog.getByRole('button', { name: 'I have copied it' }).click();
  await tokens.getByText('Get links to play and to embed videos').waitFor();
  await tokens.getByText('Expires Dec 31, 2099, 11:59 PM.').waitFor();
  expect((await dashboard.call({ ...ada, token }, 'GET', '/api/videos')).json.code).toBe('token_ability_missing');
  expect(await faultsOf(page)).toEqual([]);
});

test('a change that needs a recent sign-in asks for the password, and is made then', async () => {
  const ada = await dashboard.createUser();
  const page = await dashboard.open('/account', ada);
  // As the service answers 15 minutes after the sign-in.
  await page.route(
    (url) => url.pathname === '/api/tokens',
    (route) =>
      route.request().method() === 'POST'
        ? route.fulfill({ status: 403, json: { message: 'M', code: 'password_confirmation_required' } })
        : route.continue(),
  );
  await page.getByRole('button', { name: 'New token' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill('late');
  const create = page.getByRole('button', { name: 'Create' });
  await create.click();
  const question = page.getByRole('dialog', { name: 'Confirm your password' });
  expect(await page.evaluate<string>('document.activeElement.name')).toBe('current-password');
  expect(await faultsOf(page)).toEqual([]);
  await question.getByRole('button', { name: 'Cancel' }).click();
  await page.getByText('You did not confirm your password').waitFor();

  await create.click();
  await question.locator('input[type=password]').fill('not the password');
  await question.getByRole('button', { name: 'Continue' }).click();
  await question.getByText('The password is wrong.').waitFor();
  await page.unrouteAll();
  await question.locator('input[type=password]').fill(ada.password);
  await question.getByRole('button', { name: 'Continue' }).click();
  await page.getByText('You will not see it again').waitFor();
  await page.getByRole('heading', { name: 'Token late' }).waitFor();
});

test('a session that ends loses nothing that was typed', async () => {
  const ada = await dashboard.createUser();
  const page = await dashboard.open('/account', ada);
  const profile = page.getByRole('region', { name: 'Profile' });
  await profile.getByLabel('Name').fill('Ada Lovelace');
  await page.context().clearCookies();
  await profile.getByRole('button', { name: 'Save' }).click();
  const question = page.getByRole('dialog', { name: 'Sign in again' });
  await question.getByText(`Your session as ${ada.email} has ended.`).waitFor();
  expect(await faultsOf(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await question.locator('input[type=password]').fill('not the password');
  await question.getByRole('button', { name: 'Sign in' }).click();
  await question.getByText('The password is wrong.').waitFor();
  await question.locator('input[type=password]').fill(ada.password);
  await question.getByRole('button', { name: 'Sign in' }).click();
  await page.locator('summary', { hasText: 'Ada Lovelace' }).waitFor();
  expect((await dashboard.call(ada, 'GET', '/api/me')).json.name).toBe('Ada Lovelace');

  await page.context().clearCookies();
  await profile.getByLabel('Name').fill('Somebody');
  await profile.getByRole('button', { name: 'Save' }).click();
  await question.getByRole('button', { name: 'Use another account' }).click();
  await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
});

test('signing out everywhere ends the session of another browser, and no API token', async () => {
  const ada = await dashboard.createUser();
  const other = await dashboard.open('/', ada);
  const page = await dashboard.open('/account', ada);
  await page.getByRole('button', { name: 'Sign out everywhere' }).click();
  const dialog = page.getByRole('dialog');
  expect(await faultsOf(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Sign out everywhere' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await other.reload();
  await other.getByRole('heading', { name: 'Sign in' }).waitFor();
  expect((await dashboard.call(ada, 'GET', '/api/me')).status).toBe(200);
});

test('activity has pages, and what a user wrote in it is text', async () => {
  const ada = await dashboard.createUser();
  for (let number = 1; number <= 16; number++) {
    await dashboard.call(ada, 'POST', '/api/tokens', { name: `<b>token</b> ${number}` });
  }
  const page = await dashboard.open('/account', ada);
  const activity = page.getByRole('region', { name: 'Activity' });
  await activity.getByText('Created token <b>token</b> 16').waitFor();
  await activity.getByText('Details').first().click();
  expect(await faultsOf(page)).toEqual([]);
  await activity.getByRole('button', { name: 'Next' }).click();
  await activity.getByText('Created token test').waitFor();
  await activity.getByText('Page 2 of 2').waitFor();
  expect(await activity.getByRole('button', { name: 'Next' }).isDisabled()).toBe(true);
  expect(await faultsOf(page)).toEqual([]);
});

test('a quota is shown with what is used of it', async () => {
  const ada = await dashboard.createUser();
  const page = await dashboard.open('/', ada);
  const { json } = await dashboard.call(ada, 'GET', '/api/me');
  await answerWith(page, '/api/me', 200, {
    ...json,
    quota: { upload_bytes_per_month: 10e9, encoding_cpu_seconds_per_month: 3600 },
    usage: {
      month: '2026-11',
      upload_bytes: { used: 9.2e9, reserved: 0 },
      encoding_cpu_seconds: { used: 3000, reserved: 900 },
    },
  });
  await page.goto('/account');
  const card = page.getByRole('region', { name: 'Usage in November 2026' });
  await card.getByText('9.2 GB of 10 GB').waitFor();
  await card.getByText('almost reached').waitFor();
  await card.getByText('50 min of 1 hr').waitFor();
  await card.getByText('15 min more is reserved').waitFor();
  expect(await card.getByRole('progressbar', { name: 'Encoding, CPU time' }).getAttribute('value')).toBe('1');
  expect(await faultsOf(page)).toEqual([]);
});

describe('states', () => {
  test('while everything loads', async () => {
    const ada = await dashboard.createUser();
    const page = await dashboard.open('/', ada);
    const releases = await Promise.all(['/api/tokens', '/api/activity-log'].map((path) => hold(page, path)));
    await page.getByRole('link', { name: 'Open Video Service' }).waitFor();
    await page.locator('summary', { hasText: ada.name }).click();
    await page.getByRole('link', { name: 'Account' }).click();
    await page.getByText('Loading …').first().waitFor();
    // A navigation moves the focus to the heading of the new page.
    await expect.poll(() => page.evaluate<string>('document.activeElement.textContent')).toBe('Account');
    expect(await faultsOf(page)).toEqual([]);
    for (const release of releases) release();
    await page.getByText('Loading …').first().waitFor({ state: 'detached' });
  });

  test('when the service fails, and after another attempt', async () => {
    const ada = await dashboard.createUser();
    const page = await dashboard.open('/', ada);
    await answerWith(page, /^\/api\/(tokens|activity-log)$/, 500, { message: 'x' });
    await page.goto('/account');
    const tokens = page.getByRole('region', { name: 'API tokens' });
    await tokens.getByText('The service has a problem.').waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.unrouteAll();
    await tokens.getByRole('button', { name: 'Try again' }).click();
    await tokens.getByText('Never used.').waitFor();
  });

  test('without tokens', async () => {
    const ada = await dashboard.createUser();
    await dashboard.call(ada, 'DELETE', `/api/tokens/${ada.token.split('|')[0]}`);
    const page = await dashboard.open('/account', ada);
    await page.getByText('No tokens yet').waitFor();
    expect(await faultsOf(page)).toEqual([]);
  });

  test.each(looks)('%s', async (_, look) => {
    const page = await dashboard.open('/account', await dashboard.createUser(), look);
    await page.getByText('Created token test').waitFor();
    expect(await faultsOf(page)).toEqual([]);
  });

  test('in German', async () => {
    const page = await dashboard.open('/account', await dashboard.createUser(), { locale: 'de-DE' });
    await page.getByRole('heading', { level: 1, name: 'Konto' }).waitFor();
    await page.getByRole('region', { name: 'API-Tokens' }).getByText('Nie benutzt.').waitFor();
    expect(await page.evaluate<string>('document.documentElement.lang')).toBe('de');
    expect(await faultsOf(page)).toEqual([]);
  });
});
