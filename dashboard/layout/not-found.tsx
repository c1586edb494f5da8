import { PageTitle } from '../components/page-title.tsx';
import { text } from '../messages/messages.ts';

export function NotFound() {
  const { app } = text.value;
  return (
    <>
      <PageTitle title={app.notFoundTitle} />
      <p>{app.notFound}</p>
      <p>
        <a href="/">{app.toVideos}</a>
      </p>
    </>
  );
}
