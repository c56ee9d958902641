import { isBrokerError } from '../../core/contract/errors.ts';
import type { Tracer } from '../../core/tracing/tracer.ts';

/** Runs an operation that this process calls itself in a span of its own. */
export async function inOperationSpan<T>(
  tracer: Tracer,
  operation: string,
  by: string,
  run: () => Promise<T>,
): Promise<T> {
  if (!tracer.on) return run();
  const span = tracer.start(operation, { attributes: { 'muster.operation': operation, 'muster.interface': by } });
  try {
    const result = await tracer.within(span, run);
    span.set({ 'muster.outcome': 'ok' });
    return result;
  } catch (error) {
    const code = isBrokerError(error) ? error.code : 'INTERNAL';
    span.fail({ code, message: error instanceof Error ? error.message : String(error) });
    throw error;
  } finally {
    span.end();
  }
}
