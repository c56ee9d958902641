import { setTimeout as after } from 'node:timers/promises';
import { isClaimLost } from '../../contract/commits/claim-lost.ts';
import { isFault, ProviderFault, type FaultKind } from '../../contract/fault.ts';
import type { Log } from '../../contract/log.ts';
import type { Call } from '../../contract/provider.ts';
import type { CalledFor } from './called-for.ts';
import { Broken, shown } from '../answer-checks/broken.ts';
import { soundFault } from '../answer-checks/sound-fault.ts';

export interface Guarded {
  /** For messages: `launch of 'east'`. */
  readonly what: string;
  /** Whose code is called, for messages. */
  readonly plugin?: string | undefined;
  /** Without an answer such a call may have been executed. */
  readonly mutating: boolean;
  readonly timeout_ms: number;
  /** Aborts when the claim is lost or the loop stops. */
  readonly signal: AbortSignal;
  fence(): void;
  readonly log: Log;
  /** Told once when the call ended. */
  ended?(end: CallEnd): void;
}

/** How a call into a plugin ended. */
export interface CallEnd {
  readonly ms: number;
  /** Absent: it went well. */
  readonly kind?: FaultKind;
  /** Why it did not go well, but for a lost claim; or what an answer that came says is wrong with the provider. */
  readonly fault?: ProviderFault;
  /** The plugin broke its contract, or did not end in time. */
  readonly misbehaved?: boolean;
  /** For whom it was called; absent where it was for the instance itself. */
  readonly of?: readonly CalledFor[];
  /** Which of those it was called for made it fail is still being looked for. */
  readonly unsure?: boolean;
  /** It was to end early, for our reasons: what came of it says nothing of the provider. */
  readonly told_to_end?: boolean;
}

/** A plugin that does not heed its signal is waited for this much longer. */
const graceMs = 2_000;

/**
 * Calls into a plugin with a bound on time, and looks at what it answers: `check` throws Broken where that is not as the contract says. Whatever comes out
 * is a value, a ProviderFault or ClaimLost: anything else that a plugin throws, and nonsense that it gives, is its bug, told in the log, and counts as an
 * answer that was lost. Once the call is over, by its end, its time-out or the signal, its fence throws: a plugin that goes on all the same changes
 * nothing more.
 */
export async function guard<T>(guarded: Guarded, call: (call: Call) => Promise<T>, check?: (answer: T) => void): Promise<T> {
  const { what, mutating, timeout_ms, log } = guarded;
  const done = new AbortController();
  const signal = AbortSignal.any([guarded.signal, AbortSignal.timeout(timeout_ms)]);
  const began = performance.now();
  let end: Omit<CallEnd, 'ms'> = {};
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
    const answer = await Promise.race([call({ signal, fence, log }), deaf()]);
    check?.(answer);
    return answer;
  } catch (error) {
    if (isClaimLost(error)) end = { kind: lost, told_to_end: true };
    else {
      const fault = faultOf(error);
      const broken = fault.code === 'PLUGIN_ERROR' || fault.code === 'TIMEOUT';
      end = { kind: fault.kind, fault, ...(guarded.signal.aborted ? { told_to_end: true } : { misbehaved: broken }) };
      throw fault;
    }
    throw error;
  } finally {
    done.abort();
    guarded.ended?.({ ms: performance.now() - began, ...end });
  }

  function fence(): void {
    guarded.fence();
    // A thread that was held up has not heard of its time-out yet.
    if (signal.aborted || performance.now() - began > timeout_ms) throw timedOut();
    if (done.signal.aborted) throw new ProviderFault(lost, `The ${what} is over; it may change nothing more.`, { code: 'TIMEOUT' });
  }

  function timedOut(cause?: unknown): ProviderFault {
    const details = { code: 'TIMEOUT', ...(cause === undefined ? {} : { cause }) };
    return new ProviderFault(lost, `The ${what} had no answer within ${timeout_ms / 1000} s.`, details);
  }

  function faultOf(error: unknown): ProviderFault {
    if (isFault(error)) return soundFault(error);
    return signal.aborted ? timedOut(error) : pluginFault(error, guarded, lost);
  }
}

/** What is made of something that a plugin threw and that is no fault, or of nonsense that it gave. It is told in the log. */
export function pluginFault(
  error: unknown,
  { what, plugin, log }: Pick<Guarded, 'what' | 'plugin' | 'log'>,
  kind: FaultKind,
): ProviderFault {
  const whose = plugin === undefined ? 'the plugin' : `plugin '${plugin}'`;
  const nonsense = error instanceof Broken;
  log.error(
    nonsense ? { broken: error.message } : { err: error instanceof Error ? error : new Error(shown(error)) },
    nonsense
      ? `What the ${what} gave is not as the contract says: ${error.message}. This is a bug of ${whose}.`
      : `The ${what} threw something that is no ProviderFault; this is a bug of ${whose}.`,
  );
  const by = plugin === undefined ? '' : ` (plugin '${plugin}')`;
  const message = nonsense ? `The ${what}${by} broke its contract: ${error.message}.` : `The ${what}${by} failed: ${said(error)}`;
  return new ProviderFault(kind, message, { code: 'PLUGIN_ERROR', cause: error });
}

/** What was thrown may be anything. */
export function said(error: unknown): string {
  const message: unknown = error instanceof Error ? error.message : undefined;
  return typeof message === 'string' && message !== '' ? message : `it threw ${shown(error)}`;
}
