import { BrokerError } from '../errors.ts';
import { exceeded, type Exceeded } from '../../model/budget/budget-bounds.ts';
import type { Reserved } from '../../model/budget/reserved.ts';
import type { BudgetCheck } from '../storage.ts';

/** The errors with which every storage refuses a commit. */
export const refusals = {
  lostClaim: (request_id: string) =>
    new BrokerError('CONFLICT', `Request ${request_id} is no longer held under this claim.`, { request_id }),

  lostJob: (job: string) => new BrokerError('CONFLICT', `Job '${job}' is no longer held under this lease.`, { job }),

  overLimit: (template_id: string, max_instances: number, held: number, machine_count: number) =>
    new BrokerError(
      'INSTANCE_LIMIT_EXCEEDED',
      `Template '${template_id}' allows ${max_instances} machines at once; ${held} are held, so ${machine_count} more are refused. Ask for fewer or return some.`,
      { template_id, max_instances, held, machine_count },
    ),

  /**
   * `open`: how many other requests have an active attempt at the instance. `open` is below `max` when older requests
   * wait for the rest.
   */
  noSlot: (provider_instance: string, open: number, max: number) =>
    new BrokerError(
      'INSTANCE_BUSY',
      `Waiting for a slot: '${provider_instance}' has ${open} of ${max} requests open${open < max ? ', and requests that were accepted earlier wait for the rest' : ''}.`,
      { provider_instance, open, max },
    ),

  /** `after`: what is reserved in the scope of the budget with the commit. Undefined: the budget holds. */
  overBudget: ({ name, bounds }: BudgetCheck, after: Reserved): BrokerError | undefined => {
    const over = exceeded(bounds, after);
    if (!over) return undefined;
    const { limit, max: most, used, asked, unknown } = over;
    return new BrokerError('BUDGET_EXCEEDED', budgetSentence(name, over), {
      budget: name,
      limit,
      max: most,
      used,
      asked,
      ...(unknown === undefined ? {} : { unknown }),
    });
  },

  /** A number of a fact is not the expected one. */
  changedFact: ({ topic, name, item }: { readonly topic: string; readonly name: string; readonly item: string }) =>
    new BrokerError('CONFLICT', `The fact '${topic}' of '${name}' was changed by another commit. Read it again.`, {
      topic,
      name,
      item,
    }),

  /** `held_by`: the request that the machine belongs to. */
  foreignMachine: (
    machine: { readonly provider_instance: string; readonly machine_id: string; readonly request_id: string },
    held_by: string,
  ) =>
    new BrokerError(
      'CONFLICT',
      `Machine '${machine.machine_id}' of '${machine.provider_instance}' lives and belongs to ${held_by}; it cannot become one of ${machine.request_id}.`,
      {
        provider_instance: machine.provider_instance,
        machine_id: machine.machine_id,
        request_id: machine.request_id,
        held_by,
      },
    ),

  /** A call that is wrong in every state of the storage: a bug of the calling code. */
  misuse: (message: string) => new BrokerError('INTERNAL', message),
};

const units: { readonly [L in Exceeded['limit']]: (amount: number) => string } = {
  max_machines: (n) => `${n} ${n === 1 ? 'machine' : 'machines'}`,
  max_vcpus: (n) => `${n} ${n === 1 ? 'vCPU' : 'vCPUs'}`,
  max_usd_per_hour: (n) => `$${n} an hour`,
  max_usd_per_day: (n) => `$${n}`,
};

function budgetSentence(name: string, { limit, max, used, asked, unknown }: Exceeded): string {
  const of = units[limit];
  if (unknown !== undefined)
    return limit === 'max_vcpus'
      ? `Budget '${name}' counts vCPUs, and the number of vCPUs of ${unknown} of its machines is not known: name machine types of the catalogue in the template, or remove 'max_vcpus'.`
      : `Budget '${name}' counts dollars, and the price of ${unknown} of its machines is not known: set 'prices' of the provider instance, or 'unknown_price_usd' of the budget.`;
  const day = limit === 'max_usd_per_day' ? ' for what ran in the last 24 hours and one more hour' : '';
  return `Budget '${name}' allows ${of(max)}${day}; ${of(used)} ${used === 1 && limit === 'max_machines' ? 'is' : 'are'} used, so ${of(asked)} more ${asked === 1 && limit === 'max_machines' ? 'is' : 'are'} refused. Ask for fewer, return some, or raise the budget.`;
}
