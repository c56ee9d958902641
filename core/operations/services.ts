import type { Clock } from '../contract/clock.ts';
import type { Checkup } from '../providers/checkup.ts';
import type { ProviderDirectory } from '../providers/directory.ts';
import type { Cleanup } from '../requests/clean-up.ts';
import type { Inventory } from '../requests/queries/inventory.ts';
import type { RequestService } from '../requests/request-service.ts';
import type { Steering } from '../requests/steering.ts';
import type { SchedulerStrategy } from '../contract/scheduler.ts';
import type { TemplateService } from '../templates/template-service.ts';
import type { TemplateLibrary } from '../templates/library.ts';
import type { TemplateReview } from '../templates/review.ts';
import type { ConfigurationChecks } from './providers/configuration-checks.ts';

/** What operations work with. Made by the host, once for a process. */
export interface Services {
  readonly templates: TemplateLibrary;
  readonly templateService: TemplateService;
  readonly review: TemplateReview;
  readonly configuration: ConfigurationChecks;
  /** That of the call, else the active one: operations that do not speak its words ask it for single ones. */
  readonly scheduler: SchedulerStrategy;
  readonly providers: ProviderDirectory;
  readonly requests: RequestService;
  readonly inventory: Inventory;
  readonly steering: Steering;
  readonly cleanup: Cleanup;
  readonly checkup: Checkup;
  readonly clock: Clock;
}
