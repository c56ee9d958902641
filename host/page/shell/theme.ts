import { signal } from '@preact/signals';

export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

const key = 'muster.theme';

const stored = (): Theme => {
  try {
    const value = localStorage.getItem(key);
    return themes.find((each) => each === value) ?? 'system';
  } catch {
    // A browser that keeps nothing still shows the page.
    return 'system';
  }
};

/** The chosen theme; `system` follows the browser. */
export const theme = signal<Theme>(stored());

export function applyTheme(): void {
  const { dataset } = document.documentElement;
  if (theme.value === 'system') delete dataset['theme'];
  else dataset['theme'] = theme.value;
}

export function choose(next: Theme): void {
  theme.value = next;
  applyTheme();
  try {
    localStorage.setItem(key, next);
  } catch {
    // The choice then holds until the page is closed.
  }
}
