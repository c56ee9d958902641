import { BrokerError } from '../errors.ts';

/** What a storage refuses a commit with, in the same words whichever storage it is. */
export const refusals = {
  lostClaim: (request_id: string) =>
    new BrokerError('CONFLICT', `Request ${request_id} is no longer held under this claim.`, { request_id }),

  overLimit: (template_id: string, max_instances: number, held: number, machine_count: number) =>
    new BrokerError(
      'INSTANCE_LIMIT_EXCEEDED',
      `Template '${template_id}' allows ${max_instances} machines at once; ${held} are held, so ${machine_count} more cannot be had. Ask for fewer or return some.`,
      { template_id, max_instances, held, machine_count },
    ),

  /** `open`: other requests with an active attempt there. Fewer than `max` when older ones wait for the rest. */
  noSlot: (provider_instance: string, open: number, max: number) =>
    new BrokerError(
      'INSTANCE_BUSY',
      `Waiting its turn: '${provider_instance}' has ${open} of ${max} requests open${open < max ? ', and requests that were accepted earlier wait for the rest' : ''}.`,
      { provider_instance, open, max },
    ),

  /** `held_by`: the request that the machine belongs to. */
  foreignMachine: (
    machine: { readonly provider_instance: string; readonly machine_id: string; readonly request_id: string },
    held_by: string,
  ) =>
    new BrokerError(
      'CONFLICT',
      `Machine '${machine.machine_id}' of '${machine.provider_instance}' lives and belongs to ${held_by}; it cannot become one of ${machine.request_id}.`,
      { provider_instance: machine.provider_instance, machine_id: machine.machine_id, request_id: machine.request_id, held_by },
    ),

  /** A call that no state of the storage would allow. */
  misuse: (message: string) => new BrokerError('INTERNAL', message),
};
