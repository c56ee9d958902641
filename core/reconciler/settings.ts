import { defaultReadyTimeoutS } from '../model/template.ts';

/** The life cycle's intervals, in milliseconds. */
export interface Settings {
  /** Between two looks while something comes up or goes. */
  readonly look_soon_ms: number;
  /** Between two looks at what merely lives. */
  readonly look_late_ms: number;
  /** A machine that is not ready by then has failed, unless its template says `ready_timeout`. */
  readonly pending_timeout_ms: number;
  /** A machine that answers lack for so long, though they list others, is gone. */
  readonly absence_ms: number;
  /** An instance of which no call was carried out for so long does not answer: others serve in its place. */
  readonly silent_ms: number;
  /** Both clocks of this process are compared so often; a difference beyond `clock_jump_ms` is a jump. */
  readonly clock_check_ms: number;
  readonly clock_jump_ms: number;
  /** How long an offer that lacked capacity comes behind all others. */
  readonly offer_memory_ms: number;
  /** After this time it is asked again, when nothing else is left. */
  readonly offer_probe_ms: number;
  /** A claim ends this long after its last renewal. */
  readonly lease_ms: number;
  /** Requests are given back when nothing is due for longer than this. */
  readonly hold_ms: number;
  /** A successor of a holder that did not yield repeats releases after this time. */
  readonly repeat_release_ms: number;
  /** When an attempt whose token is too old for a replay is looked for, after it was given up. */
  readonly lost_looks_ms: readonly number[];
  /** Between two sweeps of everything that is ours in the clouds, and from the start to the first. */
  readonly sweep_ms: number;
  readonly sweep_first_ms: number;
  /** What is younger is left alone by a sweep. */
  readonly sweep_grace_ms: number;
  /** What an instance has is asked anew after this time, and first so long after it was first spoken to. */
  readonly discovery_ms: number;
  readonly discovery_first_ms: number;
  /** From the start until the instances are asked whether they answer: the start has the computer for itself. */
  readonly health_first_ms: number;
  /** Rows in one transaction. */
  readonly rows_per_commit: number;
  /** Calls that change one instance's cloud at the same time. */
  readonly calls_at_once: number;
}

export const defaultSettings: Settings = {
  look_soon_ms: 2_000,
  look_late_ms: 30_000,
  pending_timeout_ms: defaultReadyTimeoutS * 1_000,
  absence_ms: 60_000,
  silent_ms: 30_000,
  clock_check_ms: 1_000,
  clock_jump_ms: 5_000,
  offer_memory_ms: 180_000,
  offer_probe_ms: 15_000,
  lease_ms: 30_000,
  hold_ms: 60_000,
  repeat_release_ms: 60_000,
  lost_looks_ms: [30_000, 120_000, 600_000],
  sweep_ms: 600_000,
  sweep_first_ms: 15_000,
  sweep_grace_ms: 600_000,
  discovery_ms: 86_400_000,
  discovery_first_ms: 10_000,
  health_first_ms: 1_000,
  rows_per_commit: 100,
  calls_at_once: 16,
};
