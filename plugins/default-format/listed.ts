import { answers, type ListOf, type RequestDetail, type View } from '../../core/index.ts';
import { statusView } from './status.ts';

/** Requests in a list: each as its status, with machines only where the detail has them. */
export const listed: View<ListOf<RequestDetail>> = {
  schema: answers.listed,
  render: ({ items, total_count }) => ({
    requests: items.map((detail) => statusView(detail, true)),
    count: items.length,
    total_count,
  }),
};
