import { useState } from 'preact/hooks';
import { app } from '../api/app.ts';
import { fieldErrors, hasFieldCode } from '../api/error-text.ts';
import { signIn, signUp } from '../api/session.ts';
import { useAction } from '../api/use-action.ts';
import { Button } from '../components/button.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { PasswordField, TextField } from '../components/field.tsx';
import { PageTitle } from '../components/page-title.tsx';
import { onSubmit } from '../components/submit.ts';
import { Preferences } from '../layout/preferences.tsx';
import { text } from '../messages/messages.ts';

/** What everyone sees who is not signed in, at every address. After the sign-in the page of the address is shown. */
export function SignIn() {
  const [isSigningUp, setIsSigningUp] = useState(false);
  const messages = text.value.signIn;
  return (
    <main class="sign-in" id="content">
      <p class="brand">
        <span class="mark" aria-hidden="true" />
        {text.value.app.name}
      </p>
      {isSigningUp ? <SignUpForm /> : <SignInForm />}
      {app().registration ? (
        <Button variant="quiet" onClick={() => setIsSigningUp(!isSigningUp)}>
          {isSigningUp ? messages.toSignIn : messages.toSignUp}
        </Button>
      ) : (
        <p class="hint">{messages.registrationOff}</p>
      )}
      <Preferences />
    </main>
  );
}

function SignInForm() {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const submit = useAction(() => signIn({ email, password }));
  // Not beside the address: the service does not say which of the two is wrong.
  const isRefused = hasFieldCode(submit.error, 'credentials');
  const errors = isRefused ? {} : fieldErrors(submit.error);
  const messages = text.value.signIn;
  return (
    <form onSubmit={onSubmit(() => submit.run())} noValidate>
      <PageTitle title={messages.title} />
      <TextField
        label={text.value.common.email}
        type="email"
        name="email"
        autocomplete="username"
        value={email}
        onValue={setEmail}
        errors={errors.email}
      />
      <PasswordField
        label={messages.password}
        name="password"
        autocomplete="current-password"
        value={password}
        onValue={setPassword}
        errors={errors.password}
      />
      {isRefused ? (
        <p class="notice notice-error" role="alert">
          {text.value.codes.fields.credentials('')}
        </p>
      ) : (
        <ErrorNotice error={Object.keys(errors).length > 0 ? undefined : submit.error} />
      )}
      <Button type="submit" variant="primary" isBusy={submit.isRunning}>
        {messages.submit}
      </Button>
    </form>
  );
}

function SignUpForm() {
  const [form, setForm] = useState({ name: '', email: '', password: '', password_confirmation: '' });
  const submit = useAction(() => signUp(form));
  const errors = fieldErrors(submit.error);
  const messages = text.value.signIn;
  const field = (name: keyof typeof form) => ({
    name,
    value: form[name],
    onValue: (value: string) => setForm((form) => ({ ...form, [name]: value })),
    errors: errors[name],
  });
  return (
    <form onSubmit={onSubmit(() => submit.run())} noValidate>
      <PageTitle title={messages.signUpTitle} />
      <TextField label={text.value.common.name} autocomplete="name" {...field('name')} />
      <TextField label={text.value.common.email} type="email" autocomplete="username" {...field('email')} />
      <PasswordField
        label={messages.password}
        hint={messages.passwordRule}
        autocomplete="new-password"
        {...field('password')}
      />
      <PasswordField label={messages.repeatPassword} autocomplete="new-password" {...field('password_confirmation')} />
      <ErrorNotice error={Object.keys(errors).length > 0 ? undefined : submit.error} />
      <Button type="submit" variant="primary" isBusy={submit.isRunning}>
        {messages.signUp}
      </Button>
    </form>
  );
}
