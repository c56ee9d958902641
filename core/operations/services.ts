import type { BudgetQueries } from '../budgets/budget-queries.ts';
import type { Clock } from '../contract/clock.ts';
import type { Store } from '../contract/storage.ts';
import type { Journal } from '../journal/journal.ts';
import type { Timelines } from '../journal/timelines.ts';
import type { Capacity } from '../providers/capacity.ts';
import type { Checkup } from '../providers/checkup.ts';
import type { Discovering } from '../providers/discover-now.ts';
import type { Orphans } from '../providers/orphans/orphans.ts';
import type { ProviderActivity } from '../providers/provider-activity.ts';
import type { ProviderDirectory } from '../providers/directory.ts';
import type { RequestPlans } from '../requests/plan/request-plans.ts';
import type { CleanUp } from '../requests/clean-up.ts';
import type { Explanations } from '../requests/explain/explanations.ts';
import type { Inventory } from '../requests/queries/inventory.ts';
import type { Overview } from '../requests/queries/overview.ts';
import type { RequestQueries } from '../requests/queries/request-queries.ts';
import type { UsageQuery } from '../requests/usage/usage-query.ts';
import type { RequestService } from '../requests/request-service.ts';
import type { LeaseCommands } from '../requests/leases/lease-commands.ts';
import type { RequestCommands } from '../requests/request-commands.ts';
import type { SchedulerStrategy } from '../contract/scheduler.ts';
import type { TemplateService } from '../templates/template-service.ts';
import type { TemplateLibrary } from '../templates/library.ts';
import type { TemplateReview } from '../templates/review.ts';
import type { Tracer } from '../tracing/tracer.ts';
import type { ConfigurationChecks } from './providers/configuration-checks.ts';

/** The dependencies of operations. The host makes them once per process. */
export interface Services {
  readonly templateLibrary: TemplateLibrary;
  readonly templateService: TemplateService;
  readonly review: TemplateReview;
  readonly configurationChecks: ConfigurationChecks;
  /** The strategy of the call, else the active one. Operations with an own answer shape use it for single words. */
  readonly scheduler: SchedulerStrategy;
  readonly providers: ProviderDirectory;
  readonly requests: RequestService;
  readonly requestQueries: RequestQueries;
  readonly explanations: Explanations;
  readonly capacity: Capacity;
  readonly inventory: Inventory;
  readonly overview: Overview;
  readonly budgets: BudgetQueries;
  readonly requestPlans: RequestPlans;
  readonly usage: UsageQuery;
  readonly requestCommands: RequestCommands;
  readonly leaseCommands: LeaseCommands;
  readonly journal: Journal;
  readonly timelines: Timelines;
  readonly cleanUp: CleanUp;
  readonly checkup: Checkup;
  readonly discovering: Discovering;
  readonly providerActivity: ProviderActivity;
  readonly orphans: Orphans;
  /** The brokers that share the storage. */
  readonly brokers: Store['brokers'];
  readonly clock: Clock;
  readonly tracer: Tracer;
}
