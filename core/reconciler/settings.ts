import { defaultReadyTimeoutS } from '../model/template.ts';

/** The intervals of the reconciler, in milliseconds. */
export interface Settings {
  /** The interval between observations while machines start or stop. */
  readonly observe_moving_ms: number;
  /** The least interval, while few machines are about to be ready or gone. */
  readonly observe_expected_ms: number;
  /** The interval between observations of machines at rest. */
  readonly observe_resting_ms: number;
  /** The same while the provider sends notices about its machines. */
  readonly observe_noticed_ms: number;
  /** The time after which a machine that is not ready has failed, unless its template sets `ready_timeout`. */
  readonly pending_timeout_ms: number;
  /** The time after which a machine is gone that is missing from answers that list others. */
  readonly absence_ms: number;
  /** The time without an executed call after which an instance counts as not answering, and another one serves. */
  readonly silent_ms: number;
  /** The interval between comparisons of both clocks of this process. A difference above `clock_shift_ms` is a shift. */
  readonly clock_check_ms: number;
  readonly clock_shift_ms: number;
  /** How long an offer that lacked capacity comes after all others. */
  readonly offer_memory_ms: number;
  /** The time after which such an offer may be used again when no other is left. */
  readonly offer_probe_ms: number;
  /** The least time from when a replacement took over until it is replaced itself. */
  readonly replace_again_ms: number;
  /** Leases end, and are announced, at multiples of this time, so that many end together. */
  readonly lease_tick_ms: number;
  /** The duration of a claim after its last renewal. */
  readonly lease_ms: number;
  /** Requests without due work for longer than this are yielded. */
  readonly hold_ms: number;
  /** The time after which a new holder repeats the releases of a holder that did not yield. */
  readonly repeat_release_ms: number;
  /**
   * The times of the searches for an attempt whose token is too old for a replay, counted from when it was marked
   * lost.
   */
  readonly recover_after_ms: readonly number[];
  /** The interval between two sweeps, and from the start to the first one. */
  readonly sweep_ms: number;
  readonly sweep_first_ms: number;
  /** A sweep ignores younger resources. */
  readonly sweep_grace_ms: number;
  /** The interval between two discoveries, and from the first session to the first discovery. */
  readonly discovery_ms: number;
  readonly discovery_first_ms: number;
  /** The delay of the first health checks, because the start of the process needs the CPU. */
  readonly health_first_ms: number;
  /** The most rows of one transaction. */
  readonly rows_per_commit: number;
  /** The most concurrent calls that change the cloud of one instance. */
  readonly calls_at_once: number;
}

export const defaultSettings: Settings = {
  observe_moving_ms: 2_000,
  observe_expected_ms: 200,
  observe_resting_ms: 30_000,
  observe_noticed_ms: 300_000,
  pending_timeout_ms: defaultReadyTimeoutS * 1_000,
  absence_ms: 60_000,
  silent_ms: 30_000,
  clock_check_ms: 1_000,
  clock_shift_ms: 5_000,
  offer_memory_ms: 180_000,
  offer_probe_ms: 15_000,
  replace_again_ms: 1_800_000,
  lease_tick_ms: 5_000,
  lease_ms: 30_000,
  hold_ms: 60_000,
  repeat_release_ms: 60_000,
  recover_after_ms: [30_000, 120_000, 600_000],
  sweep_ms: 600_000,
  sweep_first_ms: 15_000,
  sweep_grace_ms: 600_000,
  discovery_ms: 86_400_000,
  discovery_first_ms: 10_000,
  health_first_ms: 1_000,
  rows_per_commit: 100,
  calls_at_once: 16,
};
