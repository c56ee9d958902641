import { isClaimLost } from '../../contract/commits/claim-lost.ts';
import { isFault, ProviderFault, type FaultKind } from '../../contract/fault.ts';
import type { Log } from '../../contract/log.ts';
import type { Call } from '../../contract/provider/call.ts';
import { callLimit } from './call-limit.ts';
import type { CalledFor } from './called-for.ts';
import { ContractViolation } from '../answer-checks/contract-violation.ts';
import { soundFault } from '../answer-checks/sound-fault.ts';
import { errorText, thrownError } from '../answer-checks/thrown-error.ts';

export interface Guarded {
  /** Names the call in messages: `launch of 'east'`. */
  readonly what: string;
  /** The plugin that is called, for messages. */
  readonly plugin?: string | undefined;
  /** Whether the call may have been executed when it has no answer. */
  readonly mutating: boolean;
  readonly timeout_ms: number;
  /** Aborts when the claim is lost or the loop stops. */
  readonly signal: AbortSignal;
  fence(): void;
  /** Receives the ids that the plugin records before the call ends. */
  cloudRequest?(id: string): void;
  readonly log: Log;
  /** Called once, when the call has ended. */
  ended?(end: CallEnd): void;
}

/** How a call into a plugin ended. */
export interface CallEnd {
  readonly ms: number;
  /** The kind of the fault. Absent: the call succeeded. */
  readonly kind?: FaultKind;
  /** The cause of a failure, except a lost claim; or a fault of the provider that a successful answer reports. */
  readonly fault?: ProviderFault;
  /** The plugin broke its contract or did not end in time. */
  readonly misbehaved?: boolean;
  /** The requests of the call. Absent for a call for the instance itself. */
  readonly of?: readonly CalledFor[];
  /** The search for the request that caused the failure has not ended. */
  readonly unsure?: boolean;
  /** muster aborted the call, so its result says nothing about the provider. */
  readonly aborted?: boolean;
}

/** The most characters of the id of a request at a provider. */
const longestId = 128;

/**
 * Calls a plugin with a time-out, and checks its answer: `check` throws ContractViolation when the answer violates the contract.
 * Resolves with the answer or rejects with a ProviderFault or ClaimLost. Any other thrown value, and any invalid
 * answer, is a bug of the plugin: it is logged and counts as a lost answer. When the call has ended, by its answer,
 * its time-out or the signal, its fence throws, so that a plugin that continues changes nothing more.
 */
export async function guard<T>(
  guarded: Guarded,
  call: (call: Call) => Promise<T>,
  check?: (answer: T) => void,
): Promise<T> {
  const { what, mutating, timeout_ms, log } = guarded;
  using limit = callLimit(guarded.signal, timeout_ms);
  const { signal } = limit;
  const began = performance.now();
  let ended = false;
  let end: Omit<CallEnd, 'ms'> = {};
  const lost = mutating ? 'unknown-outcome' : 'unavailable';
  const overtime = limit.exceeded.then(() => {
    throw new ProviderFault(lost, `The ${what} did not end after its signal aborted.`, { code: 'TIMEOUT' });
  });
  try {
    const recorder = guarded.cloudRequest ? { recordCloudRequest } : {};
    const answer = await Promise.race([call({ signal, fence, ...recorder, log }), overtime]);
    check?.(answer);
    return answer;
  } catch (error) {
    if (isClaimLost(error)) end = { kind: lost, aborted: true };
    else {
      const fault = faultOf(error);
      const broken = fault.code === 'PLUGIN_ERROR' || fault.code === 'TIMEOUT';
      end = { kind: fault.kind, fault, ...(guarded.signal.aborted ? { aborted: true } : { misbehaved: broken }) };
      throw fault;
    }
    throw error;
  } finally {
    ended = true;
    guarded.ended?.({ ms: performance.now() - began, ...end });
  }

  function fence(): void {
    guarded.fence();
    // When the thread was blocked, the signal of the time-out may come late, so the clock is checked too.
    if (signal.aborted || performance.now() - began > timeout_ms) throw timedOut();
    if (ended)
      throw new ProviderFault(lost, `The ${what} has ended and must not change anything more.`, { code: 'TIMEOUT' });
  }

  /** What is no id is ignored: ids are only shown, so that they must not fail a call. */
  function recordCloudRequest(id: unknown): void {
    if (!ended && typeof id === 'string' && id !== '' && id.length <= longestId) guarded.cloudRequest?.(id);
  }

  function timedOut(cause?: unknown): ProviderFault {
    const details = { code: 'TIMEOUT', ...(cause === undefined ? {} : { cause }) };
    return new ProviderFault(lost, `The ${what} was not answered within ${timeout_ms / 1000} s.`, details);
  }

  function faultOf(error: unknown): ProviderFault {
    try {
      if (isFault(error)) return soundFault(error);
    } catch (unreadable) {
      return pluginFault(unreadable, guarded, lost);
    }
    return signal.aborted ? timedOut(thrownError(error)) : pluginFault(error, guarded, lost);
  }
}

/** The fault for a thrown value that is no ProviderFault, or for an invalid answer. Writes the details to the log. */
export function pluginFault(
  thrown: unknown,
  { what, plugin, log }: Pick<Guarded, 'what' | 'plugin' | 'log'>,
  kind: FaultKind,
): ProviderFault {
  const culprit = plugin === undefined ? 'the plugin' : `plugin '${plugin}'`;
  const error = thrownError(thrown);
  const invalid = error instanceof ContractViolation;
  log.error(
    invalid ? { broken: error.message } : { err: error },
    invalid
      ? `The answer of the ${what} violates the contract: ${error.message}. This is a bug of ${culprit}.`
      : `The ${what} threw a value that is no ProviderFault. This is a bug of ${culprit}.`,
  );
  const by = plugin === undefined ? '' : ` (plugin '${plugin}')`;
  const message = invalid
    ? `The ${what}${by} broke its contract: ${error.message}.`
    : `The ${what}${by} failed: ${errorText(error)}`;
  return new ProviderFault(kind, message, { code: 'PLUGIN_ERROR', cause: error });
}
