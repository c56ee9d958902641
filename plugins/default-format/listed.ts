import { Type } from 'typebox';
import type { ListOf, RequestDetail, View } from '../../core/index.ts';
import { Status, statusView } from './status.ts';

/** Requests in a list: each as its status, with machines only where the detail has them. */
export const listed: View<ListOf<RequestDetail>> = {
  schema: Type.Object({ requests: Type.Array(Status), count: Type.Integer(), total_count: Type.Integer() }),
  render: ({ items, total_count }) => ({
    requests: items.map((detail) => statusView(detail, true)),
    count: items.length,
    total_count,
  }),
};
