// oxlint-disable unicorn/no-thenable -- `then` is the name of the knob's field on the wire
import { boolean, integer, listOf, mapOf, milliseconds, oneOf, positive, record, share, type Shapes, string } from './shapes.ts';
import { type Span, span } from './span.ts';
import { type When, when } from './when.ts';

/** Something that goes wrong with a call. Calls of `action` (`*` = any) are counted from when the knob was set. */
export interface FaultRule extends When {
  readonly action: string;
  /** The first call that is hit, from 1 (default). */
  readonly nth?: number;
  /** How many calls from there on are hit: default 1, with `share` all; null = all. */
  readonly times?: number | null;
  /** Of the calls that would be hit only this part is, by chance. */
  readonly share?: number;
  /** Whether the call takes effect before it goes wrong. */
  readonly effect: 'execute' | 'skip';
  /**
   * What the caller meets: a closed connection, half a body, an error, a gateway's HTML page, broken XML, silence, or the right answer
   * whose head or second half comes after `delay_ms`. The two slow ones cannot be combined with `skip`.
   */
  readonly then: 'drop' | 'cut' | 'error' | 'html' | 'bad-xml' | 'hang' | 'slow-headers' | 'slow-body';
  /** Error code for `error` (default InternalError). */
  readonly code?: string;
  /** HTTP status for `error` (default what the service sends with the code) and `html` (default 502). */
  readonly status?: number;
  /** Wait before the caller meets it. */
  readonly delay_ms?: number;
}

/** A token bucket: what it holds at most, and what flows in a second. */
export interface BucketSize {
  readonly capacity: number;
  readonly per_second: number;
}

export interface ThrottleKnobs {
  /** Request and resource buckets of AWS's documented default sizes. */
  readonly default_buckets: boolean;
  /** Throttles the next `times` calls of an action (`*` = any). */
  readonly next: readonly (When & { readonly action: string; readonly times: number })[];
  /** Sizes that replace the default ones, by action; `autoscaling` is the bucket that all Auto Scaling actions share. They count with `default_buckets`. */
  readonly buckets: Readonly<Record<string, { readonly requests?: BucketSize; readonly resources?: BucketSize }>>;
}

/** What can go wrong between a caller and an action. */
export interface WireKnobs {
  readonly faults: readonly FaultRule[];
  readonly throttle: ThrottleKnobs;
  /** Wait before the answer, by action; `*` for all others. The call takes effect at once. */
  readonly latency_ms: Readonly<Record<string, Span>>;
}

export const wireDefaults: WireKnobs = { faults: [], throttle: { default_buckets: false, next: [], buckets: {} }, latency_ms: {} };

const bucket = record({ capacity: positive, per_second: positive }, ['capacity', 'per_second']);

export const wireShapes: Shapes = {
  faults: listOf(
    record(
      {
        ...when,
        action: string,
        nth: integer(1),
        times: integer(1, 'null'),
        share,
        effect: oneOf('execute', 'skip'),
        then: oneOf('drop', 'cut', 'error', 'html', 'bad-xml', 'hang', 'slow-headers', 'slow-body'),
        code: string,
        status: integer(200),
        delay_ms: milliseconds,
      },
      ['action', 'effect', 'then'],
    ),
  ),
  throttle: record({
    default_buckets: boolean,
    next: listOf(record({ ...when, action: string, times: integer(1) }, ['action', 'times'])),
    buckets: mapOf(record({ requests: bucket, resources: bucket })),
  }),
  latency_ms: mapOf(span),
};
