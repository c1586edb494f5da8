import { effect, signal } from '@preact/signals';
import { en, type Messages } from './en.ts';

export const languages = { en: 'English', de: 'Deutsch' } as const;
export type Language = keyof typeof languages;

const load: Record<Language, () => Promise<Messages>> = {
  en: async () => en,
  de: async () => (await import('./de.ts')).de,
};

const storageKey = 'language';

export const language = signal<Language>('en');

/** The messages in the language of the user. A component that reads it renders again when the language changes. */
export const text = signal<Messages>(en);

/** Uses the language that the user chose before, or else the first known one of the browser. */
export async function startLanguage(): Promise<void> {
  const wanted = [localStorage.getItem(storageKey), ...navigator.languages.map((tag) => tag.slice(0, 2))];
  await useLanguage(wanted.find(isLanguage) ?? 'en');
  effect(() => {
    document.documentElement.lang = language.value;
  });
}

export async function chooseLanguage(chosen: Language): Promise<void> {
  localStorage.setItem(storageKey, chosen);
  await useLanguage(chosen);
}

async function useLanguage(chosen: Language): Promise<void> {
  text.value = await load[chosen]();
  language.value = chosen;
}

const isLanguage = (tag: string | null): tag is Language => tag !== null && Object.hasOwn(languages, tag);
