import { useSignal } from '@preact/signals';
import { connection } from '../api/live.ts';
import { prefix } from '../api/place.ts';
import { useAnswer } from '../api/use-answer.ts';
import { address, linkTo } from '../parts/address.ts';
import { LostBanner } from '../parts/lost-banner.tsx';
import { hasControls } from '../parts/mode.ts';
import { Shape, type Mark } from '../parts/state-mark.tsx';
import { choose, theme, themes } from './theme.ts';
import { viewOf, views } from './views.tsx';

export function App() {
  const { path } = address.value;
  return (
    <div class="frame">
      <a class="skip" href="#main" onClick={toMain}>
        Skip to the content
      </a>
      <Side path={path} />
      <div class="stage">
        <LostBanner />
        <main id="main" tabIndex={-1}>
          {viewOf(path)}
        </main>
      </div>
    </div>
  );
}

function toMain(event: Event): void {
  event.preventDefault();
  document.querySelector<HTMLElement>('#main')?.focus();
}

function Side({ path }: { readonly path: string }) {
  const open = useSignal(false);
  const here = views.findLast((view) =>
    view.path === '/' ? path === '/' : path === view.path || path.startsWith(`${view.path}/`),
  );
  return (
    <header class="side">
      <div class="side-top">
        <a class="wordmark" href={linkTo('/')}>
          <svg viewBox="0 0 16 16" width="18" height="18" aria-hidden="true">
            <path d="M1 1h6v6H1zM9 1h6v6H9zM1 9h6v6H1z" />
            <path d="M9.8 9.8h4.4v4.4H9.8z" class="mark-line" />
          </svg>
          muster
        </a>
        <Connection />
        <button
          type="button"
          class="button small menu"
          aria-expanded={open.value}
          aria-controls="views"
          onClick={() => (open.value = !open.value)}
        >
          {here?.title ?? 'Views'} ▾
        </button>
      </div>
      <nav
        id="views"
        aria-label="Views"
        class={open.value ? 'views open' : 'views'}
        onClick={() => (open.value = false)}
      >
        <ul>
          {views.map((view) => (
            <li key={view.path}>
              <a href={linkTo(view.path)} aria-current={view === here ? 'page' : undefined}>
                {view.title}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <Foot />
    </header>
  );
}

const connections = {
  connecting: ['waiting', 'Connecting'],
  live: ['good', 'Live'],
  lost: ['bad', 'Lost'],
} as const satisfies Record<string, readonly [Mark, string]>;

function Connection() {
  const { state } = connection.value;
  const [mark, word] = connections[state];
  return (
    <span
      class={`connection connection-${state}`}
      title={state === 'live' ? 'Changes arrive as they happen.' : undefined}
    >
      <Shape mark={mark} />
      {word}
    </span>
  );
}

interface Info {
  readonly version: string;
  readonly storage: string;
}

function Foot() {
  const info = useAnswer<Info>(`${prefix}/info`);
  return (
    <footer class="foot">
      {hasControls ? null : <p>Read only: this page shows no controls.</p>}
      <label class="theme">
        <span>Theme</span>
        <select
          value={theme.value}
          onChange={({ currentTarget }) => choose(currentTarget.value as (typeof themes)[number])}
        >
          {themes.map((each) => (
            <option key={each} value={each}>
              {each}
            </option>
          ))}
        </select>
      </label>
      <p class="quiet">
        {info.value.value ? `${info.value.value.version} · ${info.value.value.storage}` : ' '}
        <br />
        <a href={`${prefix}/docs`}>REST reference</a>
      </p>
    </footer>
  );
}
