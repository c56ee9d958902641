import type { RequestAnswer } from '../../core/contract/answers.ts';
import { HandlerDiscoveryError } from './errors.ts';
import { methodsOver, type CallOptions, type Execute, type Methods } from './methods.ts';
import { waitFor, type WaitOptions } from './wait-for.ts';
import { operations } from '../../core/operations/registry.ts';
import { hint } from '../../core/schema/spelling.ts';

/**
 * muster as a program uses it: every operation as a method, in this process or at a server. Closes itself with
 * `await using`.
 */
export interface BrokerClient extends Methods, AsyncDisposable {
  /**
   * An operation by its name, for callers that learn it as they run. Rejects with HandlerDiscoveryError when there is
   * none.
   */
  call(name: string, input?: unknown, options?: CallOptions): Promise<unknown>;
  /** Waits until a request or a return has ended; how it ended. Asks no oftener than once in 250 ms. */
  waitFor(request_id: string, options?: WaitOptions): Promise<RequestAnswer>;
  /** Ends what was opened for it. Idempotent. */
  close(): Promise<void>;
}

/** A client over one way to carry calls out. */
export function clientOver(carry: Execute, close: () => Promise<void>): BrokerClient {
  const methods = methodsOver(carry);
  const byName = methods as unknown as Readonly<
    Record<string, (input?: unknown, options?: CallOptions) => Promise<unknown>>
  >;
  let closing: Promise<void> | undefined;
  const end = () => (closing ??= close());
  return {
    ...methods,
    async call(name, input, options) {
      const method = Object.hasOwn(byName, name) ? byName[name] : undefined;
      if (method) return method(input, options);
      const known = operations.map((operation) => operation.name);
      throw new HandlerDiscoveryError('NOT_FOUND', `There is no operation '${name}'${hint(name, known)}`, {
        operation: name,
      });
    },
    waitFor: (request_id, options = {}) =>
      waitFor((signal) => methods.sync_and_get_request({ request_id, long: true }, signal ? { signal } : {}), options),
    close: end,
    [Symbol.asyncDispose]: end,
  };
}
