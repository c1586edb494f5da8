import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { ErrorBoundary } from 'preact-iso';
import { Button } from '../components/button.tsx';
import { PageTitle } from '../components/page-title.tsx';
import { text } from '../messages/messages.ts';
import { reload } from './new-version.ts';

type ScreenProps = { children: ComponentChildren };

/** Shows an error of a screen instead of an empty page. */
export function Screen({ children }: ScreenProps) {
  const [hasFailed, setHasFailed] = useState(false);
  const { app } = text.value;
  if (hasFailed) {
    return (
      <>
        <PageTitle title={app.pageFailed} />
        <Button onClick={() => location.reload()}>{app.reload}</Button>
      </>
    );
  }
  return (
    <ErrorBoundary
      onError={(error) => {
        console.error(error);
        // The file of a screen is gone after a deployment.
        if (error instanceof TypeError && /import/i.test(error.message)) reload();
        setHasFailed(true);
      }}
    >
      {children}
    </ErrorBoundary>
  );
}
