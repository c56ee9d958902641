import { signal, type ReadonlySignal } from '@preact/signals';
import { prefix } from '../api/place.ts';

/** Where the page is: the path below /ui, and the query, which holds filters. */
export interface Address {
  readonly path: string;
  readonly query: URLSearchParams;
}

const base = `${prefix}/ui`;

const present = (): Address => ({
  path: location.pathname
    .slice(base.length)
    .replace(/^\/?/, '/')
    .replace(/(.)\/$/, '$1'),
  query: new URLSearchParams(location.search),
});

const addressSignal = signal(present());
export const address: ReadonlySignal<Address> = addressSignal;

/** The address of a view as a link has it. */
export const linkTo = (path: string): string => `${base}${path}`;

export const linkToRequest = (request_id: string): string => linkTo(`/requests/${encodeURIComponent(request_id)}`);
export const linkToTemplate = (template_id: string): string => linkTo(`/templates/${encodeURIComponent(template_id)}`);

/** Goes to an address of the page. `replace`: without an entry in the history, as for a filter that is typed. */
export function goTo(link: string, { replace = false } = {}): void {
  const before = addressSignal.peek().path;
  history[replace ? 'replaceState' : 'pushState'](undefined, '', link);
  addressSignal.value = present();
  if (addressSignal.peek().path !== before) arrive();
}

/** Sets fields of the query; an empty value removes its field. */
export function setQuery(fields: Readonly<Record<string, string>>): void {
  const { path, query } = addressSignal.peek();
  const next = new URLSearchParams(query);
  for (const [name, value] of Object.entries(fields)) {
    if (value === '') next.delete(name);
    else next.set(name, value);
  }
  const text = next.toString();
  goTo(`${linkTo(path)}${text ? `?${text}` : ''}`, { replace: true });
}

/** A screen reader reads the heading of the view that was opened, and the keyboard goes on from there. */
function arrive(): void {
  scrollTo(0, 0);
  requestAnimationFrame(() => document.querySelector<HTMLElement>('h1')?.focus({ preventScroll: true }));
}

/** Lets links to other views of the page change the view without loading the page again. */
export function followLinks(): void {
  addEventListener('popstate', () => {
    addressSignal.value = present();
  });
  document.addEventListener('click', (event) => {
    const link = (event.target as Element | null)?.closest('a');
    if (!link || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.defaultPrevented)
      return;
    const { origin, pathname, search } = new URL(link.href);
    if (origin !== location.origin || !`${pathname}/`.startsWith(`${base}/`) || link.hash) return;
    event.preventDefault();
    goTo(`${pathname}${search}`);
  });
}
