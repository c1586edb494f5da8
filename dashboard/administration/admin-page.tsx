import './administration.css';
import type { ComponentChildren } from 'preact';
import { useLocation } from 'preact-iso';
import { session } from '../api/current-user.ts';
import { PageTitle } from '../components/page-title.tsx';
import { text } from '../messages/messages.ts';

type AdminPageProps = {
  title: string;
  actions?: ComponentChildren;
  /** Rendered for administrators only. */
  children: ComponentChildren;
};

/** A page of the administration, with the links to the others. */
export function AdminPage({ title, actions, children }: AdminPageProps) {
  if (!session.value?.is_admin) return <Forbidden />;
  return (
    <>
      <PageTitle title={title}>{actions}</PageTitle>
      <AdminLinks />
      {children}
    </>
  );
}

function Forbidden() {
  const messages = text.value.administration;
  return (
    <>
      <PageTitle title={messages.forbiddenTitle} />
      <p>{messages.forbidden(session.value?.email ?? '')}</p>
      <p>
        <a href="/">{text.value.app.toVideos}</a>
      </p>
    </>
  );
}

const root = '/administration';

function AdminLinks() {
  const { path } = useLocation();
  const messages = text.value.administration;
  const links = [
    [root, messages.overview],
    [`${root}/users`, messages.users.title],
    [`${root}/nodes`, messages.nodes.title],
    [`${root}/ssh-keys`, messages.sshKeys.title],
    [`${root}/queue`, messages.queue.title],
    [`${root}/settings`, messages.settings.title],
  ] as const;
  const isCurrent = (href: string): boolean => (href === root ? path === root : path.startsWith(href));
  return (
    <nav class="admin-links" aria-label={messages.title}>
      {links.map(([href, label]) => (
        <a key={href} class="nav-link" href={href} {...(isCurrent(href) && { 'aria-current': 'page' })}>
          {label}
        </a>
      ))}
    </nav>
  );
}
