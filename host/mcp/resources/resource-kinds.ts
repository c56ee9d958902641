import type { Operation } from '../../../core/operations/operation.ts';
import { listMachines, getMachine } from '../../../core/operations/machines/machines.ts';
import { getProvider, listProviders } from '../../../core/operations/providers/providers.ts';
import { listRequests, syncAndGetRequest } from '../../../core/operations/requests/requests.ts';
import { getTemplate, listTemplates } from '../../../core/operations/templates/templates.ts';

/** A kind of thing that can be read: all of them, and one by its id. */
export interface ResourceKind {
  readonly name: 'templates' | 'requests' | 'machines' | 'providers';
  readonly description: string;
  readonly list: Operation<any, any>;
  readonly get: Operation<any, any>;
  /** The input that names one. */
  readonly id: string;
  readonly preset?: Readonly<Record<string, unknown>>;
  readonly one: string;
}

export const resourceKinds: readonly ResourceKind[] = [
  {
    name: 'templates',
    description: 'The templates that machines can be asked from.',
    list: listTemplates,
    get: getTemplate,
    id: 'template_id',
    preset: { include_source: true },
    one: 'One template, with the files that its fields come from.',
  },
  {
    name: 'requests',
    description:
      'Requests for machines and returns that have not ended, newest first; with all_resources=true all of them.',
    list: listRequests,
    get: syncAndGetRequest,
    id: 'request_id',
    preset: { long: true },
    one: 'How a request or a return stands, with its machines.',
  },
  {
    name: 'machines',
    description: 'The machines that live, in the order of their creation.',
    list: listMachines,
    get: getMachine,
    id: 'machine_id',
    one: 'One machine.',
  },
  {
    name: 'providers',
    description: 'The provider instances, what they offer and how they are.',
    list: listProviders,
    get: getProvider,
    id: 'provider_name',
    one: 'One provider instance, with its configuration, limits and statistics.',
  },
];
