import { chunks } from '../../collections/chunks.ts';
import { Type } from 'typebox';
import { BrokerError } from '../../contract/errors.ts';
import { p } from '../parameters.ts';
import { operation } from '../operation.ts';
import { defaultTimeoutS } from '../../model/request.ts';

const older = Type.Optional(
  Type.Number({
    minimum: 0,
    maximum: 36_500,
    default: 1,
    description: 'Minimum age in days, counted from the end of the request.',
  }),
);
const Removed = Type.Object({
  deleted_requests: Type.Integer(),
  deleted_machines: Type.Integer(),
  message: Type.String(),
});
const removed = (requests: number, machines: number) => ({
  deleted_requests: requests,
  deleted_machines: machines,
  message: `${requests} requests and ${machines} machine records were removed.`,
});

export const cleanupOldRequests = operation('CleanupOldRequestsCommand', {
  summary:
    'Remove the records of requests that ended some time ago and have no machines left. Living machines are never touched.',
  input: Type.Object({ older_than_days: older }, { additionalProperties: false }),
  output: Removed,
  cli: { command: 'requests cleanup', example: 'muster requests cleanup --older-than-days 30' },
  destructive: true,
  repeatable: true,
  async handle({ older_than_days = 1 }, { cleanUp }) {
    const { requests, machines } = await cleanUp.requests(older_than_days);
    return removed(requests, machines);
  },
});

export const cleanupTerminatedMachines = operation('CleanupTerminatedMachinesCommand', {
  summary: 'Remove the records of gone machines of requests that ended some time ago. The requests stay.',
  input: Type.Object({ older_than_days: older }, { additionalProperties: false }),
  output: Removed,
  cli: { command: 'machines cleanup', example: 'muster machines cleanup --older-than-days 30' },
  destructive: true,
  repeatable: true,
  async handle({ older_than_days = 1 }, { cleanUp }) {
    const { requests, machines } = await cleanUp.machines(older_than_days);
    return removed(requests, machines);
  },
});

/** The most machines of one return. */
const machinesAtOnce = 10_000;

export const cleanupAllResources = operation('CleanupAllResourcesCommand', {
  summary: 'Return all living machines that are not held. With include_pending, also cancel requests in progress.',
  input: Type.Object(
    {
      include_pending: Type.Optional(
        Type.Boolean({ default: false, description: 'Cancel requests that are still in progress.' }),
      ),
      confirm: Type.Optional(
        Type.Boolean({ default: false, description: 'Must be true, because all machines are returned.' }),
      ),
      timeout: Type.Optional(p.timeout),
    },
    { additionalProperties: false },
  ),
  output: Type.Object({
    return_request_ids: Type.Array(Type.String()),
    cancelled_request_ids: Type.Array(Type.String()),
    machine_count: Type.Integer({ description: 'The number of returned machines.' }),
    message: Type.String(),
  }),
  cli: { command: 'machines return-all', example: 'muster machines return-all --force' },
  leaves_work: true,
  destructive: true,
  async handle(
    { include_pending = false, confirm, timeout = defaultTimeoutS },
    { requests, requestCommands, inventory },
  ) {
    if (confirm !== true)
      throw new BrokerError('INVALID_REQUEST', '/confirm: must be true, because all machines are returned');
    const cancelled = include_pending ? await requestCommands.cancelAll('All machines are returned.') : [];
    // The list is read before the first return, because returns would shift its pages.
    const { machines: living, held } = await inventory.living();
    const returned: string[] = [];
    for (const part of chunks(living, machinesAtOnce))
      returned.push((await requests.returnMachines(part, timeout)).request.request_id);
    return {
      return_request_ids: returned,
      cancelled_request_ids: [...cancelled],
      machine_count: living.length,
      message: `${living.length} machines are returned; ${cancelled.length} requests are cancelled.${held === 0 ? '' : ` ${held} machines are held and stay.`}`,
    };
  },
});
