import type { Query } from '../contract/storage.ts';

/** The id of the requested record, when the query names one request and nothing else. */
export function onlyRequestId({ where = {}, limit, offset }: Query<'request'>): string | undefined {
  const { request_id } = where;
  const alone = Object.keys(where).length === 1 && limit === undefined && offset === undefined;
  return alone && typeof request_id === 'string' ? request_id : undefined;
}
