import type { ListOf, RequestDetail, View } from '../../core/index.ts';
import { Requests, requestView } from './status.ts';

/** getRequestStatus for many. */
export const listed: View<ListOf<RequestDetail>> = {
  schema: Requests,
  render: ({ items }) => ({ requests: items.map(requestView) }),
};
