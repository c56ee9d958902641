import { answers, type RequestDetail, type View } from '../../core/index.ts';

/** The answer to a return of machines. */
export const returned: View<RequestDetail> = {
  schema: answers.returned,
  render: ({ request: { request_id, status, message }, machine_keys, machines }) => ({
    request_id,
    status,
    machine_ids: (machine_keys ?? machines ?? []).map(({ machine_id }) => machine_id),
    message,
  }),
};
