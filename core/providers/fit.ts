import { isError, sentence, type Finding } from '../contract/findings.ts';
import type { ProviderInstance } from '../model/provider-instance.ts';
import type { Template } from '../model/template.ts';
import type { ProviderApi } from '../contract/provider/provider-api.ts';
import { hint } from '../schema/spelling.ts';
import type { TemplateReview } from '../templates/review.ts';
import type { ProviderDirectory } from './directory.ts';

/**
 * With `lenient`, unsupported features, exceeded limits and probably misspelled fields are warnings. Types and APIs
 * must match at both levels.
 */
export const validationLevels = ['strict', 'lenient'] as const;
export type ValidationLevel = (typeof validationLevels)[number];

/** Whether and how far a provider instance fits a template. */
export interface Fit {
  readonly valid: boolean;
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
  /**
   * The features that the template needs and the instance has: `api:EC2Fleet`, `price:spot`, `fleet_type:maintain`,
   * `field:max_price`.
   */
  readonly supported_features: readonly string[];
  readonly unsupported_features: readonly string[];
}

interface Objection extends Finding {
  /** The finding is an error at every level. */
  readonly hard: boolean;
}

/** Checks whether an instance can serve a template, and which of its features. Calls no provider. Pure. */
export function fitOf(
  template: Template,
  instance: ProviderInstance,
  directory: ProviderDirectory,
  review: TemplateReview,
  level: ValidationLevel = 'strict',
): Fit {
  const api = directory.apiOf(template, instance.name);
  const seen = directory.templateFor(template, instance);
  const objections = [...mismatches(seen, instance, api, directory), ...beyondLimits(seen, instance, api)];
  const typed = review
    .check({ ...seen }, 'near')
    .map((finding) => (isKnown(finding, review) ? atEveryLevel(finding) : mistyped(finding)));
  const reviewed = [...typed, ...(api ? byPresence(directory.review(template, instance), seen) : [])];
  const all = [...objections, ...reviewed].map((each) =>
    level === 'lenient' && !each.hard ? { ...each, level: 'warning' as const } : each,
  );
  const errors = all.filter(isError).map(sentence);
  const features = featuresOf(seen, api, review);
  const refused = new Set([...objections, ...reviewed].filter(isError).map(({ path }) => fieldAt(path)));
  const supports = ({ field, can }: Feature) => can !== false && !refused.has(field);
  return {
    valid: errors.length === 0,
    errors: unique(errors),
    warnings: unique(all.filter((each) => !isError(each)).map(sentence)),
    supported_features: features.filter(supports).map(({ name }) => name),
    unsupported_features: features.filter((each) => !supports(each)).map(({ name }) => name),
  };
}

function mismatches(
  template: Template,
  instance: ProviderInstance,
  api: ProviderApi | undefined,
  directory: ProviderDirectory,
): readonly Objection[] {
  const found: Objection[] = [];
  const say = (level: Finding['level'], path: string, message: string) =>
    found.push({ level, path, message, hard: true });
  if (template.provider_type !== undefined && template.provider_type !== instance.type)
    say('error', '/provider_type', `is '${template.provider_type}'; '${instance.name}' is of type '${instance.type}'`);
  if (template.provider_name !== undefined && template.provider_name !== instance.name)
    say('warning', '/provider_name', `binds the template to '${template.provider_name}'`);
  if (!api) {
    const offered = directory.apis(instance.name).map(({ name }) => name);
    say(
      'error',
      '/provider_api',
      `'${template.provider_api ?? ''}' is not offered by '${instance.name}'${hint(template.provider_api ?? '', offered)}`,
    );
  }
  if (!instance.enabled) say('warning', '', `'${instance.name}' is disabled: it is not selected for requests`);
  return found;
}

function beyondLimits(
  { max_instances }: Template,
  { name, limits }: ProviderInstance,
  api: ProviderApi | undefined,
): readonly Objection[] {
  const maxima = [
    { most: limits.max_instances_per_request, source: `'${name}'` },
    ...(api ? [{ most: api.capabilities.max_instances, source: `the API '${api.name}'` }] : []),
  ];
  const over = maxima.find(({ most }) => max_instances !== undefined && max_instances > most);
  if (!over) return [];
  const message = `${max_instances} machines are more than the ${over.most} that ${over.source} allows for one request`;
  return [{ level: 'error', path: '/max_instances', message, hard: false }];
}

const atEveryLevel = (finding: Finding): Objection => ({ ...finding, hard: true });

const isKnown = ({ path }: Finding, review: TemplateReview): boolean =>
  fieldAt(path) === '' || Object.hasOwn(review.schema.properties, fieldAt(path));

/** An unknown field that is similar to a known one: a misspelled field has no effect. */
const mistyped = (finding: Finding): Objection => ({ ...finding, level: 'error', hard: false });

/** A finding about a present field can be a warning, because the feature could be omitted; a missing field cannot. */
const byPresence = (findings: readonly Finding[], template: Template): readonly Objection[] =>
  findings.map((finding) => ({ ...finding, hard: template[fieldAt(finding.path)] === undefined }));

interface Feature {
  readonly name: string;
  readonly field: string;
  /** Whether the capabilities include the feature. Undefined: they do not mention it. */
  readonly can?: boolean;
}

/** The features that a template needs beyond a plain machine. */
function featuresOf(template: Template, api: ProviderApi | undefined, review: TemplateReview): readonly Feature[] {
  const can = api?.capabilities;
  const { price_type, fleet_type } = template as { readonly price_type?: unknown; readonly fleet_type?: unknown };
  const mixed = price_type === 'mixed' || price_type === 'heterogeneous';
  const ownFields = Object.keys(template).filter(
    (name) => template[name] !== undefined && !plain.has(name) && Object.hasOwn(review.schema.properties, name),
  );
  return [
    { name: `api:${api?.name ?? template.provider_api ?? ''}`, field: 'provider_api', can: api !== undefined },
    ...(price_type === 'spot' || mixed ? [feature('price:spot', 'price_type', can?.supports_spot)] : []),
    ...(price_type === 'capacity_block' ? [feature('price:capacity_block', 'price_type')] : []),
    ...(price_type !== 'spot' && price_type !== 'capacity_block'
      ? [feature('price:ondemand', 'price_type', can?.supports_on_demand)]
      : []),
    ...(typeof fleet_type === 'string'
      ? [feature(`fleet_type:${fleet_type}`, 'fleet_type', can?.supported_fleet_types.includes(fleet_type))]
      : []),
    ...ownFields.map((field) => feature(`field:${field}`, field)),
  ];
}

const feature = (name: string, field: string, can?: boolean): Feature => ({
  name,
  field,
  ...(can === undefined ? {} : { can }),
});

/** Fields that every provider supports, and fields with their own feature. */
const plain = new Set([
  'template_id',
  'name',
  'description',
  'version',
  'provider_api',
  'provider_type',
  'provider_name',
  'max_instances',
  'attributes',
  'additional_data_tags',
  'timeout',
  'retry_until_timeout',
  'partial',
  'price_type',
  'fleet_type',
]);

const fieldAt = (path: string): string => (path.split('/')[1] ?? '').replaceAll('~1', '/').replaceAll('~0', '~');
const unique = (texts: readonly string[]): readonly string[] => [...new Set(texts)];
