import type { IdempotencyKey } from '../../../core/requests/idempotency.ts';
import { BrokerError } from '../../../core/contract/errors.ts';
import type { Services } from '../../../core/operations/services.ts';
import type { SchedulerStrategy } from '../../../core/contract/scheduler.ts';
import type { Dialect } from './script-call.ts';

/** One call of a script, as the server receives it. */
export interface ScriptCall {
  readonly input: unknown;
  readonly dialect: Dialect;
  /** The provider instance with the name of the scheduler's provider, if there is one. */
  readonly instance?: string;
  readonly key?: IdempotencyKey;
  /** Whether the call came over the Unix socket, which only the owner can use. */
  readonly local: boolean;
  readonly services: Services;
  /** The scheduler strategy of the dialect. */
  readonly strategy: SchedulerStrategy;
}

/** Returns the output of a script. When it throws, the script prints the message and exits with 1. */
export type Script = (call: ScriptCall) => Promise<unknown>;

/** An error with a message of the scheduler's protocol. */
export const scriptRefusal = (message: string): BrokerError => new BrokerError('INVALID_REQUEST', message);

export const invalidInput = (): BrokerError => scriptRefusal('Invalid input file.');
