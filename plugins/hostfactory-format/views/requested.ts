import { Type } from 'typebox';
import type { RequestDetail, View } from '../../../core/index.ts';
import { messageOf } from './message.ts';
import { requestStatus, requestStatuses } from './request-status.ts';

/** The answer of requestMachines: the id for later calls. */
export const requested: View<RequestDetail> = {
  schema: Type.Object({
    requestId: Type.String(),
    templateId: Type.Union([Type.String(), Type.Null()]),
    machineCount: Type.Integer(),
    status: Type.Enum([...requestStatuses]),
    message: Type.String(),
  }),
  render: ({ request }) => ({
    requestId: request.request_id,
    templateId: request.template_id,
    machineCount: request.machine_count,
    status: requestStatus(request),
    message: messageOf(request),
  }),
};
