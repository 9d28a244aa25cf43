import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { forgetKey, keptKey } from '../api';
import { route, section } from '../router';
import { session, trouble } from '../session';
import { chooseTheme, theme, type Theme } from '../theme';
import { Icon, type IconName } from './icons';
import { startTour } from './tour';

interface Link {
  to: string;
  label: string;
  icon: IconName;
}

const GROUPS: { title: string; links: Link[] }[] = [
  {
    title: 'Watch',
    links: [
      { to: 'live', label: 'Live', icon: 'live' },
      { to: 'matches', label: 'Matches', icon: 'matches' },
      { to: 'map', label: 'Map', icon: 'map' },
      { to: 'timeline', label: 'Timeline', icon: 'timeline' },
    ],
  },
  {
    title: 'Ask',
    links: [
      { to: 'subscriptions', label: 'Subscriptions', icon: 'subscriptions' },
      { to: 'knowledge', label: 'Knowledge', icon: 'knowledge' },
    ],
  },
  {
    title: 'Inside',
    links: [
      { to: 'plan', label: 'Plan', icon: 'plan' },
      { to: 'dead-letters', label: 'Dead letters', icon: 'letters' },
    ],
  },
];

/** The frame around every page: navigation, who we are, the theme. */
export function Shell({ children }: { children: ComponentChildren }) {
  const [isOpen, setOpen] = useState(false);
  const path = route.value.path;
  useEffect(() => setOpen(false), [path]);
  return (
    <div class={isOpen ? 'shell nav-open' : 'shell'}>
      <a class="skip" href="#main" onClick={skipToMain}>
        Skip to the page
      </a>
      <header class="bar">
        <button class="icon-button" aria-expanded={isOpen} aria-controls="nav" onClick={() => setOpen(!isOpen)}>
          <Icon name={isOpen ? 'close' : 'menu'} />
          <span class="sr-only">Menu</span>
        </button>
        <Brand />
      </header>
      <nav id="nav" class="nav" aria-label="Pages">
        <Brand />
        <a class="button primary nav-new" href="#/new" data-tour="new">
          <Icon name="plus" size={16} /> New subscription
        </a>
        {GROUPS.map((group) => (
          <div class="nav-group" key={group.title}>
            <p class="nav-title">{group.title}</p>
            <ul>
              {group.links.map((link) => (
                <NavLink key={link.to} {...link} />
              ))}
            </ul>
          </div>
        ))}
        <Foot />
      </nav>
      <main id="main" class="main" tabIndex={-1}>
        {trouble.value && (
          <div class="note note-bad" role="alert">
            <strong>{trouble.value.code}</strong>
            <span>{trouble.value.detail}</span>
            {trouble.value.hint && <span class="hint">{trouble.value.hint}</span>}
          </div>
        )}
        {children}
      </main>
    </div>
  );
}

function skipToMain(event: Event): void {
  event.preventDefault();
  document.getElementById('main')?.focus();
}

function Brand() {
  return (
    <a class="brand" href="#/live">
      <span class="brand-mark">
        <Icon name="bell" size={18} />
      </span>
      Tocsin
    </a>
  );
}

function NavLink({ to, label, icon }: Link) {
  const isHere = section.value === to;
  return (
    <li>
      <a href={`#/${to}`} class="nav-link" aria-current={isHere ? 'page' : undefined} data-tour={to}>
        <Icon name={icon} /> {label}
      </a>
    </li>
  );
}

const THEMES: { value: Theme; label: string; icon: IconName }[] = [
  { value: 'auto', label: 'As the system', icon: 'auto' },
  { value: 'light', label: 'Light', icon: 'sun' },
  { value: 'dark', label: 'Dark', icon: 'moon' },
];

function Foot() {
  const who = session.value;
  return (
    <div class="nav-foot">
      <div class="segments" role="group" aria-label="Theme">
        {THEMES.map((each) => (
          <button
            key={each.value}
            class="segment"
            aria-pressed={theme.value === each.value}
            title={each.label}
            onClick={() => chooseTheme(each.value)}
          >
            <Icon name={each.icon} size={15} />
            <span class="sr-only">{each.label}</span>
          </button>
        ))}
      </div>
      {who && (
        <p class="who">
          <span>
            {who.tenant || 'all tenants'} · {who.engine}
          </span>
          <span class="muted">version {who.version}</span>
        </p>
      )}
      {keptKey() && (
        <button class="link" onClick={signOut}>
          Forget the key
        </button>
      )}
      <button class="link small" onClick={startTour}>
        Guided tour
      </button>
      <a class="small" href="./docs">
        HTTP API
      </a>
    </div>
  );
}

function signOut(): void {
  forgetKey();
  location.reload();
}
