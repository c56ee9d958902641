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

/** A fault of a call. Calls of `action` (`*` = any) are counted from when the knob was set. */
export interface FaultRule extends When {
  readonly action: string;
  /** The first call that is hit, from 1 (default). */
  readonly nth?: number;
  /** How many calls from there on are hit: default 1, with `share` all; null = all. */
  readonly times?: number | null;
  /** The probability that a call is hit. The same seed and the same calls hit the same calls. */
  readonly share?: number;
  /** Whether the call takes effect before it goes wrong. */
  readonly effect: 'execute' | 'skip';
  /**
   * What the caller gets: a closed connection, half a body, an error, a gateway's HTML page, broken XML, no answer,
   * or the right answer whose head or second half comes after `delay_ms`. The two slow ones require `execute` and
   * `delay_ms`.
   */
  readonly then: 'drop' | 'cut' | 'error' | 'html' | 'bad-xml' | 'hang' | 'slow-headers' | 'slow-body';
  /**
   * Error code for `error` (default InternalError). RequestLimitExceeded becomes Throttling for services other than
   * EC2.
   */
  readonly code?: string;
  /** HTTP status for `error` (400 or more; default what the service sends with the code) and `html` (default 502). */
  readonly status?: number;
  /**
   * Delay of the answer in the computer's time, not in that of the simulator's clock, because the SDK also waits in
   * the computer's time.
   */
  readonly delay_ms?: number;
}

/** A token bucket: its capacity, and the tokens that are added per second. */
export interface BucketSize {
  readonly capacity: number;
  readonly per_second: number;
}

export interface ThrottleKnobs {
  /**
   * Enables buckets of requests, and of machines for RunInstances and TerminateInstances, for each account and
   * region. For EC2 they have AWS's documented default sizes, one for each action. Auto Scaling's actions share one
   * bucket of 100 and 5 a second, an estimate, because AWS publishes no size. STS's actions share one of 600 and 600
   * a second, Systems Manager's one of 40 and 40, SQS's one of 3000 and 3000, an estimate too.
   */
  readonly default_buckets: boolean;
  /**
   * Whether machines that fleets and groups start also draw from the bucket of machines of RunInstances. AWS does not
   * document it.
   */
  readonly fleets_draw: boolean;
  /**
   * Throttles the next `times` calls of an action (`*` = any): EC2 returns RequestLimitExceeded (503), the other
   * services Throttling (400).
   */
  readonly next: readonly (When & { readonly action: string; readonly times: number })[];
  /**
   * Sizes that replace the default ones, by action; `autoscaling`, `sts`, `ssm` and `sqs` are the buckets that all actions
   * of those services share. They apply with `default_buckets`. A bucket whose size changes is full.
   */
  readonly buckets: Readonly<Record<string, { readonly requests?: BucketSize; readonly resources?: BucketSize }>>;
}

/** Faults between a caller and an action. */
export interface WireKnobs {
  readonly faults: readonly FaultRule[];
  readonly throttle: ThrottleKnobs;
  /** Delay before the answer in the computer's time, by action; `*` for all others. The call takes effect at once. */
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

/** Combinations of fields that have no effect or contradict each other. */
function contradictions(
  { effect, then, code, status, delay_ms }: Readonly<Record<string, unknown>>,
  path: string,
): string[] {
  const slow = then === 'slow-headers' || then === 'slow-body';
  return [
    ...(slow && effect === 'skip'
      ? [`${path}/then: ${then} sends the right answer, which a skipped call does not have`]
      : []),
    ...(slow && delay_ms === undefined ? [`${path}/delay_ms: is missing; ${then} needs it`] : []),
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
  return wrong.map((name) => `${path}/${name}/resources: has no machines; known: ${machineActions.join(', ')}`);
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
