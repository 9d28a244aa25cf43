import { signal } from '@preact/signals';

export type Theme = 'auto' | 'light' | 'dark';

const KEPT = 'tocsin.theme';
const DARK = matchMedia('(prefers-color-scheme: dark)');

export const theme = signal<Theme>(keptTheme());

/** Rises when colours changed: a canvas reads it in order to be drawn again. */
export const themeChanges = signal(0);

DARK.addEventListener('change', () => themeChanges.value++);

function keptTheme(): Theme {
  const kept = localStorage.getItem(KEPT);
  return kept === 'light' || kept === 'dark' ? kept : 'auto';
}

/** Puts the theme on the page; `auto` follows the system. */
export function applyTheme(): void {
  const root = document.documentElement;
  if (theme.value === 'auto') delete root.dataset.theme;
  else root.dataset.theme = theme.value;
}

export function chooseTheme(chosen: Theme): void {
  theme.value = chosen;
  localStorage.setItem(KEPT, chosen);
  applyTheme();
  themeChanges.value++;
}

export function isDark(): boolean {
  return theme.value === 'dark' || (theme.value === 'auto' && DARK.matches);
}

let probe: HTMLElement | null = null;

/** The colour of a variable such as `--accent` as it is now, for drawing on a canvas. */
export function themeColor(variable: string): string {
  if (!probe) {
    probe = document.createElement('span');
    probe.hidden = true;
    document.body.append(probe);
  }
  probe.style.color = `var(${variable})`;
  return getComputedStyle(probe).color;
}
