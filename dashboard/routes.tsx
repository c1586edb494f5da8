import { lazy, Route, Router } from 'preact-iso';
import { NotFound } from './layout/not-found.tsx';

const Videos = lazy(() => import('./videos/videos-page.tsx').then(({ VideosPage }) => VideosPage));
const Upload = lazy(() => import('./upload/upload-page.tsx').then(({ UploadPage }) => UploadPage));

/** Every screen is loaded when it is first shown. */
export const Routes = () => (
  <Router>
    <Route path="/" component={Videos} />
    <Route path="/upload" component={Upload} />
    <Route default component={NotFound} />
  </Router>
);
