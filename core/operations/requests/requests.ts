import { Type } from 'typebox';
import type { Query } from '../../contract/storage.ts';
import { selectionRefusals } from '../../selection/select.ts';
import { p } from '../parameters.ts';
import { operation } from '../operation.ts';
import { paging, sortBy, sorting } from '../paging.ts';
import { requestMachines } from './request-machines.ts';
import { defaultTimeoutS } from '../../model/request.ts';

const sortable = [
  'created_at',
  'completed_at',
  'status',
  'template_id',
  'machine_count',
  'provider_instance',
  'request_id',
] as const;

export const createRequest = operation('CreateRequestCommand', {
  summary:
    'Request machines of a template. Answers as soon as the request is stored; read its status for the progress.',
  input: Type.Object(
    {
      template_id: p.template_id,
      machine_count: p.machine_count,
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
  output: 'requested',
  refusals: ['TEMPLATE_NOT_FOUND', ...selectionRefusals, 'BUDGET_EXCEEDED', 'UNAVAILABLE'],
  rest: {
    method: 'POST',
    path: '/machines/request',
    limit: 'request',
    omit: ['provider_preference', 'request_id'],
    idempotent: true,
  },
  cli: {
    command: 'requests create',
    args: ['template_id', 'machine_count'],
    example: 'muster requests create small 3 --wait',
  },
  leaves_work: true,
  handle: (input, services, { key }) => requestMachines(input, services, key),
});

export const createReturnRequest = operation('CreateReturnRequestCommand', {
  summary:
    'Return machines. They are released and not replaced. Machines that are already gone are no error; a machine that is held is refused, unless `force_return`.',
  input: Type.Object(
    {
      machine_ids: p.machine_ids,
      force_return: Type.Optional(
        Type.Boolean({ default: false, description: 'Return also machines that a caller holds.' }),
      ),
      timeout: Type.Optional(p.timeout),
    },
    { additionalProperties: false },
  ),
  output: 'returned',
  refusals: ['MACHINE_NOT_FOUND', 'CONFLICT'],
  rest: {
    method: 'POST',
    path: '/machines/return',
    limit: 'request',
    omit: ['force_return', 'timeout'],
    idempotent: true,
  },
  cli: {
    command: 'machines return',
    args: ['machine_ids'],
    example: 'muster machines return i-09227c8720e055176 --wait',
  },
  leaves_work: true,
  destructive: true,
  async handle({ machine_ids, timeout, force_return = false }, { requests }, { key }) {
    return requests.returnMachines(machine_ids, timeout ?? defaultTimeoutS, {
      force: force_return,
      ...(key ? { key } : {}),
    });
  },
});

export const cancelRequest = operation('CancelRequestCommand', {
  summary: 'Cancel a request that is still in progress. All its machines are released.',
  input: Type.Object({ request_id: p.request_id, reason: Type.Optional(p.reason) }, { additionalProperties: false }),
  output: 'status',
  refusals: ['REQUEST_NOT_FOUND', 'CONFLICT'],
  rest: { method: 'DELETE', path: '/requests/{request_id}', status: 202, limit: 'request' },
  cli: {
    command: 'requests cancel',
    args: ['request_id'],
    example: 'muster requests cancel req-01a1b2c3 --reason "no longer needed"',
  },
  leaves_work: true,
  destructive: true,
  repeatable: true,
  async handle({ request_id, reason }, { requestCommands, requestQueries }) {
    await requestCommands.cancel(request_id, reason);
    return requestQueries.status(request_id, false);
  },
});

export const syncAndGetRequest = operation('SyncAndGetRequestQuery', {
  summary:
    'Show the status of a request with its machines. Never waits for the cloud; `observed_at` tells how old the state of an open request is.',
  input: Type.Object(
    {
      request_id: p.request_id,
      long: Type.Optional({ ...p.long, default: false }),
      lightweight: Type.Optional(
        Type.Boolean({
          default: false,
          description: 'Answer from the store only, without a new observation at the provider.',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  output: 'status',
  refusals: ['REQUEST_NOT_FOUND'],
  rest: [
    {
      method: 'GET',
      path: '/requests/{request_id}/status',
      limit: 'read',
      omit: ['lightweight'],
      defaults: { long: true },
    },
    {
      method: 'GET',
      path: '/requests/{request_id}',
      limit: 'read',
      omit: ['long', 'lightweight'],
      preset: { long: true },
    },
  ],
  cli: { command: 'requests status', args: ['request_id'], example: 'muster requests status req-01a1b2c3' },
  // Interactive callers see the machines by default.
  interactive_defaults: { long: true },
  async handle({ request_id, long = false, lightweight = false }, { requestQueries }) {
    return requestQueries.status(request_id, long, long && !lightweight);
  },
});

export const getRequests = operation('GetRequestsQuery', {
  summary:
    'Show the status of several requests, in the given order, and list the unknown ids. Never waits for the cloud.',
  input: Type.Object(
    {
      request_ids: p.request_ids,
      long: Type.Optional({ ...p.long, default: false }),
      offset: Type.Optional(p.offset),
    },
    { additionalProperties: false },
  ),
  output: 'listed',
  rest: { method: 'POST', path: '/requests/status', limit: 'read', defaults: { long: true } },
  cli: { command: 'requests get', args: ['request_ids'], example: 'muster requests get req-01a1b2c3 ret-01a1b2c4' },
  interactive_defaults: { long: true },
  handle: ({ request_ids, long = false, offset = 0 }, { requestQueries }) =>
    requestQueries.several(request_ids, long, offset),
});

export const listRequests = operation('ListActiveRequestsQuery', {
  summary: 'List requests for machines and returns, newest first, without their machines.',
  input: Type.Object(
    {
      status: Type.Optional(p.status),
      kind: Type.Optional(
        Type.Enum(['provision', 'return'], { description: 'Only requests for machines, or only returns.' }),
      ),
      template_id: Type.Optional(p.template_id),
      all_resources: Type.Optional(
        Type.Boolean({
          default: false,
          description: 'Include requests that have ended. Has no effect together with `status`.',
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
  output: 'listed',
  rest: { method: 'GET', path: '/requests/', limit: 'read', preset: { all_resources: true } },
  cli: { command: 'requests list', example: 'muster requests list --status completed --output json' },
  async handle(input, { requestQueries }) {
    const status = input.status ?? (input.all_resources ? undefined : (['pending', 'in_progress'] as const));
    const { kind, template_id } = input;
    const query: Query<'request'> = {
      where: {
        ...(status === undefined ? {} : { status }),
        ...(kind === undefined ? {} : { kind }),
        ...(template_id === undefined ? {} : { template_id }),
      },
      order: [sorting(input.sort, sortable) ?? ['created_at', 'desc']],
      ...paging(input, 50),
    };
    return requestQueries.listed(query);
  },
});

export const listReturnRequests = operation('SyncAndListReturnRequestsQuery', {
  summary: 'List the returns that have not ended, newest first, with their machines.',
  input: Type.Object(
    {
      limit: Type.Optional(p.limit),
      offset: Type.Optional(p.offset),
      page: Type.Optional(p.page),
      page_size: Type.Optional(p.page_size),
      sort: sortBy(sortable),
    },
    { additionalProperties: false },
  ),
  output: 'listed',
  rest: { method: 'GET', path: '/requests/return', limit: 'read' },
  cli: { command: 'requests list-returns', example: 'muster requests list-returns' },
  async handle(input, { requestQueries }) {
    const where = { kind: 'return', status: ['pending', 'in_progress'] } as const;
    return requestQueries.listed(
      { where, order: [sorting(input.sort, sortable) ?? ['created_at', 'desc']], ...paging(input, 50) },
      true,
    );
  },
});
