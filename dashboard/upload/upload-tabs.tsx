import { useLocation } from 'preact-iso';
import { text } from '../messages/messages.ts';

/** Leads from the upload of files to the import from URLs, and back. */
export function UploadTabs() {
  const { path } = useLocation();
  const messages = text.value.upload;
  return (
    <nav class="link-tabs" aria-label={messages.title}>
      {(['/upload', '/upload/url'] as const).map((href) => (
        <a key={href} class="nav-link" href={href} {...(path === href && { 'aria-current': 'page' })}>
          {messages.sources[href]}
        </a>
      ))}
    </nav>
  );
}
