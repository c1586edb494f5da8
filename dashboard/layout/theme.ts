import { effect, signal } from '@preact/signals';

const themes = ['auto', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

const storageKey = 'theme';
const stored = localStorage.getItem(storageKey);

export const theme = signal<Theme>(themes.find((name) => name === stored) ?? 'auto');

export function chooseTheme(chosen: Theme): void {
  localStorage.setItem(storageKey, chosen);
  theme.value = chosen;
}

/** The style sheet selects its colours by `color-scheme`. */
export const startTheme = (): void =>
  void effect(() => {
    document.documentElement.style.colorScheme = theme.value === 'auto' ? 'light dark' : theme.value;
  });
