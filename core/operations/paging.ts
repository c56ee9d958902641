import { Type } from 'typebox';
import { BrokerError } from '../contract/errors.ts';
import { hint } from '../schema/spelling.ts';
import { p } from './parameters.ts';

export interface Paging {
  readonly limit: number;
  readonly offset: number;
}

/**
 * `limit` alone, or `page` with `page_size` (or with `limit` as the length of the page). Throws INVALID_REQUEST for
 * `limit` with `page_size`, and for a page whose offset is not a safe integer.
 */
export function paging(
  input: { readonly limit?: number; readonly offset?: number; readonly page?: number; readonly page_size?: number },
  fallback: number,
): Paging {
  if (input.limit !== undefined && input.page_size !== undefined) {
    throw new BrokerError('INVALID_REQUEST', '/limit: means the same as /page_size; give only one of them.');
  }
  if (input.offset !== undefined && input.page !== undefined) {
    throw new BrokerError('INVALID_REQUEST', '/offset: means the same as /page; give only one of them.');
  }
  const limit = input.limit ?? input.page_size ?? fallback;
  const offset = input.offset ?? ((input.page ?? 1) - 1) * limit;
  if (!Number.isSafeInteger(offset)) throw new BrokerError('INVALID_REQUEST', `/page: ${input.page} is too large.`);
  return { limit, offset };
}

/** The parameter `sort` of an operation with these sortable fields. */
export const sortBy = (fields: readonly string[]) =>
  Type.Optional({
    ...p.sort,
    description: `\`<field>:asc\` or \`<field>:desc\`. Fields: ${fields.map((each) => `\`${each}\``).join(', ')}.`,
  });

/** Parses `created_at:desc` into field and direction. Throws INVALID_REQUEST for a field that is not sortable. */
export function sorting<F extends string>(
  sort: string | undefined,
  fields: readonly F[],
): readonly [F, 'asc' | 'desc'] | undefined {
  if (sort === undefined) return undefined;
  const [name = '', direction = 'asc'] = sort.split(':');
  const field = fields.find((each) => each === name);
  if (field === undefined)
    throw new BrokerError('INVALID_REQUEST', `/sort: cannot sort by '${name}'${hint(name, fields)}`);
  return [field, direction === 'desc' ? 'desc' : 'asc'];
}
