import { LocationProvider } from 'preact-iso';
import { SignIn } from './account/sign-in.tsx';
import { session } from './api/current-user.ts';
import { Announcer } from './components/announcer.tsx';
import { Banners } from './layout/banners.tsx';
import { Navigation } from './layout/navigation.tsx';
import { Screen } from './layout/screen.tsx';
import { text } from './messages/messages.ts';
import { Routes } from './routes.tsx';

export function App() {
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
        </>
      ) : (
        <SignIn />
      )}
      <Announcer />
    </LocationProvider>
  );
}
