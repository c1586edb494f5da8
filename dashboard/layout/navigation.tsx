import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import type { Me } from '../api/current-user.ts';
import { signOut } from '../api/session.ts';
import { useAction } from '../api/use-action.ts';
import { showApiCalls, showsApiCalls } from '../components/api-call.tsx';
import { Button } from '../components/button.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { Checkbox } from '../components/field.tsx';
import { text } from '../messages/messages.ts';
import { Preferences } from './preferences.tsx';

type NavigationProps = { user: Me };

export function Navigation({ user }: NavigationProps) {
  const { app, navigation } = text.value;
  const { path } = useLocation();
  // On a narrow screen it opens by the button, and a navigation closes it.
  const [openPath, setOpenPath] = useState<string>();
  const isOpen = openPath === path;
  return (
    <header class="header">
      <a class="brand" href="/">
        <span class="mark" aria-hidden="true" />
        <span class="brand-name">{app.name}</span>
      </a>
      <Button
        variant="quiet"
        aria-expanded={isOpen}
        aria-controls="main-navigation"
        aria-label={app.menu}
        onClick={() => setOpenPath(isOpen ? undefined : path)}
      >
        <svg viewBox="0 0 16 16" width="16" height="16" stroke="currentColor" stroke-width="2" aria-hidden="true">
          <path d="M1 3h14M1 8h14M1 13h14" />
        </svg>
      </Button>
      <nav id="main-navigation" aria-label={app.mainNavigation} data-open={isOpen}>
        <NavigationLink
          href="/"
          label={navigation.videos}
          isCurrent={(path) => path === '/' || path.startsWith('/videos')}
        />
        <NavigationLink href="/upload" label={navigation.upload} />
        <NavigationLink href="/templates" label={navigation.templates} />
        <NavigationLink href="/storages" label={navigation.storages} />
        <NavigationLink href="/webhooks" label={navigation.webhooks} />
        <NavigationLink href="/usage" label={navigation.usage} />
        {user.is_admin && <NavigationLink href="/administration" label={navigation.administration} />}
        {/* Another page, not of this app. */}
        <a class="nav-link" href="/docs" target="_blank" rel="noopener">
          {navigation.apiDocs}
        </a>
      </nav>
      <AccountMenu user={user} />
    </header>
  );
}

type NavigationLinkProps = { href: string; label: string; isCurrent?: (path: string) => boolean };

function NavigationLink({ href, label, isCurrent = (path) => path.startsWith(href) }: NavigationLinkProps) {
  const { path } = useLocation();
  return (
    <a class="nav-link" href={href} {...(isCurrent(path) && { 'aria-current': 'page' })}>
      {label}
    </a>
  );
}

/** As a dialog does. */
function closeByEscape({ key, currentTarget }: JSX.TargetedKeyboardEvent<HTMLDetailsElement>): void {
  if (key !== 'Escape' || !currentTarget.open) return;
  currentTarget.open = false;
  currentTarget.querySelector('summary')?.focus();
}

function AccountMenu({ user }: NavigationProps) {
  const { app } = text.value;
  const leave = useAction(() => signOut());
  const { path } = useLocation();
  return (
    // A navigation renders a new, closed menu.
    <details class="menu" key={path} onKeyDown={closeByEscape}>
      <summary>
        <span class="visually-hidden">{app.account}:</span>
        <span class="avatar" aria-hidden="true">
          {user.name.trim().slice(0, 1).toUpperCase()}
        </span>
        <span class="menu-label">{user.name}</span>
      </summary>
      <div class="menu-items">
        <p class="menu-user">
          <strong>{user.name}</strong>
          <br />
          {user.email}
        </p>
        <a href="/account">{app.account}</a>
        <Preferences />
        <Checkbox label={app.showApiCalls} isChecked={showsApiCalls.value} onChecked={showApiCalls} />
        <ErrorNotice error={leave.error} />
        <Button isBusy={leave.isRunning} onClick={() => leave.run()}>
          {app.signOut}
        </Button>
      </div>
    </details>
  );
}
