import { BrokerError } from '../../core/contract/errors.ts';
import type { Checked } from '../../core/model/health.ts';
import type { DiscoverResult } from '../../core/providers/discover-now.ts';
import type { CallTiming, InstanceState } from '../../core/providers/provider-activity.ts';
import type { LoopHandle } from '../loop/loop-handle.ts';
import type { Family } from '../metrics/family.ts';
import type { Allowance, RateLimits } from '../rest/limits/rate-limits.ts';
import type { FromWorker, Question, ToWorker, WorkerData } from './messages.ts';
import type { TracingData } from '../telemetry/telemetry.ts';
import { spanChannel } from './span-channel.ts';
import type { PrimaryLink } from './primary-link.ts';

/**
 * Milliseconds to wait for an answer of the primary: a primary that does not answer is overloaded, or about to end
 * with all its workers.
 */
const answerMs = 5_000;
/** Milliseconds to wait for a provider check or a discovery: longer than the loop waits for a provider. */
const checkMs = 30_000;

/** The worker's end of the channel to the primary. */
export class WorkerLink implements PrimaryLink, RateLimits {
  readonly worker: number;
  readonly broker_id?: string;
  readonly tracing?: TracingData;
  readonly spans = spanChannel((batch, sent) => sendToPrimary({ event: 'spans', batch }, sent));
  readonly #waiting = new Map<number, (answer: unknown) => void>();
  #questions = 0;
  #refreshed: (request_ids: readonly string[], at: number) => void = () => undefined;

  constructor({ worker, broker_id, tracing }: WorkerData) {
    this.worker = worker;
    if (tracing) this.tracing = tracing;
    if (broker_id !== undefined) this.broker_id = broker_id;
  }

  handle(message: ToWorker): void {
    if (message.do === 'refreshed') this.#refreshed(message.request_ids, message.at);
    if (message.do !== 'answer') return;
    this.#waiting.get(message.id)?.(message.answer);
    this.#waiting.delete(message.id);
  }

  loop(refreshed: (request_ids: readonly string[], at: number) => void): LoopHandle | undefined {
    this.#refreshed = refreshed;
    if (this.broker_id === undefined) return undefined;
    return {
      where: 'primary',
      trouble: () => this.#ask<string | undefined>({ ask: 'trouble' }),
      measures: () => Promise.resolve([]),
      calls: () => this.#ask<readonly CallTiming[] | undefined>({ ask: 'calls' }),
      states: () => this.#ask<readonly InstanceState[] | undefined>({ ask: 'states' }),
      check: (instance) => this.#ask<Checked | undefined>({ ask: 'check', instance }, checkMs),
      discover: (instance) => this.#ask<DiscoverResult | undefined>({ ask: 'discover', instance }, checkMs),
      refresh: (request_ids) => sendToPrimary({ event: 'refresh', request_ids }),
      // The primary told its loop before it told the workers.
      useBudgets: () => undefined,
      // The primary reads the same files.
      describe: () => undefined,
      // The loop ends with the primary.
      stop: () => Promise.resolve(),
    };
  }

  measures(): Promise<readonly (readonly Family[])[]> {
    return this.#ask({ ask: 'measures' });
  }

  take(group: Parameters<RateLimits['take']>[0], client: string): Promise<Allowance> {
    return this.#ask({ ask: 'take', group, client });
  }

  #ask<T>(question: Question, ms = answerMs): Promise<T> {
    const id = this.#questions++;
    return new Promise<T>((resolve, reject) => {
      const timeout = setTimeout(() => {
        this.#waiting.delete(id);
        reject(new BrokerError('UNAVAILABLE', 'The server is overloaded; try again.', { retry_after_s: 1 }));
      }, ms);
      this.#waiting.set(id, (answer) => {
        clearTimeout(timeout);
        resolve(answer as T);
      });
      sendToPrimary({ event: 'question', id, question });
    });
  }
}

/**
 * Sends a message to the primary. When the primary is gone, this process is about to end too. `sent` is called in any
 * case.
 */
export function sendToPrimary(message: FromWorker, sent: () => void = () => undefined): void {
  if (process.connected) process.send?.(message, undefined, {}, sent);
  else sent();
}
