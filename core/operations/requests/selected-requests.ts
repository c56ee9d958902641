import { Type } from 'typebox';
import { ProviderSelection, type RequestRecord } from '../../model/request.ts';
import type { MachineRecord } from '../../model/machine.ts';
import { selectionRefusals } from '../../selection/select.ts';
import type { RequestDetail } from '../../contract/scheduler.ts';
import { p } from '../parameters.ts';
import { operation } from '../operation.ts';
import { requestMachines } from './request-machines.ts';

const iso = (at: number): string => new Date(at).toISOString();
const nullable = () => Type.Union([Type.String(), Type.Null()]);
const moment = Type.String({ format: 'date-time' });

export const createSelectedRequest = operation('CreateSelectedRequestCommand', {
  summary: 'Request machines with a preference for a provider instance, and get the selected instance.',
  input: Type.Object(
    {
      template_id: p.template_id,
      machine_count: { ...p.machine_count, aliases: ['count', 'requested_count', 'max_number'] },
      provider_preference: Type.Optional(p.provider_preference),
      additional_data: Type.Optional(p.additional_data),
      timeout: Type.Optional(p.timeout),
      tags: Type.Optional(p.tags),
      lease: Type.Optional(p.lease),
      names: Type.Optional(p.names),
      request_id: Type.Optional(p.new_request_id),
    },
    { additionalProperties: false },
  ),
  output: Type.Object({
    request_id: Type.String(),
    template_id: Type.String(),
    requested_count: Type.Integer(),
    provider_selection: Type.Object({
      provider_type: Type.String(),
      provider_instance: Type.String(),
      selection_reason: Type.String(),
      confidence: Type.Number(),
      alternatives: Type.Array(Type.String()),
      selection_time_ms: Type.Integer(),
    }),
    status: Type.String(),
    created_at: moment,
  }),
  refusals: ['TEMPLATE_NOT_FOUND', ...selectionRefusals, 'BUDGET_EXCEEDED', 'UNAVAILABLE'],
  rest: {
    method: 'POST',
    path: '/requests/',
    status: 201,
    limit: 'request',
    errors: 'error',
    omit: ['timeout', 'tags', 'request_id'],
    idempotent: true,
  },
  cli: {
    command: 'requests create-selected',
    args: ['template_id', 'machine_count'],
    example: 'muster requests create-selected small 3 --provider-preference provider_instance=east',
  },
  tells_status_word: true,
  leaves_work: true,
  async handle(input, services, { key }) {
    const { request } = await requestMachines(input, services, key);
    const { selected_instance: provider_instance = '' } = request;
    return {
      request_id: request.request_id,
      template_id: request.template_id ?? '',
      requested_count: request.machine_count,
      provider_selection: {
        provider_type: services.providers.instance(provider_instance)?.type ?? request.provider_type ?? '',
        provider_instance,
        ...selectionOf(request),
      },
      status: services.scheduler.statusWord?.(request) ?? request.status,
      created_at: iso(request.created_at),
    };
  },
});

const selectionOf = ({ provider_selection }: RequestRecord): ProviderSelection =>
  provider_selection ?? { selection_reason: '', confidence: 0, alternatives: [], selection_time_ms: 0 };

const Machine = Type.Object({
  machine_id: Type.String(),
  status: Type.String(),
  private_ip: nullable(),
  provider_instance: Type.String(),
  created_at: moment,
});

export const getRequestProvider = operation('GetRequestProviderQuery', {
  summary:
    'Show a request with its provider instance and the reason for its selection. The same shape for every scheduler.',
  input: Type.Object({ request_id: p.request_id }, { additionalProperties: false }),
  output: Type.Object({
    request_id: Type.String(),
    template_id: nullable(),
    requested_count: Type.Integer(),
    status: Type.String(),
    provider_type: nullable(),
    provider_instance: nullable(),
    machines: Type.Array(Machine),
    provider_selection: Type.Union([ProviderSelection, Type.Null()]),
    message: Type.String(),
    created_at: moment,
    completed_at: Type.Union([moment, Type.Null()]),
  }),
  refusals: ['REQUEST_NOT_FOUND'],
  rest: { method: 'GET', path: '/requests/{request_id}/provider', limit: 'provider', errors: 'error' },
  cli: { command: 'requests provider', args: ['request_id'], example: 'muster requests provider req-01a1b2c3' },
  async handle({ request_id }, { requestQueries }) {
    const { cache_key, load } = await requestQueries.status(request_id, true);
    return { cache_key, load: async () => answerOf(await load()) };
  },
});

function answerOf({ request, machines = [] }: RequestDetail) {
  return {
    request_id: request.request_id,
    template_id: request.template_id,
    requested_count: request.machine_count,
    status: request.status,
    provider_type: request.provider_type ?? null,
    provider_instance: request.provider_instance ?? null,
    machines: machines.map(machineView),
    provider_selection: request.provider_selection ?? null,
    message: request.message,
    created_at: iso(request.created_at),
    completed_at: request.completed_at === undefined ? null : iso(request.completed_at),
  };
}

const machineView = ({ machine_id, status, private_ip, provider_instance, created_at }: MachineRecord) => ({
  machine_id,
  status,
  private_ip: private_ip ?? null,
  provider_instance,
  created_at: iso(created_at),
});
