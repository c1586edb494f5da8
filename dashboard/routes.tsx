import { lazy, Route, Router } from 'preact-iso';
import { NotFound } from './layout/not-found.tsx';

const Videos = lazy(() => import('./videos/videos-page.tsx').then(({ VideosPage }) => VideosPage));
const Upload = lazy(() => import('./upload/upload-page.tsx').then(({ UploadPage }) => UploadPage));
const Account = lazy(() => import('./account/account-page.tsx').then(({ AccountPage }) => AccountPage));
const Templates = lazy(() => import('./templates/list/templates-page.tsx').then(({ TemplatesPage }) => TemplatesPage));
const NewTemplate = lazy(() =>
  import('./templates/editor/template-page.tsx').then(({ NewTemplatePage }) => NewTemplatePage),
);
const Template = lazy(() => import('./templates/editor/template-page.tsx').then(({ TemplatePage }) => TemplatePage));
const Usage = lazy(() => import('./usage/usage-page.tsx').then(({ UsagePage }) => UsagePage));
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

/** Every screen is loaded when it is first shown. */
export const Routes = () => (
  <Router>
    <Route path="/" component={Videos} />
    <Route path="/upload" component={Upload} />
    <Route path="/account" component={Account} />
    <Route path="/templates" component={Templates} />
    <Route path="/templates/new" component={NewTemplate} />
    <Route path="/templates/:id" component={Template} />
    <Route path="/usage" component={Usage} />
    <Route path="/administration" component={Administration} />
    <Route path="/administration/users" component={Users} />
    <Route path="/administration/nodes" component={Nodes} />
    <Route path="/administration/nodes/:id" component={Node} />
    <Route path="/administration/ssh-keys" component={SshKeys} />
    <Route path="/administration/queue" component={Queue} />
    <Route path="/videos/:ulid" component={Video} />
    <Route path="/administration/settings" component={Settings} />
    <Route default component={NotFound} />
  </Router>
);
