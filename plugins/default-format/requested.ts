import { answers, type RequestDetail, type View } from '../../core/index.ts';

/** The answer to a request for machines. */
export const requested: View<RequestDetail> = {
  schema: answers.requested,
  render({ request: { request_id, template_id, machine_count, status, message } }) {
    return { request_id, template_id, machine_count, status, message };
  },
};
