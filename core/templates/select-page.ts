import { BrokerError } from '../contract/errors.ts';
import type { Template } from '../model/template.ts';
import type { TemplateDetail } from '../contract/scheduler.ts';
import { hint } from '../schema/spelling.ts';
import type { MergedTemplate } from './layers.ts';
import type { TemplateReview } from './review.ts';

/** What serves a template: what it says, filled up with what selection would take. */
export interface Placement {
  readonly provider_type?: string;
  readonly provider_api?: string;
  readonly provider_name?: string;
}

export interface TemplateQuery extends Placement {
  /** `<field>` or `<field>:asc|desc`. */
  readonly sort?: string;
  readonly limit?: number;
  readonly offset?: number;
  /** Leaves out all others. */
  readonly keep?: (template: Template) => boolean;
}

/** What a list of templates can be sorted by. */
export const sortableTemplateFields = [
  'template_id',
  'name',
  'provider_api',
  'provider_type',
  'provider_name',
  'machine_type',
  'max_instances',
  'version',
];

/** Filters by what serves a template, in any known spelling; sorts numbers as numbers, absent values last; cuts the page. */
export function selectPage(
  all: readonly MergedTemplate[],
  query: TemplateQuery,
  review: TemplateReview,
  place: (template: Template) => Placement = (template) => template,
): { readonly items: readonly TemplateDetail[]; readonly total_count: number } {
  const wanted = review.canonical(given(query)).fields;
  const found = all.filter(({ template }) => {
    if (query.keep && !query.keep(template)) return false;
    const served = { ...place(template), ...stated(template, wanted) };
    return Object.entries(wanted).every(([field, value]) => served[field as keyof Placement] === value);
  });
  const sorted = query.sort === undefined ? found : sort(found, query.sort);
  const offset = query.offset ?? 0;
  return {
    items: sorted
      .slice(offset, query.limit === undefined ? undefined : offset + query.limit)
      .map(({ template, as_written }) => ({ template, ...(as_written ? { as_written } : {}) })),
    total_count: found.length,
  };
}

const filterable = ['provider_api', 'provider_type', 'provider_name'] as const;
const given = (query: TemplateQuery): Record<string, unknown> =>
  Object.fromEntries(filterable.flatMap((field) => (query[field] === undefined ? [] : [[field, query[field]]])));

/** A template that names the very thing is found by it, whatever else would serve it. */
const stated = (template: Template, wanted: Readonly<Record<string, unknown>>): Placement =>
  Object.fromEntries(
    filterable.flatMap((field) => (template[field] !== undefined && template[field] === wanted[field] ? [[field, template[field]]] : [])),
  );

function sort(found: readonly MergedTemplate[], by: string): readonly MergedTemplate[] {
  const [field = '', direction = 'asc'] = by.split(':');
  if (!sortableTemplateFields.includes(field))
    throw new BrokerError('INVALID_REQUEST', `/sort: cannot sort by '${field}'${hint(field, sortableTemplateFields)}`);
  const sign = direction === 'desc' ? -1 : 1;
  return found.toSorted((a, b) => {
    const [left, right] = [a.template[field], b.template[field]];
    if (left === undefined || right === undefined) return Number(left === undefined) - Number(right === undefined);
    if (typeof left === 'number' && typeof right === 'number') return sign * (left - right);
    return sign * (String(left) < String(right) ? -1 : String(left) > String(right) ? 1 : 0);
  });
}
