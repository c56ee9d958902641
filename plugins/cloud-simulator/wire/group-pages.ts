import type { ActionCall } from '../dispatch/action.ts';
import { validationError } from '../groups/refusals.ts';
import type { Params } from './form.ts';
import { type PageRequest, pageRequest } from './pages.ts';
import { integer } from './values.ts';
import { memberParts } from './members.ts';
import { leaf } from './xml/xml.ts';

/** Page sizes of an action of Auto Scaling, and the parameters to which a page token is bound. */
export interface GroupPageRule {
  readonly usual: number;
  readonly max: number;
  readonly about: readonly string[];
}

/** Reads `MaxRecords` and `NextToken`. */
export function groupPage(call: ActionCall, rule: GroupPageRule): PageRequest {
  const { params } = call;
  const size = integer(params, 'MaxRecords') ?? rule.usual;
  if (size < 1 || size > rule.max) throw validationError(`MaxRecords must be between 1 and ${rule.max}: ${size}`);
  const about: Params = {};
  for (const name of rule.about) if (params[name] !== undefined) about[name] = params[name];
  return pageRequest(
    { ...call, params: { ...params, MaxResults: String(size), Filter: about } },
    { min: 1, max: rule.max },
  );
}

/** Cuts one page out of a list in rising order of `placeOf`; entries may come and go between pages. */
export function cutPage<T>(
  list: Iterable<T>,
  placeOf: (entry: T) => number,
  page: PageRequest,
): { readonly entries: readonly T[]; readonly tokenXml: string } {
  const entries: T[] = [];
  for (const entry of list) {
    if (placeOf(entry) <= page.after) continue;
    if (entries.length === page.size)
      return { entries, tokenXml: leaf('NextToken', page.token(placeOf(entries.at(-1) as T))) };
    entries.push(entry);
  }
  return { entries, tokenXml: '' };
}

/** `Filters.member.N` in the form in which EC2 writes filters. */
export function filterParams(params: Params): Params {
  const filters = memberParts(params, 'Filters').map((filter) => {
    const values = filter['Values'];
    return { ...filter, Value: (typeof values === 'object' ? values['member'] : undefined) ?? {} };
  });
  return { Filter: Object.fromEntries(filters.map((filter, index) => [index + 1, filter])) };
}
