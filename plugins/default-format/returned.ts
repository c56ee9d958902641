import { Type } from 'typebox';
import type { RequestDetail, View } from '../../core/index.ts';

/** The answer to a return of machines. */
export const returned: View<RequestDetail> = {
  schema: Type.Object({
    request_id: Type.String(),
    status: Type.String(),
    machine_ids: Type.Array(Type.String()),
    message: Type.String(),
  }),
  render: ({ request: { request_id, status, message }, machine_keys, machines }) => ({
    request_id,
    status,
    machine_ids: (machine_keys ?? machines ?? []).map(({ machine_id }) => machine_id),
    message,
  }),
};
