import './styles/tokens.css';
import './styles/base.css';
import './styles/components.css';
import './styles/layout.css';
import { render } from 'preact';
import { LocationProvider } from 'preact-iso';
import { PasswordQuestion } from './account/password-question.tsx';
import { SignIn } from './account/sign-in.tsx';
import { loadApp } from './api/app.ts';
import { session } from './api/current-user.ts';
import { loadSession } from './api/session.ts';
import { Announcer } from './components/announcer.tsx';
import { Banners } from './layout/banners.tsx';
import { Navigation } from './layout/navigation.tsx';
import { watchVersion } from './layout/new-version.ts';
import { Screen } from './layout/screen.tsx';
import { StartFailed } from './layout/start-failed.tsx';
import { startTheme } from './layout/theme.ts';
import { startLanguage, text } from './messages/messages.ts';
import { preloadScreen, Routes } from './routes.tsx';

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

function App() {
  const user = session.value;
  return (
    <LocationProvider>
      <a class="skip-link" href="#content">
        {text.value.app.skipToContent}
      </a>
      <Banners />
      {user ? (
        <>
          <Navigation user={user} />
          <main id="content" class="content" tabIndex={-1}>
            <Screen>
              <Routes />
            </Screen>
          </main>
          <PasswordQuestion />
        </>
      ) : (
        <SignIn />
      )}
      <Announcer />
    </LocationProvider>
  );
}
