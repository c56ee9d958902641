import { Type } from 'typebox';
import type { RequestDetail, View } from '../../../core/index.ts';
import { messageOf } from './message.ts';

/** requestReturnMachines. */
export const returned: View<RequestDetail> = {
  schema: Type.Object({ requestId: Type.String(), message: Type.String() }),
  render: ({ request }) => ({ requestId: request.request_id, message: messageOf(request) }),
};
