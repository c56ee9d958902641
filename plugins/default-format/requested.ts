import { Type } from 'typebox';
import type { RequestDetail, View } from '../../core/index.ts';

/** The answer to a request for machines. */
export const requested: View<RequestDetail> = {
  schema: Type.Object({
    request_id: Type.String(),
    template_id: Type.Union([Type.String(), Type.Null()]),
    machine_count: Type.Integer(),
    status: Type.String(),
    message: Type.String(),
  }),
  render({ request: { request_id, template_id, machine_count, status, message } }) {
    return { request_id, template_id, machine_count, status, message };
  },
};
