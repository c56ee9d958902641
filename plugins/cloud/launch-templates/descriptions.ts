import type { LaunchOrder } from '../../../core/index.ts';

/**
 * Descriptions of versions, which carry no tags. A version whose creation was not answered is found by its
 * description.
 */

/** The description of contents that orders of one week share. */
export const sharedText = (content: string, week: number | null): string =>
  `muster: content ${content}${week === null ? '' : ` week ${week}`}`;

/** The week of shared contents; undefined when the description names none. */
export function weekIn(description: string | undefined): number | undefined {
  const found = /^muster: content \S+ week (\d+)$/.exec(description ?? '');
  return found ? Number(found[1]) : undefined;
}

/** The description of the version of one order. */
export const orderText = ({ request_id, attempt }: Pick<LaunchOrder<any, any>, 'request_id' | 'attempt'>): string =>
  `muster: request ${request_id} attempt ${attempt}`;

/** The order in the description of a version. */
export function orderIn(
  description: string | undefined,
): { readonly request_id: string; readonly attempt: number } | undefined {
  const found = /^muster: request (\S+) attempt (\d+)$/.exec(description ?? '');
  return found?.[1] === undefined ? undefined : { request_id: found[1], attempt: Number(found[2]) };
}
