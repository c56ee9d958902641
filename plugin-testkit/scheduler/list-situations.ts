import {
  requestStatuses,
  type ListOf,
  type Reclaimed,
  type RequestDetail,
  type TemplateDetail,
} from '../../core/index.ts';
import { deepFrozen } from './deep-frozen.ts';
import {
  provisionRequest,
  returnRequest,
  at,
  machineType,
  oddNames,
  requests,
  returns,
  type Situations,
} from './situations.ts';

const listOf = <T>(items: readonly T[], given: Partial<ListOf<T>> = {}): ListOf<T> => ({
  items,
  total_count: items.length,
  at,
  ...given,
});

/** Lists of requests. */
export const lists: Situations<ListOf<RequestDetail>> = deepFrozen({
  'an empty list': listOf([]),
  'part of a list': listOf([{ request: provisionRequest() }, { request: returnRequest() }], {
    total_count: 70,
    filters: { status: 'pending' },
  }),
  'a list of all that there is': listOf([...Object.values(requests), ...Object.values(returns)]),
  'a list of a thousand': listOf(
    Array.from({ length: 1_000 }, (_, i) => ({
      request: provisionRequest({
        request_id: `req-${i}`,
        status: requestStatuses[i % requestStatuses.length] ?? 'pending',
      }),
    })),
  ),
});

const rich: TemplateDetail = {
  template: {
    template_id: 'rich.1',
    name: oddNames.join(' '),
    description: 'A "rich" one.',
    version: '1.0',
    provider_api: 'RunInstances',
    provider_type: 'cloud',
    provider_name: 'east',
    max_instances: 0,
    image_id: 'ami-1',
    subnet_ids: ['subnet-1', 'subnet-2'],
    security_group_ids: [],
    tags: { a: '1;2', 'b=c': 'd e' },
    attributes: { ncpus: ['Numeric', '4'], rack: 'a' },
    timeout: 60,
    machine_types: { 't3.small': 1, 't3.large': 2 },
    an_unknown_field: { deep: [null, 1, 'two'] },
  },
  machine_type: machineType,
  available: 3,
};

/** Lists of templates. */
export const templateLists: Situations<ListOf<TemplateDetail>> = deepFrozen({
  'an empty list': listOf([]),
  'a filtered list': listOf([{ template: { template_id: 'small' } }], {
    total_count: 3,
    filters: { provider_api: 'RunInstances' },
  }),
  'templates with little and with much': listOf([
    { template: { template_id: 'small' } },
    rich,
    { ...rich, available: 0 },
  ]),
  'a list of a thousand': listOf(
    Array.from({ length: 1_000 }, (_, i) => ({ template: { template_id: `t-${i}`, machine_type: 't3.small' } })),
  ),
});

/** Machines that the cloud reclaims. */
export const reclaims: Situations<readonly Reclaimed[]> = deepFrozen({
  none: [],
  'some, with and without a name': [
    { machine_id: 'i-1', reason: 'spot', grace_period_s: 90 },
    { machine_id: 'i-2', name: oddNames[1] ?? '', reason: 'it is "gone"', grace_period_s: 0 },
    ...oddNames.map((name, i) => ({ machine_id: `i-${i + 3}`, name, reason: name, grace_period_s: i })),
  ],
  'a thousand': Array.from({ length: 1_000 }, (_, i) => ({
    machine_id: `i-${i}`,
    name: `host-${i}`,
    reason: 'spot',
    grace_period_s: 120,
  })),
});
