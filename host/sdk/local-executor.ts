import { jsonFingerprint } from '../../core/model/ids.ts';
import type { Operation } from '../../core/operations/operation.ts';
import { readInput } from '../../core/operations/read-input.ts';
import { currentCall, inCall } from '../http/call-context.ts';
import { thisProgram, type CallingProgram } from '../http/calling-program.ts';
import type { Broker } from '../compose.ts';
import { asSdkError } from './errors.ts';
import { inOperationSpan } from '../telemetry/operation-span.ts';
import type { CallOptions } from './methods.ts';

/** Options of a call that programs of this package may set. */
export interface ProgramOptions extends CallOptions {
  /** Who calls, if no interface of this process received the call. Default: a program that uses the SDK. */
  readonly by?: CallingProgram;
}

/** Creates an executor in a broker of this process. Answers have muster's own format whatever the scheduler is. */
export function localExecutor({ services, rendering }: Broker) {
  let self: CallingProgram | undefined;
  return async (
    operation: Operation<any, any>,
    raw: unknown,
    { idempotency_key: key, signal, by }: ProgramOptions,
  ): Promise<unknown> => {
    try {
      signal?.throwIfAborted();
      const input = readInput(operation, raw);
      const caller = {
        owner: true,
        ...(key === undefined ? {} : { key: { scope: operation.name, key, fingerprint: jsonFingerprint(input) } }),
      };
      const call = currentCall() ?? { actor: by ?? (self ??= thisProgram('sdk')) };
      const result = await inCall(call, () =>
        inOperationSpan(services.tracer, operation.name, call.actor.interface, () =>
          operation.handle(input as never, services, caller),
        ),
      );
      return await rendering.value(operation, result, rendering.own);
    } catch (error) {
      throw signal?.aborted ? signal.reason : asSdkError(error);
    }
  };
}
