import type { AttemptRecord } from '../../model/attempt.ts';
import type { Shortfall } from '../../model/shortfall.ts';
import type { Elsewhere } from './orders/fallback-order.ts';
import type { PlannedOrder } from './orders/plan-orders.ts';
import type { PendingRelease } from './pending-releases.ts';

/**
 * One step of a request. `launch`, `recover`, `observe`, `verify`, `dispose` and `release` call the provider, `open`
 * may do so, and `reach` connects to an instance; the other steps only change the store. `verify` observes the machines
 * whose end a notice announced.
 */
export type Step =
  | { readonly do: 'open'; readonly orders: readonly PlannedOrder[] }
  | {
      readonly do: 'launch' | 'recover' | 'observe' | 'dispose' | 'close' | 'mark-lost';
      readonly attempt: AttemptRecord;
    }
  /** `observes`: the observation of the attempt is due, too. */
  | { readonly do: 'verify'; readonly attempt: AttemptRecord; readonly observes: boolean }
  | { readonly do: 'leave'; readonly attempt: AttemptRecord; readonly why: string }
  | { readonly do: 'forget'; readonly attempts: readonly number[] }
  | { readonly do: 'release'; readonly pending: PendingRelease }
  | { readonly do: 'reach'; readonly instance: string }
  | { readonly do: 'hand-over'; readonly to: Elsewhere }
  | { readonly do: 'expire' | 'undo' | 'trim' | 'replace' | 'repeated' | 'leases' }
  /** `skipped`: why offers were not used at all. */
  | { readonly do: 'end'; readonly skipped?: readonly Shortfall[] };
