import { Type } from 'typebox';
import { machineStatuses, type MachineStatus } from '../../model/machine.ts';
import { marketOfWord } from '../../model/market.ts';
import { byCreation } from '../../requests/queries/machine-order.ts';
import type { Query } from '../../contract/storage.ts';
import { p } from '../parameters.ts';
import { healthSentence, isHealthy } from './machine-health.ts';
import { MachineView, machineView } from './machine-views.ts';
import { operation } from '../operation.ts';
import { paging, sortBy, sorting } from '../paging.ts';

const sortable = [
  'created_at',
  'gone_at',
  'status',
  'template_id',
  'request_id',
  'provider_instance',
  'market',
  'machine_id',
  'name',
] as const;

export const listMachines = operation('ListMachinesQuery', {
  summary: 'List machines by creation, then by id. Without `status`: those that are not gone.',
  input: Type.Object(
    {
      status: Type.Optional(
        Type.Enum([...machineStatuses] as [MachineStatus, ...MachineStatus[]], {
          description: 'Only machines in this state.',
        }),
      ),
      request_id: Type.Optional(p.request_id),
      template_id: Type.Optional(p.template_id),
      provider_instance: Type.Optional(p.of_instance),
      market: Type.Optional(p.market),
      all_resources: Type.Optional(
        Type.Boolean({
          default: false,
          description: 'Include machines that are gone. Has no effect together with `status`.',
        }),
      ),
      limit: Type.Optional(p.limit),
      offset: Type.Optional(p.offset),
      page: Type.Optional(p.page),
      page_size: Type.Optional(p.page_size),
      sort: sortBy(sortable),
    },
    { additionalProperties: false },
  ),
  output: Type.Object({ machines: Type.Array(MachineView), count: Type.Integer(), total_count: Type.Integer() }),
  rest: { method: 'GET', path: '/inventory/', limit: 'read' },
  cli: { command: 'machines list', example: 'muster machines list --request-id req-01a1b2c3' },
  async handle(input, { inventory, clock }) {
    const { status, request_id, template_id, provider_instance, market, all_resources } = input;
    const where = {
      ...(status === undefined ? {} : { status }),
      ...(request_id === undefined ? {} : { request_id }),
      ...(template_id === undefined ? {} : { template_id }),
      ...(provider_instance === undefined ? {} : { provider_instance }),
      ...(market === undefined ? {} : { market: marketOfWord(market) }),
      ...(all_resources || status !== undefined ? {} : { gone_at: null }),
    };
    const sorted = sorting(input.sort, sortable);
    const query: Query<'machine'> = { where, order: sorted ? [sorted] : byCreation, ...paging(input, 50) };
    const { items, total_count } = await inventory.list(query);
    return { machines: items.map((machine) => machineView(machine, clock.now())), count: items.length, total_count };
  },
});

export const getMachine = operation('GetMachineQuery', {
  summary: 'Show one machine.',
  input: Type.Object({ machine_id: p.machine_id }, { additionalProperties: false }),
  output: Type.Object({ machine: MachineView }),
  refusals: ['MACHINE_NOT_FOUND', 'CONFLICT'],
  rest: { method: 'GET', path: '/inventory/{machine_id}', limit: 'read' },
  cli: { command: 'machines show', args: ['machine_id'], example: 'muster machines show i-09227c8720e055176' },
  async handle({ machine_id }, { inventory, clock }) {
    return { machine: machineView(await inventory.get(machine_id), clock.now()) };
  },
});

export const getActiveMachineCount = operation('GetActiveMachineCountQuery', {
  summary: 'Count the living machines, and the machines in each state.',
  input: Type.Object({}, { additionalProperties: false }),
  output: Type.Object({ active_count: Type.Integer(), by_status: Type.Record(Type.String(), Type.Integer()) }),
  cli: { command: 'machines count', example: 'muster machines count' },
  async handle(_, { inventory }) {
    const by_status = await inventory.counts();
    return { active_count: by_status.pending + by_status.running, by_status: { ...by_status } };
  },
});

export const getMachineHealth = operation('GetMachineHealthQuery', {
  summary: 'Whether a machine is usable, according to the last report of the provider.',
  input: Type.Object({ machine_id: p.machine_id }, { additionalProperties: false }),
  output: Type.Object({
    machine_id: Type.String(),
    status: Type.String(),
    healthy: Type.Boolean({
      description: 'The machine runs, is usable, and is neither released, reclaimed nor replaced.',
    }),
    message: Type.String(),
    provider_instance: Type.String(),
    provider_healthy: Type.Boolean({
      description: 'False: the provider instance does not answer, so the report is old.',
    }),
    reclaim_at: Type.Union([Type.String(), Type.Null()]),
  }),
  refusals: ['MACHINE_NOT_FOUND', 'CONFLICT'],
  cli: { command: 'machines health', args: ['machine_id'], example: 'muster machines health i-09227c8720e055176' },
  async handle({ machine_id: name }, { inventory, providers }) {
    const machine = await inventory.get(name);
    const { machine_id, status, reclaim_at, provider_instance } = machine;
    return {
      machine_id,
      status,
      healthy: isHealthy(machine),
      message: healthSentence(machine),
      provider_instance,
      provider_healthy: providers.health(provider_instance).status !== 'unhealthy',
      reclaim_at: reclaim_at ?? null,
    };
  },
});

export const listReclaimedMachines = operation('ListReclaimedMachinesQuery', {
  summary:
    'List those of the named machines that the cloud reclaims or has reclaimed, or whose lease ends, with the seconds left.',
  input: Type.Object(
    {
      machine_ids: Type.Optional(
        Type.Array(Type.String({ minLength: 1, maxLength: 255 }), { maxItems: 10_000, description: 'Machine ids.' }),
      ),
      names: Type.Optional(
        Type.Array(Type.String({ minLength: 1, maxLength: 255 }), { maxItems: 10_000, description: 'Host names.' }),
      ),
    },
    { additionalProperties: false },
  ),
  output: 'reclaims',
  rest: { method: 'POST', path: '/machines/reclaimed', limit: 'provider' },
  cli: {
    command: 'machines reclaimed',
    args: ['machine_ids'],
    example: 'muster machines reclaimed i-09227c8720e055176',
  },
  handle: ({ machine_ids = [], names = [] }, { inventory }) => inventory.reclaimed(machine_ids, names),
});
