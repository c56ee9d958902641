import { setTimeout as after } from 'node:timers/promises';
import { isClaimLost } from '../claim-lost.ts';
import { isFault, ProviderFault, type FaultKind } from '../fault.ts';
import type { Log } from '../log.ts';
import type { Call } from '../provider.ts';
import type { Ended } from './provider-meter.ts';

export interface Guarded {
  /** For messages: `launch of 'east'`. */
  readonly what: string;
  /** Without an answer such a call may have been executed. */
  readonly mutating: boolean;
  readonly timeout_ms: number;
  /** Aborts when the claim is lost or the loop stops. */
  readonly signal: AbortSignal;
  fence(): void;
  readonly log: Log;
  /** Told once when the call ended. */
  readonly ended?: Ended;
}

/** A plugin that does not heed its signal is waited for this much longer. */
const graceMs = 2_000;

/**
 * Calls into a plugin with a bound on time. Whatever comes out is a value, a ProviderFault or ClaimLost: anything else that a plugin
 * throws is its bug, told in the log, and counts as an answer that was lost.
 */
export async function guard<T>(guarded: Guarded, call: (call: Call) => Promise<T>): Promise<T> {
  const { what, mutating, timeout_ms, log } = guarded;
  const done = new AbortController();
  const signal = AbortSignal.any([guarded.signal, AbortSignal.timeout(timeout_ms)]);
  const began = performance.now();
  let kind: FaultKind | undefined;
  const lost = mutating ? 'unknown-outcome' : 'unavailable';
  const deaf = async (): Promise<never> => {
    await new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      else signal.addEventListener('abort', () => resolve(), { once: true, signal: done.signal });
    });
    await after(graceMs, undefined, { signal: done.signal });
    throw new ProviderFault(lost, `The ${what} did not end when it was told to.`, { code: 'TIMEOUT' });
  };
  try {
    return await Promise.race([call({ signal, fence: () => guarded.fence(), log }), deaf()]);
  } catch (error) {
    kind = isFault(error) ? error.kind : lost;
    if (isFault(error) || isClaimLost(error)) throw error;
    if (signal.aborted)
      throw new ProviderFault(lost, `The ${what} had no answer within ${timeout_ms / 1000} s.`, { code: 'TIMEOUT', cause: error });
    log.error({ err: error }, `The ${what} threw something that is no ProviderFault; this is a bug of the plugin.`);
    const said = error instanceof Error ? error.message : 'unknown error';
    throw new ProviderFault(lost, `The ${what} failed: ${said}`, { code: 'PLUGIN_ERROR', cause: error });
  } finally {
    guarded.ended?.(performance.now() - began, kind);
    done.abort();
  }
}
