import type { MachineStatus } from '../model/machine.ts';

/**
 * The provider announced something about one machine, without being asked. A notice may be late, repeated, out of
 * order, or about a machine that muster does not have: the core only applies what is new.
 */
export type Notice = {
  readonly machine_id: string;
  /** ISO 8601: when the provider announced it. */
  readonly at: string;
  /** For people. */
  readonly message?: string;
} & (
  | {
      /** The provider takes the machine back soon. */
      readonly kind: 'reclaim';
      /** ISO 8601. */
      readonly reclaim_at: string;
    }
  | {
      /** Work on the host of the machine is planned, which ends the use of the machine. */
      readonly kind: 'scheduled';
      /**
       * Identifies the planned work, at most 500 characters: of several notices with one id the one with the latest
       * `at` counts, and a cancellation concerns this work alone. Default: all planned work of the machine is one.
       */
      readonly event_id?: string;
      /** ISO 8601. null: the work was cancelled. */
      readonly reclaim_at: string | null;
    }
  | {
      /** The machine is likely to be reclaimed; see `on_rebalance` of the template. */
      readonly kind: 'rebalance';
    }
  | {
      /** The machine has another status. */
      readonly kind: 'state';
      readonly status: MachineStatus;
    }
);

export const noticeKinds = ['reclaim', 'scheduled', 'rebalance', 'state'] as const satisfies Notice['kind'][];

/** One message of a provider, with its notices. */
export interface NoticeMessage {
  /** Identifies this delivery of the message in `acknowledge`. */
  readonly receipt: string;
  /** Empty: the message concerns no machine. */
  readonly notices: readonly Notice[];
  /** Why the message cannot be read. It is counted, logged and acknowledged. */
  readonly malformed?: string;
}
