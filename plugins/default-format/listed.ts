import { answers, listView, type RequestDetail } from '../../core/index.ts';
import { statusView } from './status.ts';

/** Requests in a list: each as its status, with machines only where the detail has them. */
export const listed = listView<RequestDetail>({
  schema: answers.listed,
  entry: (detail) => statusView(detail, true),
  around: ({ count, total_count, not_found, next_offset }, requests) => ({
    requests,
    count,
    total_count,
    ...(not_found === undefined ? {} : { not_found }),
    ...(next_offset === undefined ? {} : { next_offset }),
  }),
});
