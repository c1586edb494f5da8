import { lazy, Route, Router } from 'preact-iso';
import { NotFound } from './layout/not-found.tsx';

const Videos = lazy(() => import('./videos/videos-page.tsx').then(({ VideosPage }) => VideosPage));
const Upload = lazy(() => import('./upload/upload-page.tsx').then(({ UploadPage }) => UploadPage));
const Account = lazy(() => import('./account/account-page.tsx').then(({ AccountPage }) => AccountPage));
const Usage = lazy(() => import('./usage/usage-page.tsx').then(({ UsagePage }) => UsagePage));

/** Every screen is loaded when it is first shown. */
export const Routes = () => (
  <Router>
    <Route path="/" component={Videos} />
    <Route path="/upload" component={Upload} />
    <Route path="/account" component={Account} />
    <Route path="/usage" component={Usage} />
    <Route default component={NotFound} />
  </Router>
);
