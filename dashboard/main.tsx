import './styles/tokens.css';
import './styles/base.css';
import './styles/components.css';
import './styles/layout.css';
import { render } from 'preact';
import { loadApp } from './api/app.ts';
import { loadSession } from './api/session.ts';
import { App } from './app.tsx';
import { watchVersion } from './layout/new-version.ts';
import { StartFailed } from './layout/start-failed.tsx';
import { startTheme } from './layout/theme.ts';
import { startLanguage } from './messages/messages.ts';
import { preloadScreen } from './routes.tsx';

const root = document.getElementById('app')!;

async function start(): Promise<void> {
  startTheme();
  preloadScreen(location.pathname);
  try {
    await Promise.all([startLanguage(), loadApp(), loadSession()]);
  } catch (error) {
    console.error(error);
    render(<StartFailed error={error} />, root);
    return;
  }
  render(<App />, root);
  watchVersion();
}

void start();
