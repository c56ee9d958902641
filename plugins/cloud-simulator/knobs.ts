// oxlint-disable unicorn/no-thenable -- `then` is the name of the knob's field on the wire
import { boolean, integer, listOf, mapOf, milliseconds, oneOf, record, type Shape, string } from './shapes.ts';

/** `count` places in every pool that matches, running machines included. Absent or `*` matches any; the last rule that matches a pool decides. */
export interface CapacityRule {
  readonly instance_type?: string;
  readonly zone?: string;
  readonly market?: 'on-demand' | 'spot' | '*';
  readonly count: number;
}

/** Something that goes wrong on the wire. Calls of `action` (`*` = any) are counted from when the knob was set. */
export interface FaultRule {
  readonly action: string;
  /** The first call that is hit, from 1 (default). */
  readonly nth?: number;
  /** How many calls from there on are hit: default 1, null = all. */
  readonly times?: number | null;
  /** Whether the call takes effect before it goes wrong. */
  readonly effect: 'execute' | 'skip';
  /** What the caller meets: a closed connection, half a body, an error, a gateway's HTML page, broken XML, or silence. */
  readonly then: 'drop' | 'cut' | 'error' | 'html' | 'bad-xml' | 'hang';
  /** Error code for `error` (default InternalError). */
  readonly code?: string;
  /** HTTP status for `error` (default what EC2 sends with the code) and `html` (default 502). */
  readonly status?: number;
  /** Wait before the caller meets it. */
  readonly delay_ms?: number;
}

/** Launches deliver at most `deliver` machines per call, as if the rest had found no capacity. */
export interface PartialRule {
  readonly action: string;
  readonly deliver: number;
  /** How many calls: default null = all. */
  readonly times?: number | null;
}

/** The next machines that match fail after they were accepted: pending, then terminated with a reason. */
export interface LateFailureRule {
  readonly instance_type?: string;
  readonly zone?: string;
  /** How many machines: default 1, null = all. */
  readonly times?: number | null;
  /** State reason, default Server.InternalError. */
  readonly code?: string;
  readonly message?: string;
  /** From launch to failure: default half of `boot_ms`. */
  readonly after_ms?: number;
}

/** All switches of the simulated cloud with their values. */
export interface Knobs {
  /** From launch to `running`. */
  readonly boot_ms: number;
  /** From TerminateInstances to `terminated`. */
  readonly shutdown_ms: number;
  /** How long a new machine is invisible to calls that name its id, that filter or list, and that filter by tag. */
  readonly visible_ms: { readonly id: number; readonly filter: number; readonly tag: number };
  /** Refuse images, subnets, groups, keys and profiles that the catalogue does not list. */
  readonly strict_ids: boolean;
  readonly capacity: readonly CapacityRule[];
  readonly throttle: {
    /** Request and resource buckets of AWS's documented default sizes. */
    readonly default_buckets: boolean;
    /** RequestLimitExceeded for the next `times` calls of an action. */
    readonly next: readonly { readonly action: string; readonly times: number }[];
  };
  readonly faults: readonly FaultRule[];
  readonly partial: readonly PartialRule[];
  readonly late_failures: readonly LateFailureRule[];
  /** Wait before the answer, by action; `*` for all others. The call takes effect at once. */
  readonly latency_ms: Readonly<Record<string, number>>;
  /** Client tokens, where AWS's behaviour is not documented. The defaults are the harsher ones. */
  readonly tokens: {
    /** An identical replay of a call that found no capacity: the same error, or another try. */
    readonly failed_replay: 'repeat' | 'execute';
    /** A replay when all its machines are terminated: IdempotentInstanceTerminated, or the old reservation. */
    readonly terminated_replay: 'error' | 'old';
    /** A replay of CreateFleet: the fleet's id alone, or with machines and errors. */
    readonly fleet_replay: 'bare' | 'full';
    readonly memory_ms: number;
  };
  /** Restarts the source of chance. */
  readonly seed: number | null;
}

/** Some knobs; objects are merged, arrays replaced. */
export type KnobChange = {
  readonly [Name in keyof Knobs]?: Knobs[Name] extends readonly unknown[]
    ? Knobs[Name]
    : Knobs[Name] extends object
      ? Partial<Knobs[Name]>
      : Knobs[Name];
};

export const defaultKnobs: Knobs = {
  boot_ms: 2000,
  shutdown_ms: 1000,
  visible_ms: { id: 0, filter: 0, tag: 0 },
  strict_ids: false,
  capacity: [],
  throttle: { default_buckets: false, next: [] },
  faults: [],
  partial: [],
  late_failures: [],
  latency_ms: {},
  tokens: { failed_replay: 'repeat', terminated_replay: 'error', fleet_replay: 'bare', memory_ms: 86_400_000 },
  seed: null,
};

const times = integer(1, 'null');

const shape: Shape = record({
  boot_ms: milliseconds,
  shutdown_ms: milliseconds,
  visible_ms: record({ id: milliseconds, filter: milliseconds, tag: milliseconds }),
  strict_ids: boolean,
  capacity: listOf(record({ instance_type: string, zone: string, market: oneOf('on-demand', 'spot', '*'), count: integer(0) }, ['count'])),
  throttle: record({ default_buckets: boolean, next: listOf(record({ action: string, times: integer(1) }, ['action', 'times'])) }),
  faults: listOf(
    record(
      {
        action: string,
        nth: integer(1),
        times,
        effect: oneOf('execute', 'skip'),
        then: oneOf('drop', 'cut', 'error', 'html', 'bad-xml', 'hang'),
        code: string,
        status: integer(200),
        delay_ms: milliseconds,
      },
      ['action', 'effect', 'then'],
    ),
  ),
  partial: listOf(record({ action: string, deliver: integer(0), times }, ['action', 'deliver'])),
  late_failures: listOf(record({ instance_type: string, zone: string, times, code: string, message: string, after_ms: milliseconds })),
  latency_ms: mapOf(milliseconds),
  tokens: record({
    failed_replay: oneOf('repeat', 'execute'),
    terminated_replay: oneOf('error', 'old'),
    fleet_replay: oneOf('bare', 'full'),
    memory_ms: milliseconds,
  }),
  seed: integer(0, 'null'),
});

/** The knobs after a change; throws a TypeError that names everything that is wrong with it. */
export function turnKnobs(current: Knobs, change: unknown): Knobs {
  const findings = shape(change, '');
  if (findings.length > 0) throw new TypeError(findings.join('\n'));
  return merge(current as unknown as Tree, change as Tree) as unknown as Knobs;
}

type Tree = Readonly<Record<string, unknown>>;

function merge(base: Tree, over: Tree): Tree {
  const merged: Record<string, unknown> = { ...base };
  for (const [name, value] of Object.entries(over)) {
    const old = merged[name];
    merged[name] = isTree(old) && isTree(value) ? merge(old, value) : value;
  }
  return merged;
}

function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
