import { SelectField } from '../components/field.tsx';
import { chooseLanguage, type Language, language, languages, text } from '../messages/messages.ts';
import { chooseTheme, type Theme, theme } from './theme.ts';

/** Language and appearance. They are kept in this browser. */
export function Preferences() {
  const { app } = text.value;
  return (
    <div class="preferences">
      <SelectField
        label={app.language}
        value={language.value}
        onValue={(value) => void chooseLanguage(value as Language)}
        options={Object.entries(languages).map(([value, label]) => ({ value, label }))}
      />
      <SelectField
        label={app.theme}
        value={theme.value}
        onValue={(value) => chooseTheme(value as Theme)}
        options={Object.entries(app.themes).map(([value, label]) => ({ value, label }))}
      />
    </div>
  );
}
