import type { Log } from '../../contract/log.ts';
import type { Call } from '../../contract/provider/call.ts';
import type { CalledFor } from './called-for.ts';
import type { CallTracking } from './call-tracking.ts';
import { guard, type CallEnd } from './guard.ts';
import type { ProviderMeter } from './meter/provider-meter.ts';
import { timeOuts, type Verb } from './time-outs.ts';
import { noTracer, type Tracer } from '../../tracing/tracer.ts';
import { callSpan, endSpan, type CallTrace } from './traces/call-span.ts';

/** The permission for a call. It ends with the claim of a request, or with the loop. */
export interface Permit {
  /** Aborts when the claim is lost or the loop stops. */
  readonly signal: AbortSignal;
  /** Throws ClaimLost when the claim is lost. Absent: the call needs no claim, and only the signal ends it. */
  fence?(): void;
  /** The requests of the call. Absent: the call is for the instance itself. */
  readonly of?: readonly CalledFor[];
  /** Receives the ids that the plugin records for the call; see `recordCloudRequest` of Call. */
  cloudRequest?(id: string): void;
  /** The place of the call in traces. Null: it belongs to none that is recorded. Absent: it begins a trace. */
  readonly trace?: CallTrace | null;
}

/** Receives the end of each call at an instance, once. */
export interface CallEvidence {
  ended(instance: string, verb: Verb, end: CallEnd): void;
}

export interface GuardedCallsParts {
  readonly log: Log;
  readonly meter: ProviderMeter;
  readonly watch: CallTracking;
  readonly evidence: CallEvidence;
  /** Default: calls are not traced. */
  readonly tracer?: Tracer;
}

/** Identifies a call. */
export interface CallName {
  readonly verb: Verb;
  /** For messages: `launch at 'east' (EC2Fleet)`. */
  readonly what: string;
  /** The plugin that is called, for messages. */
  readonly plugin: string | undefined;
  /** The provider API, for a verb of one. */
  readonly api?: string;
  /** Whether the call may have been executed when it has no answer. Default false. */
  readonly mutating?: boolean;
  /** Adds to the end of the call what its answer shows. */
  readonly judge?: (end: CallEnd) => CallEnd;
  /**
   * The call waits most of the time: it is not counted among the open calls, which are suspected when the thread
   * hangs. Its failure proves nothing about the instance.
   */
  readonly waits?: boolean;
}

/**
 * The calls at one provider instance: each has a time-out, is checked, counted and tracked. The guarded verbs are
 * built on it.
 */
export interface GuardedCalls {
  readonly instance: string;
  readonly log: Log;
  call<T>(name: CallName, permit: Permit, call: (call: Call) => Promise<T>, check?: (answer: T) => void): Promise<T>;
}

export function guardedCalls(instance: string, parts: GuardedCallsParts): GuardedCalls {
  const { log, meter, watch, evidence, tracer = noTracer } = parts;
  const ended = (verb: Verb, end: CallEnd, waits: boolean): void => {
    meter.verb(instance, verb)(end.ms, end.kind);
    if (!waits) evidence.ended(instance, verb, end);
  };
  return {
    instance,
    log,
    call: (name, permit, call, check) => {
      const { verb, mutating = false, judge = (end) => end, waits = false, api, ...about } = name;
      const { signal, fence = () => undefined, of, cloudRequest, trace } = permit;
      const span = tracer.on && !waits ? callSpan({ instance, verb, api, of, trace }, tracer) : undefined;
      const run = (given: Call) =>
        waits ? watch.pure(instance, () => call(given)) : watch.call(instance, () => call(given), of);
      return guard(
        {
          ...about,
          mutating,
          timeout_ms: timeOuts[verb],
          signal,
          fence,
          ...(cloudRequest ? { cloudRequest } : {}),
          log,
          ended: (given) => {
            const end = judge(given);
            if (span) endSpan(span, end);
            ended(verb, { ...end, ...(of ? { of } : {}) }, waits);
          },
        },
        span ? (given) => tracer.within(span, () => run(given)) : run,
        check,
      );
    },
  };
}
