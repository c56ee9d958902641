import type { ComponentChildren } from 'preact';
import { Budgets } from '../views/budgets/budgets.tsx';
import { Capacity } from '../views/capacity/capacity.tsx';
import { Machines } from '../views/machines/machines.tsx';
import { Interruptions } from '../views/interruptions/interruptions.tsx';
import { Orphans } from '../views/orphans/orphans.tsx';
import { Providers } from '../views/providers/providers.tsx';
import { Templates } from '../views/templates/templates.tsx';
import { TemplateView } from '../views/templates/template-view.tsx';
import { NewTemplate } from '../views/new-template/new-template.tsx';
import { Now } from '../views/now/now.tsx';
import { Requests } from '../views/requests/requests.tsx';
import { RequestView } from '../views/request/request-view.tsx';
import { NotFound } from './not-found.tsx';

export interface ViewEntry {
  readonly title: string;
  readonly path: string;
}

/** The views of the navigation, in its order. */
export const views: readonly ViewEntry[] = [
  { title: 'Now', path: '/' },
  { title: 'Requests', path: '/requests' },
  { title: 'Machines', path: '/machines' },
  { title: 'Capacity', path: '/capacity' },
  { title: 'Providers', path: '/providers' },
  { title: 'Templates', path: '/templates' },
  { title: 'Budgets', path: '/budgets' },
  { title: 'Orphans', path: '/orphans' },
  { title: 'Interruptions', path: '/interruptions' },
];

/** The view of an address. */
export function viewOf(path: string): ComponentChildren {
  const [, section = '', ...rest] = path.split('/');
  const name = rest.length > 0 ? decodeURIComponent(rest.join('/')) : undefined;
  switch (section) {
    case '':
      return <Now />;
    case 'requests':
      return name === undefined ? <Requests /> : <RequestView key={name} id={name} />;
    case 'machines':
      return <Machines />;
    case 'capacity':
      return <Capacity />;
    case 'providers':
      return <Providers />;
    case 'templates':
      return name === undefined ? <Templates /> : <TemplateView key={name} id={name} />;
    case 'budgets':
      return <Budgets />;
    case 'new-template':
      return <NewTemplate />;
    case 'orphans':
      return <Orphans />;
    case 'interruptions':
      return <Interruptions />;
    default:
      return <NotFound />;
  }
}
