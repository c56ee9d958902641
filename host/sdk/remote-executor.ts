import { asSdkError, MethodExecutionError, sdkError } from './errors.ts';
import { programHeaders, thisProgram, type CallingProgram } from '../http/calling-program.ts';
import { outgoingTrace } from '../telemetry/outgoing-trace.ts';
import type { Transport } from './http-transport.ts';
import type { ProgramOptions } from './local-executor.ts';

/** Creates an executor at a server, which has one route for each operation name. Loads no operation. */
export function remoteExecutor(transport: Omit<Transport, 'open'>) {
  let self: CallingProgram | undefined;
  return async (
    operation: { readonly name: string },
    input: unknown,
    { signal, idempotency_key, by }: ProgramOptions,
  ): Promise<unknown> => {
    let answer;
    try {
      const about = programHeaders(by ?? (self ??= thisProgram('sdk')));
      const trace = await outgoingTrace();
      const headers = {
        ...about,
        ...trace,
        ...(idempotency_key === undefined ? {} : { 'idempotency-key': idempotency_key }),
      };
      answer = await transport.send({
        method: 'POST',
        path: `/api/v1/operations/${operation.name}`,
        body: JSON.stringify(input ?? {}),
        headers,
        ...(signal ? { signal } : {}),
      });
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      throw unreachable(error, transport.where);
    }
    const body = parsed(answer.body);
    if (body === undefined)
      throw new MethodExecutionError(
        'UNAVAILABLE',
        `The server at ${transport.where} is not a muster server: it answered ${answer.status} without JSON. Check the URL.`,
      );
    if (answer.status < 400) return body;
    const {
      code = 'INTERNAL',
      message = `The server answered ${answer.status}.`,
      details = {},
    } = (body as Failure)?.error ?? {};
    throw sdkError(code, message, details);
  };
}

interface Failure {
  readonly error?: {
    readonly code?: string;
    readonly message?: string;
    readonly details?: Readonly<Record<string, unknown>>;
  };
}

function unreachable(error: unknown, where: string) {
  const { code, message } = asSdkError(error).cause as NodeJS.ErrnoException;
  return new MethodExecutionError(
    'UNAVAILABLE',
    `The server at ${where} cannot be reached: ${code ?? message}.`,
    {},
    { cause: error },
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
