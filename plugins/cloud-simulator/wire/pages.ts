import { createHash } from 'node:crypto';
import type { ActionCall } from '../dispatch/action.ts';
import { AwsError, invalidCombination, invalidParameter } from './errors.ts';
import { type Params, part, text } from './form.ts';
import { integer } from './values.ts';

/** Bounds of `MaxResults` of one action. */
export interface PageRule {
  readonly min: number;
  readonly max: number;
  /** Name of the parameter that lists ids explicitly; it cannot be combined with `MaxResults`. */
  readonly notWith?: string;
}

/** The requested part of a list: at most `size` entries after `after`. */
export interface PageRequest {
  readonly size: number;
  /** Place of the last entry of the previous page; places rise. -1 for the first page. */
  readonly after: number;
  /** The token that continues after `place`. */
  token(place: number): string;
}

/**
 * Reads `MaxResults` and `NextToken`. A token is valid only for the listing that returned it, with the same action
 * and filters, and only for `page_token_ms`.
 */
export function pageRequest(call: Pick<ActionCall, 'params' | 'knobs' | 'now'>, rule: PageRule): PageRequest {
  const { params, now } = call;
  const { page_size, page_token_ms } = call.knobs.limits;
  const wanted = integer(params, 'MaxResults');
  if (wanted !== undefined && (wanted < rule.min || wanted > rule.max)) {
    throw invalidParameter(
      `Value ( ${wanted} ) for parameter maxResults is invalid. Expecting a value between ${rule.min} and ${rule.max}.`,
    );
  }
  const named = rule.notWith !== undefined && params[rule.notWith] !== undefined;
  if (wanted !== undefined && named) {
    throw invalidCombination(`The parameter ${rule.notWith} cannot be used with the parameter maxResults`);
  }
  const listing = fingerprint(params, rule);
  return {
    // A caller that names no size also gets pages and a token, to reveal callers that ignore the token. Lists of
    // named ids are not paged.
    size: named ? Number.POSITIVE_INFINITY : Math.min(wanted ?? rule.max, page_size ?? Number.POSITIVE_INFINITY),
    after: readToken(
      text(params, 'NextToken'),
      listing,
      page_token_ms === null ? Number.NEGATIVE_INFINITY : now - page_token_ms,
    ),
    token: (place) => Buffer.from(`${listing}:${place}:${Math.floor(now)}`).toString('base64url'),
  };
}

/** Returns one page of a list. */
export function pageOf<T>(
  list: readonly T[],
  request: PageRequest,
): { readonly entries: readonly T[]; readonly next: string | undefined } {
  const start = request.after + 1;
  const end = start + request.size;
  return { entries: list.slice(start, end), next: end < list.length ? request.token(end - 1) : undefined };
}

function readToken(token: string | undefined, listing: string, oldest: number): number {
  if (token === undefined || token === '') return -1;
  const found = /^(\w+):(\d+):(-?\d+)$/.exec(Buffer.from(token, 'base64url').toString());
  if (found === null || found[1] !== listing || Number(found[3]) < oldest) {
    throw new AwsError('InvalidPaginationToken', 'The specified pagination token is not valid or is expired.');
  }
  return Number(found[2]);
}

function fingerprint(params: Params, rule: PageRule): string {
  const about = JSON.stringify([
    text(params, 'Action'),
    part(params, 'Filter') ?? null,
    rule.notWith === undefined ? null : (params[rule.notWith] ?? null),
  ]);
  return createHash('sha256').update(about).digest('hex').slice(0, 12);
}
