import { lazy, Route, Router } from 'preact-iso';
import { NotFound } from './layout/not-found.tsx';

const Videos = lazy(() => import('./videos/videos-page.tsx').then(({ VideosPage }) => VideosPage));
const Upload = lazy(() => import('./upload/upload-page.tsx').then(({ UploadPage }) => UploadPage));
const Account = lazy(() => import('./account/account-page.tsx').then(({ AccountPage }) => AccountPage));
const Templates = lazy(() => import('./templates/templates-page.tsx').then(({ TemplatesPage }) => TemplatesPage));
const NewTemplate = lazy(() => import('./templates/template-page.tsx').then(({ NewTemplatePage }) => NewTemplatePage));
const Template = lazy(() => import('./templates/template-page.tsx').then(({ TemplatePage }) => TemplatePage));
const Usage = lazy(() => import('./usage/usage-page.tsx').then(({ UsagePage }) => UsagePage));

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
    <Route default component={NotFound} />
  </Router>
);
