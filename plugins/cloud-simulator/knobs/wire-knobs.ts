// oxlint-disable unicorn/no-thenable -- `then` is the name of the knob's field on the wire
import { type ActionName, machineActions } from '../actions/action-names.ts';
import { actionName, bucketName } from './action-shapes.ts';
import {
  between,
  boolean,
  both,
  wholeNumber,
  listOf,
  mapOf,
  milliseconds,
  oneWordOf,
  positive,
  record,
  share,
  type Shapes,
  string,
} from './shapes.ts';
import { type Span, span } from './span.ts';
import { rule, type When } from './when.ts';

/** Something that goes wrong with a call. Calls of `action` (`*` = any) are counted from when the knob was set. */
export interface FaultRule extends When {
  readonly action: string;
  /** The first call that is hit, from 1 (default). */
  readonly nth?: number;
  /** How many calls from there on are hit: default 1, with `share` all; null = all. */
  readonly times?: number | null;
  /**
   * Of the calls that would be hit only this part is, by chance: the same seed and the same calls hit the same ones.
   */
  readonly share?: number;
  /** Whether the call takes effect before it goes wrong. */
  readonly effect: 'execute' | 'skip';
  /**
   * What the caller meets: a closed connection, half a body, an error, a gateway's HTML page, broken XML, silence, or
   * the right answer whose head or second half comes after `delay_ms`. The two slow ones go with `execute` only, and
   * need `delay_ms`. /
   */
  readonly then: 'drop' | 'cut' | 'error' | 'html' | 'bad-xml' | 'hang' | 'slow-headers' | 'slow-body';
  /**
   * Error code for `error` (default InternalError). RequestLimitExceeded becomes Throttling where the service says so.
   */
  readonly code?: string;
  /** HTTP status for `error` (400 or more; default what the service sends with the code) and `html` (default 502). */
  readonly status?: number;
  /**
   * Wait before the caller meets it, in the computer's own time whatever the simulator's clock does: the SDK waits in
   * that as well.
   */
  readonly delay_ms?: number;
}

/** A token bucket: what it holds at most, and what flows in a second. */
export interface BucketSize {
  readonly capacity: number;
  readonly per_second: number;
}

export interface ThrottleKnobs {
  /**
   * Buckets of requests, and of machines for RunInstances and TerminateInstances, for each account and region: of
   * AWS's documented default sizes for EC2, where every action has one of its own. Auto Scaling's actions share one,
   * for which AWS publishes no size: it is taken as 100 and 5 a second. STS's share one of 600 and 600 a second,
   * Systems Manager's one of 40 and 40. /
   */
  readonly default_buckets: boolean;
  /**
   * Whether what fleets and groups start draws from the bucket of RunInstances' machines as well: AWS does not say.
   */
  readonly fleets_draw: boolean;
  /**
   * Throttles the next `times` calls of an action (`*` = any): EC2 says RequestLimitExceeded (503), the other services
   * Throttling (400).
   */
  readonly next: readonly (When & { readonly action: string; readonly times: number })[];
  /**
   * Sizes that replace the default ones, by action; `autoscaling`, `sts` and `ssm` are the buckets that all actions of
   * those services share. They count with `default_buckets`. A bucket whose size changes is full. /
   */
  readonly buckets: Readonly<Record<string, { readonly requests?: BucketSize; readonly resources?: BucketSize }>>;
}

/** What can go wrong between a caller and an action. */
export interface WireKnobs {
  readonly faults: readonly FaultRule[];
  readonly throttle: ThrottleKnobs;
  /**
   * Wait before the answer in the computer's own time, by action; `*` for all others. The call takes effect at once.
   */
  readonly latency_ms: Readonly<Record<string, Span>>;
}

export const wireDefaults: WireKnobs = {
  faults: [],
  throttle: { default_buckets: false, fleets_draw: true, next: [], buckets: {} },
  latency_ms: {},
};

const bucket = record({ capacity: wholeNumber(1), per_second: positive }, ['capacity', 'per_second']);

const fault = rule(
  {
    action: actionName,
    nth: wholeNumber(1),
    times: wholeNumber(1, 'null'),
    share,
    effect: oneWordOf('execute', 'skip'),
    then: oneWordOf('drop', 'cut', 'error', 'html', 'bad-xml', 'hang', 'slow-headers', 'slow-body'),
    code: string,
    status: between(200, 599),
    delay_ms: milliseconds,
  },
  ['action', 'effect', 'then'],
);

/** What would be without effect, or would not be what it says. */
function contradictions(
  { effect, then, code, status, delay_ms }: Readonly<Record<string, unknown>>,
  path: string,
): string[] {
  const slow = then === 'slow-headers' || then === 'slow-body';
  return [
    ...(slow && effect === 'skip'
      ? [`${path}/then: ${then} is a right answer, which a call that is skipped has not`]
      : []),
    ...(slow && delay_ms === undefined ? [`${path}/delay_ms: is missing, and nothing is slow without it`] : []),
    ...(code !== undefined && then !== 'error' ? [`${path}/code: goes with error only`] : []),
    ...(status !== undefined && then !== 'error' && then !== 'html'
      ? [`${path}/status: goes with error and html only`]
      : []),
    ...(then === 'html' && (status === 204 || status === 304)
      ? [`${path}/status: an answer with ${status} has no page`]
      : []),
    ...(then === 'error' && typeof status === 'number' && status < 400
      ? [`${path}/status: expected 400 or more for an error`]
      : []),
  ];
}

function withoutMachines(buckets: Readonly<Record<string, unknown>>, path: string): string[] {
  const sized = (name: string) => Object.hasOwn(Object(buckets[name]), 'resources');
  const wrong = Object.keys(buckets).filter((name) => sized(name) && !machineActions.includes(name as ActionName));
  return wrong.map((name) => `${path}/${name}/resources: has no machines; known are ${machineActions.join(', ')}`);
}

export const wireShapes: Shapes = {
  faults: listOf(both(fault, contradictions)),
  throttle: record({
    default_buckets: boolean,
    fleets_draw: boolean,
    next: listOf(rule({ action: actionName, times: wholeNumber(1) }, ['action', 'times'])),
    buckets: both(mapOf(record({ requests: bucket, resources: bucket }), bucketName), withoutMachines),
  }),
  latency_ms: mapOf(span, actionName),
};
