import type { SchedulerStrategy, RequestDetail, View } from '../../core/index.ts';
import type { Dialect } from './dialect.ts';
import { reclaims } from './views/reclaims.ts';
import { requested } from './views/requested.ts';
import { requestStatus } from './views/request-status.ts';
import { listedView, statusView } from './views/status.ts';
import { templatesView } from './views/templates.ts';
import { Type } from 'typebox';
import { messageOf } from './views/message.ts';

/** The scheduler strategy of one dialect. */
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

/** The answer of requestReturnMachines. */
const returned: View<RequestDetail> = {
  schema: Type.Object({ requestId: Type.String(), message: Type.String() }),
  render: ({ request }) => ({ requestId: request.request_id, message: messageOf(request) }),
};
