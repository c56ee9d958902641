import { Type } from 'typebox';
import { requestStatuses, type RequestStatus } from '../../model/request.ts';
import { p } from '../parameters.ts';
import { operation } from '../operation.ts';

export const syncRequest = operation('SyncRequestCommand', {
  summary:
    'Trigger a new observation of the machines of a request. Answers from the store without waiting; read the status for the result.',
  input: Type.Object({ request_id: p.request_id }, { additionalProperties: false }),
  output: 'status',
  refusals: ['REQUEST_NOT_FOUND'],
  cli: { command: 'requests sync', args: ['request_id'], example: 'muster requests sync req-01a1b2c3' },
  leaves_work: true,
  repeatable: true,
  handle: ({ request_id }, { requestQueries }) => requestQueries.status(request_id, true),
});

export const completeRequest = operation('CompleteRequestCommand', {
  summary: 'End the waiting of a request now, like its time-out. The request keeps the machines that are ready.',
  input: Type.Object({ request_id: p.request_id }, { additionalProperties: false }),
  output: 'status',
  refusals: ['REQUEST_NOT_FOUND', 'CONFLICT'],
  cli: { command: 'requests complete', args: ['request_id'], example: 'muster requests complete req-01a1b2c3 --wait' },
  leaves_work: true,
  destructive: true,
  repeatable: true,
  async handle({ request_id }, { requestQueries, requestCommands }) {
    await requestCommands.complete(request_id);
    return requestQueries.status(request_id, false);
  },
});

export const updateRequestStatus = operation('UpdateRequestStatusCommand', {
  summary:
    'Set the status of a request, if the state machine allows it. Never ends a request while machines may still arrive.',
  input: Type.Object(
    {
      request_id: p.request_id,
      status: Type.Enum([...requestStatuses] as [RequestStatus, ...RequestStatus[]], {
        description: 'The new status.',
      }),
      reason: Type.Optional(p.reason),
    },
    { additionalProperties: false },
  ),
  output: 'status',
  refusals: ['REQUEST_NOT_FOUND', 'CONFLICT'],
  cli: {
    command: 'requests set-status',
    args: ['request_id', 'status'],
    example: 'muster requests set-status req-01a1b2c3 failed',
  },
  leaves_work: true,
  destructive: true,
  repeatable: true,
  async handle({ request_id, status, reason }, { requestQueries, requestCommands }) {
    if (await requestCommands.checkTransition(request_id, status)) {
      if (status === 'cancelled') await requestCommands.cancel(request_id, reason);
      else await requestCommands.complete(request_id);
    }
    return requestQueries.status(request_id, false);
  },
});

export const populateMachineIds = operation('PopulateMachineIdsCommand', {
  summary:
    'Look for machines of a request at its provider. The loop adds the machines that the provider confirms; repeat the call to see the result. Machines that arrive after the end of the request are released.',
  input: Type.Object(
    {
      request_id: p.request_id,
      machine_ids: Type.Optional(
        Type.Array(Type.String({ minLength: 1, maxLength: 255 }), {
          maxItems: 10_000,
          description: 'The expected machine ids.',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  output: Type.Object({
    request_id: Type.String(),
    machine_ids: Type.Array(Type.String(), { description: 'The machines of the request.' }),
    unverified: Type.Array(Type.String(), {
      description: 'The expected machines that the provider has not confirmed yet.',
    }),
  }),
  refusals: ['REQUEST_NOT_FOUND'],
  cli: {
    command: 'requests populate',
    args: ['request_id', 'machine_ids'],
    example: 'muster requests populate req-01a1b2c3 i-09227c8720e055176',
  },
  leaves_work: true,
  destructive: true,
  repeatable: true,
  async handle({ request_id, machine_ids = [] }, { requestQueries, requestCommands }) {
    await requestCommands.populate(request_id, machine_ids);
    const { machines = [] } = await (await requestQueries.status(request_id, true)).load();
    const known = machines.map((machine) => machine.machine_id);
    return { request_id, machine_ids: known, unverified: machine_ids.filter((id) => !known.includes(id)) };
  },
});

export const getRequestSummary = operation('GetRequestSummaryQuery', {
  summary: 'Show the progress of a request in numbers.',
  input: Type.Object({ request_id: p.request_id }, { additionalProperties: false }),
  output: Type.Object({
    request_id: Type.String(),
    status: Type.String(),
    requested_count: Type.Integer(),
    delivered_count: Type.Integer({
      description: 'Machines that became ready, including those that were returned since.',
    }),
    machines: Type.Record(Type.String(), Type.Integer(), { description: 'The number of machines in each state.' }),
    elapsed_ms: Type.Integer({ description: 'From the acceptance to the end, or until now.' }),
    message: Type.String(),
  }),
  refusals: ['REQUEST_NOT_FOUND'],
  cli: { command: 'requests summary', args: ['request_id'], example: 'muster requests summary req-01a1b2c3' },
  async handle({ request_id }, { requestQueries, clock }) {
    const { request, machines = [] } = await (await requestQueries.status(request_id, true)).load();
    const byStatus = Map.groupBy(machines, ({ status }) => status);
    return {
      request_id,
      status: request.status,
      requested_count: request.machine_count,
      delivered_count: request.delivered,
      machines: Object.fromEntries([...byStatus].map(([status, mine]) => [status, mine.length])),
      elapsed_ms: Math.max(0, (request.completed_at ?? clock.now()) - request.created_at),
      message: request.message,
    };
  },
});
