import fc from 'fast-check';
import type { Naming } from './names.ts';

/** How the clouds' API is, for all instances of a play. */
export interface ApiSetup {
  /**
   * `plain`: a launch gives all that it ever will. `request`: a fleet that delivers over time. `maintain`: one that
   * also replaces what it loses.
   */
  readonly kind: 'plain' | 'request' | 'maintain';
  readonly machines_per_launch: number;
  readonly offers_per_launch: 'one' | 'many';
  /** 0: it has none to choose from. */
  readonly offers: number;
  readonly prepares: boolean;
  readonly finds: boolean;
  readonly disposes: boolean;
  readonly late_release_ms: number;
  readonly token_valid_ms: number;
  readonly visible_within_ms: number;
  /** A call under way takes so long. */
  readonly call_ms: number;
  /** Of three calls one takes a quarter of it, and one four times as long. */
  readonly calls_vary?: boolean;
  /** A machine comes up so long after its launch. */
  readonly boot_ms: number;
  /** Machines are seen so long after their launch. */
  readonly seen_after_ms: number;
  /** A machine that ended is told of for so long. */
  readonly forget_ms: number;
}

export interface InstanceSetup {
  readonly weight: number;
  readonly max_concurrent: number | null;
  /** Places of each offer; null: no bound. */
  readonly free: number | null;
}

export interface TemplateSetup {
  readonly timeout: number;
  readonly partial: 'best_effort' | 'all_or_nothing';
  readonly retry_until_timeout: boolean;
  readonly replace_lost: boolean;
  readonly on_rebalance: 'report' | 'replace';
  readonly rebalance_drain: number;
}

export interface Setup {
  readonly api: ApiSetup;
  readonly instances: readonly InstanceSetup[];
  readonly templates: readonly TemplateSetup[];
  readonly sweep: 'off' | 'report' | 'terminate';
  readonly rows_per_commit: number;
  readonly lease_ms: number;
  /** Whether requests have names, and how machines learn theirs. */
  readonly names?: Naming;
  /** A broker takes so long to commit changes of a request. */
  readonly commit_ms?: number;
  /** How many brokers run at a time, each on a computer of its own. Default 1. */
  readonly brokers?: number;
}

export const plainSetup: Setup = {
  api: {
    kind: 'plain',
    machines_per_launch: 40,
    offers_per_launch: 'many',
    offers: 0,
    prepares: true,
    finds: false,
    disposes: false,
    late_release_ms: 0,
    token_valid_ms: 3_600_000,
    visible_within_ms: 5_000,
    call_ms: 0,
    boot_ms: 1_000,
    seen_after_ms: 0,
    forget_ms: 3_600_000,
  },
  instances: [{ weight: 10, max_concurrent: null, free: null }],
  templates: [
    {
      timeout: 300,
      partial: 'best_effort',
      retry_until_timeout: false,
      replace_lost: false,
      on_rebalance: 'report',
      rebalance_drain: 10,
    },
  ],
  sweep: 'terminate',
  rows_per_commit: 6,
  lease_ms: 120_000,
};

const oneOf = <const T>(first: T, ...others: readonly T[]): fc.Arbitrary<T> => fc.constantFrom(first, ...others);

const apis = (...sizes: readonly [number, ...number[]]): fc.Arbitrary<ApiSetup> =>
  fc.record<ApiSetup>({
    kind: oneOf('plain', 'plain', 'request', 'maintain'),
    machines_per_launch: oneOf(...sizes),
    offers_per_launch: oneOf('many', 'one'),
    offers: oneOf(0, 1, 3),
    prepares: oneOf(true, false),
    finds: oneOf(false, true),
    disposes: oneOf(false, true),
    late_release_ms: oneOf(0, 10_000),
    token_valid_ms: oneOf(3_600_000, 60_000),
    visible_within_ms: oneOf(5_000, 30_000),
    call_ms: oneOf(0, 0, 0, 400, 5_000),
    calls_vary: oneOf(false, true),
    boot_ms: oneOf(1_000, 0, 20_000, 90_000),
    seen_after_ms: oneOf(0, 0, 4_000),
    forget_ms: oneOf(3_600_000, 3_600_000, 60_000),
  });

const instance = fc.record<InstanceSetup>({
  weight: oneOf(10, 30, 0),
  max_concurrent: oneOf(null, null, 1, 3),
  free: oneOf(null, null, 0, 4, 12),
});

const template = fc.record<TemplateSetup>({
  timeout: oneOf(300, 90, 1_200),
  partial: oneOf('best_effort', 'best_effort', 'all_or_nothing'),
  retry_until_timeout: oneOf(false, false, true),
  replace_lost: oneOf(false, false, true),
  on_rebalance: oneOf('report', 'replace', 'replace'),
  rebalance_drain: oneOf(10, 0, 60),
});

/** `sizes`: how many machines a launch may take. */
export const setups = (rows_per_commit: number, ...sizes: readonly number[]): fc.Arbitrary<Setup> =>
  fc.record<Setup>({
    api: apis(40, ...(sizes.length > 0 ? sizes : [1, 5, 500])),
    instances: fc.array(instance, { minLength: 1, maxLength: 3 }),
    templates: fc.array(template, { minLength: 1, maxLength: 3 }),
    sweep: oneOf('terminate', 'terminate', 'report', 'off'),
    rows_per_commit: fc.constant(rows_per_commit),
    lease_ms: oneOf(120_000, 120_000, 30_000),
    commit_ms: oneOf(0, 0, 10, 300),
    ...names,
  });

const names = { names: oneOf<Naming | undefined>(undefined, 'later', 'told') } as { names: fc.Arbitrary<Naming> };
