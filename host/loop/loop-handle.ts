import type { Budget } from '../../core/budgets/budget.ts';
import type { Discovering } from '../../core/providers/discover-now.ts';
import type { Checkup } from '../../core/providers/checkup.ts';
import type { ProviderActivity } from '../../core/providers/provider-activity.ts';
import type { FileHashes } from '../../core/templates/library.ts';
import type { Family } from '../metrics/family.ts';

/** The reconciler loop as seen by the interfaces, wherever it runs. */
export interface LoopHandle extends Checkup, Discovering, ProviderActivity {
  readonly where: 'thread' | 'inline' | 'primary';
  /** Returns why the loop does not process requests; undefined when it runs. */
  trouble(): string | undefined | Promise<string | undefined>;
  /** Returns the metrics of the loop; the last known ones when it does not answer. */
  measures(): Promise<readonly Family[]>;
  refresh(request_ids: readonly string[]): void;
  /** From now on these budgets count, also after the loop was replaced. */
  useBudgets(budgets: readonly Budget[]): void;
  /** Tells the other brokers which template files this server uses now. */
  describe(template_files: FileHashes): void;
  /** Ends open calls and releases the leases. Idempotent. */
  stop(): Promise<void>;
}
