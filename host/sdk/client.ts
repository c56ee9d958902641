import type { RequestAnswer } from '../../core/contract/answers.ts';
import type { EventView } from '../../core/journal/event-view.ts';
import type { EventAccess, EventPart, FollowedEvents, FollowOptions } from './follow-events.ts';
import { HandlerDiscoveryError } from './errors.ts';
import { methodsOver, type CallOptions, type Execute, type Methods } from './methods.ts';
import { waitFor, type WaitOptions } from './wait-for.ts';
import type { Operation } from '../../core/operations/operation.ts';
import { operations } from '../../core/operations/registry.ts';
import { hint } from '../../core/schema/spelling.ts';

/**
 * The interface of muster for programs: every operation as a method, in this process or at a server. Supports `await
 * using`.
 */
export interface BrokerClient extends Methods, AsyncDisposable {
  /** Calls an operation by its name. Rejects with HandlerDiscoveryError when there is none. */
  call(name: string, input?: unknown, options?: CallOptions): Promise<unknown>;
  /** Waits until a request or a return has ended, and returns its final state. Polls at most every 250 ms. */
  waitFor(request_id: string, options?: WaitOptions): Promise<RequestAnswer>;
  /**
   * The events of the journal as they happen, each once and in order, until the loop over them ends or the signal
   * aborts. Goes on behind the last event when the connection was lost.
   */
  followEvents(events?: FollowedEvents, options?: FollowOptions): AsyncIterable<EventView>;
  /** Closes all resources of the client. Idempotent. */
  close(): Promise<void>;
}

interface ClientParts {
  /** Opens streams, at a server. */
  readonly open?: EventAccess['open'];
  /** An operation that a service of a plugin adds; a server knows itself which it has. */
  readonly further?: (name: string) => Operation<any, any> | undefined;
}

/** Creates a client over an executor of operations. */
export function clientOver(
  execute: Execute,
  close: () => Promise<void>,
  { open, further }: ClientParts = {},
): BrokerClient {
  const methods = methodsOver(execute);
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
      const added = further?.(name);
      if (added) return execute(added, input, options ?? {});
      const known = operations.map((operation) => operation.name);
      throw new HandlerDiscoveryError('NOT_FOUND', `There is no operation '${name}'${hint(name, known)}`, {
        operation: name,
      });
    },
    waitFor: (request_id, options = {}) =>
      waitFor((signal) => methods.sync_and_get_request({ request_id, long: true }, signal ? { signal } : {}), options),
    async *followEvents(events = {}, options = {}) {
      const { followEventsOver } = await import('./follow-events.ts');
      const access: EventAccess = {
        list: (input, signal) => methods.list_events(input as never, signal ? { signal } : {}) as Promise<EventPart>,
        ...(open ? { open } : {}),
        close: async () => {},
      };
      yield* followEventsOver(async () => access, events, options);
    },
    close: end,
    [Symbol.asyncDispose]: end,
  };
}
