import type { SchedulerStrategy } from '../../core/index.ts';
import type { Dialect } from './dialect.ts';
import { reclaims } from './reclaims.ts';
import { requested } from './requested.ts';
import { requestStatus } from './request-status.ts';
import { returned } from './returned.ts';
import { listedView, statusView } from './status.ts';
import { templatesView } from './templates.ts';

/** The words of one dialect. */
export function strategy(name: string, dialect: Dialect): SchedulerStrategy {
  return {
    name,
    requested,
    returned,
    status: statusView(dialect),
    listed: listedView(dialect),
    templates: templatesView(dialect),
    reclaims,
    statusWord: requestStatus,
  };
}
