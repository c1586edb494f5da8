import type { AnyComponent } from 'preact';
import { lazy, Route, Router } from 'preact-iso';
import { exec } from 'preact-iso/router';
import { NotFound } from './layout/not-found.tsx';

const Videos = lazy(() => import('./videos/videos-page.tsx').then(({ VideosPage }) => VideosPage));
const Upload = lazy(() => import('./upload/upload-page.tsx').then(({ UploadPage }) => UploadPage));
const Account = lazy(() => import('./account/account-page.tsx').then(({ AccountPage }) => AccountPage));
const Templates = lazy(() => import('./templates/list/templates-page.tsx').then(({ TemplatesPage }) => TemplatesPage));
const NewTemplate = lazy(() =>
  import('./templates/editor/template-page.tsx').then(({ NewTemplatePage }) => NewTemplatePage),
);
const Template = lazy(() => import('./templates/editor/template-page.tsx').then(({ TemplatePage }) => TemplatePage));
const Ingests = lazy(() => import('./ingests/ingests-page.tsx').then(({ IngestsPage }) => IngestsPage));
const Storages = lazy(() => import('./storages/storages-page.tsx').then(({ StoragesPage }) => StoragesPage));
const Webhooks = lazy(() => import('./webhooks/webhooks-page.tsx').then(({ WebhooksPage }) => WebhooksPage));
const Webhook = lazy(() => import('./webhooks/webhook-page.tsx').then(({ WebhookPage }) => WebhookPage));
const Usage = lazy(() => import('./usage/usage-page.tsx').then(({ UsagePage }) => UsagePage));
const CaptionEditor = lazy(() =>
  import('./video/caption-editor/caption-editor-page.tsx').then(({ CaptionEditorPage }) => CaptionEditorPage),
);
const Video = lazy(() => import('./video/video-page.tsx').then(({ VideoPage }) => VideoPage));

const Administration = lazy(() =>
  import('./administration/overview-page.tsx').then(({ OverviewPage }) => OverviewPage),
);
const Users = lazy(() => import('./administration/users/users-page.tsx').then(({ UsersPage }) => UsersPage));
const Nodes = lazy(() => import('./administration/nodes/nodes-page.tsx').then(({ NodesPage }) => NodesPage));
const Node = lazy(() => import('./administration/nodes/node-page.tsx').then(({ NodePage }) => NodePage));
const SshKeys = lazy(() =>
  import('./administration/ssh-keys/ssh-keys-page.tsx').then(({ SshKeysPage }) => SshKeysPage),
);
const Queue = lazy(() => import('./administration/work/queue-page.tsx').then(({ QueuePage }) => QueuePage));
const Settings = lazy(() =>
  import('./administration/settings/settings-page.tsx').then(({ SettingsPage }) => SettingsPage),
);

/** The screens by the pattern of their path. Each is loaded when it is first shown. */
const screens = {
  '/': Videos,
  '/upload': Upload,
  '/upload/url': Ingests,
  '/storages': Storages,
  '/webhooks': Webhooks,
  '/webhooks/:ulid': Webhook,
  '/account': Account,
  '/templates': Templates,
  '/templates/new': NewTemplate,
  '/templates/:id': Template,
  '/usage': Usage,
  '/administration': Administration,
  '/administration/users': Users,
  '/administration/nodes': Nodes,
  '/administration/nodes/:id': Node,
  '/administration/ssh-keys': SshKeys,
  '/administration/queue': Queue,
  '/videos/:ulid': Video,
  '/videos/:ulid/captions/:language': CaptionEditor,
  '/administration/settings': Settings,
} as const;

export const Routes = () => (
  <Router>
    {Object.entries(screens).map(([path, screen]) => (
      <Route key={path} path={path} component={screen as AnyComponent} />
    ))}
    <Route default component={NotFound} />
  </Router>
);

/** Starts to load the screen of a path, which takes as long as the questions that come before it is shown. */
export function preloadScreen(path: string): void {
  const found = Object.entries(screens).find(([pattern]) => exec(path, pattern) !== undefined);
  // An error is shown when the screen is rendered.
  found?.[1].preload().catch(() => undefined);
}
