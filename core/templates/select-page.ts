import { BrokerError } from '../contract/errors.ts';
import type { Template } from '../model/template.ts';
import type { TemplateDetail } from '../contract/scheduler.ts';
import { hint } from '../schema/spelling.ts';
import type { MergedTemplate } from './layers.ts';
import type { TemplateReview } from './review.ts';

/**
 * The type, API and instance that serve a template: those that it names, completed by those that selection would use.
 */
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
  /** Excludes the templates for which it returns false. */
  readonly keep?: (template: Template) => boolean;
}

/** The fields that a list of templates can be sorted by. */
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

/**
 * Filters by placement, in any known spelling; sorts numbers as numbers, with absent values last; returns the page.
 */
export function selectPage(
  all: readonly MergedTemplate[],
  query: TemplateQuery,
  review: TemplateReview,
  place: (template: Template) => Placement = (template) => template,
): { readonly items: readonly TemplateDetail[]; readonly total_count: number } {
  const filters = filterFields(query, review);
  const wanted = Object.entries(filters);
  const found = all.filter(({ template }) => {
    if (query.keep && !query.keep(template)) return false;
    if (wanted.length === 0) return true;
    const served = { ...place(template), ...namedPlacement(template, filters) };
    return wanted.every(([field, value]) => served[field as keyof Placement] === value);
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

/** The filters of a query by placement, with the own names of types and APIs in place of their aliases. */
export function filterFields(query: Placement, review: TemplateReview): Readonly<Record<string, unknown>> {
  const given = filterable.flatMap((field) => (query[field] === undefined ? [] : [[field, query[field]]]));
  return given.length === 0 ? {} : review.canonical(Object.fromEntries(given)).fields;
}

/** A filter also matches the placement that a template itself names, even if another one would serve it. */
const namedPlacement = (template: Template, filters: Readonly<Record<string, unknown>>): Placement =>
  Object.fromEntries(
    filterable.flatMap((field) =>
      template[field] !== undefined && template[field] === filters[field] ? [[field, template[field]]] : [],
    ),
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
