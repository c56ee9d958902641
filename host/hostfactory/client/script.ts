import type { IdempotencyKey } from '../../../core/requests/idempotency.ts';
import { BrokerError } from '../../../core/contract/errors.ts';
import type { Services } from '../../../core/operations/services.ts';
import type { SchedulerStrategy } from '../../../core/contract/scheduler.ts';
import type { Dialect } from './script-call.ts';

/** One call of a script, as it reached the server. */
export interface ScriptCall {
  readonly input: unknown;
  readonly dialect: Dialect;
  /** The instance that the scheduler's provider is, where its name is that of one. */
  readonly instance?: string;
  readonly key?: IdempotencyKey;
  /** Whether it came over the Unix socket: only the owner does that. */
  readonly local: boolean;
  readonly services: Services;
  /** The words of the dialect. */
  readonly strategy: SchedulerStrategy;
}

/** Answers a script with what it prints. A refusal is thrown: its message is printed, and the script ends with 1. */
export type Script = (call: ScriptCall) => Promise<unknown>;

/** A refusal in the scheduler's words. */
export const scriptRefusal = (message: string): BrokerError => new BrokerError('INVALID_REQUEST', message);

export const invalidInput = (): BrokerError => scriptRefusal('Invalid input file.');
