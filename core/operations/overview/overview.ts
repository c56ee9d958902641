import { Type, type Static } from 'typebox';
import { machineStatuses } from '../../model/machine.ts';
import { requestStatuses, type RequestRecord } from '../../model/request.ts';
import { limitOf } from '../../model/template.ts';
import type { OverviewState, Use } from '../../requests/queries/overview.ts';
import { isoTime } from '../../schema/iso-time.ts';
import { operation } from '../operation.ts';

const nullable = () => Type.Union([Type.String(), Type.Null()]);

const OpenRequestView = Type.Object({
  request_id: Type.String(),
  kind: Type.Enum(['provision', 'return']),
  status: Type.Enum([...requestStatuses]),
  template_id: nullable(),
  provider_instance: nullable(),
  machine_count: Type.Integer(),
  delivered: Type.Integer({ description: 'Machines that are ready; of a return, machines that are gone.' }),
  message: Type.String(),
  created_at: Type.String(),
  deadline_at: Type.String(),
});

const ShortRequestView = Type.Object({
  request_id: Type.String(),
  status: Type.Enum([...requestStatuses]),
  template_id: nullable(),
  provider_instance: nullable(),
  machine_count: Type.Integer(),
  delivered: Type.Integer(),
  message: Type.String(),
  completed_at: nullable(),
});

const UseView = {
  allocated: Type.Integer({ description: 'Machines that live.' }),
  requested: Type.Integer({ description: 'Machines that open requests still wait for.' }),
};

const OverviewView = Type.Object({
  machines: Type.Record(Type.Enum([...machineStatuses]), Type.Integer(), { description: 'By status.' }),
  cost: Type.Object(
    {
      usd_per_hour: Type.Number({ description: 'US dollars an hour of the machines that live.' }),
      unpriced_machines: Type.Integer({ description: 'Machines without a known price, which the sum leaves out.' }),
    },
    { description: 'With tens of thousands of machines the sum may be half a minute old.' },
  ),
  open_requests: Type.Integer(),
  open_returns: Type.Integer(),
  open: Type.Array(OpenRequestView, { description: 'The 50 oldest open requests and returns.' }),
  short: Type.Array(ShortRequestView, {
    description: 'Up to 20 requests that ended in the last 24 hours with fewer machines than requested, latest first.',
  }),
  templates: Type.Array(
    Type.Object({
      template_id: Type.String(),
      ...UseView,
      limit: Type.Union([Type.Integer(), Type.Null()], { description: '`max_instances` of the template.' }),
    }),
    { description: 'Templates with machines or open requests.' },
  ),
  providers: Type.Array(Type.Object({ provider_instance: Type.String(), ...UseView })),
});

export const getOverview = operation('GetOverviewQuery', {
  summary:
    'Show what the broker is doing: machines by status, open requests, requests that fell short, and the use of templates and instances.',
  input: Type.Object({}, { additionalProperties: false }),
  output: OverviewView,
  rest: { method: 'GET', path: '/brokers/overview', limit: 'read' },
  cli: { command: 'brokers overview', example: 'muster brokers overview' },
  async handle(_input, { overview, templateLibrary, providers }) {
    const templates = templateLibrary.list().items.map(({ template }) => template.template_id);
    const instances = providers.instances.map(({ name }) => name);
    const { cache_key, load } = await overview.read(templates, instances);
    const limits = (template_id: string) => templateLibrary.find(template_id)?.max_instances;
    return {
      cache_key: `${cache_key}:${templates.map(limits).join(' ')}`,
      load: async () => viewOf(await load(), (template_id) => limitIn(templateLibrary.find(template_id))),
    };
  },
});

const limitIn = (template: Parameters<typeof limitOf>[0] | undefined): number | null => {
  const limit = template === undefined ? Infinity : limitOf(template);
  return Number.isFinite(limit) ? limit : null;
};

function viewOf(state: OverviewState, limit: (template_id: string) => number | null): Static<typeof OverviewView> {
  const { machines, cost, open_requests, open_returns, open, short, templates, instances } = state;
  return {
    machines: { ...machines },
    cost,
    open_requests,
    open_returns,
    open: open.map(({ request, delivered }) => ({
      ...named(request),
      kind: request.kind,
      delivered,
      created_at: isoTime(request.created_at),
      deadline_at: isoTime(request.deadline_at),
    })),
    short: short.map((request) => ({
      ...named(request),
      delivered: request.delivered,
      completed_at: request.completed_at === undefined ? null : isoTime(request.completed_at),
    })),
    templates: [...templates]
      .filter(([, use]) => isUsed(use))
      .map(([template_id, use]) => ({ template_id, ...use, limit: limit(template_id) })),
    providers: [...instances].map(([provider_instance, use]) => ({ provider_instance, ...use })),
  };
}

const isUsed = ({ allocated, requested }: Use): boolean => allocated + requested > 0;

const named = ({ request_id, status, template_id, provider_instance, machine_count, message }: RequestRecord) => ({
  request_id,
  status,
  template_id,
  provider_instance: provider_instance ?? null,
  machine_count,
  message,
});
