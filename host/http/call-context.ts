import { AsyncLocalStorage } from 'node:async_hooks';
import type { Actor } from '../../core/journal/actor.ts';
import type { Span } from '../../core/tracing/tracer.ts';

/** What the code of a call knows about the call. */
export interface CallContext {
  /** The X-Request-Id of the call. Absent: the call came over no network. */
  readonly x_request_id?: string;
  readonly actor: Actor;
  /** The span of the call. Absent: the call is not traced, or has not begun. */
  span?: Span;
}

const context = new AsyncLocalStorage<CallContext>();

/** Runs the code of a call. `currentCall` returns its context in all code that `run` starts, also asynchronously. */
export const inCall = <T>(call: CallContext, run: () => T): T => context.run(call, run);

/** Returns the context of the current call; undefined outside of calls. */
export const currentCall = (): CallContext | undefined => context.getStore();

/** Returns the X-Request-Id of the current call; undefined outside of calls. */
export const callId = (): string | undefined => context.getStore()?.x_request_id;
