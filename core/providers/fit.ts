import { isError, sentence, type Finding } from '../contract/findings.ts';
import type { ProviderInstance } from '../model/provider-instance.ts';
import type { Template } from '../model/template.ts';
import type { ProviderApi } from '../contract/provider.ts';
import { hint } from '../schema/spelling.ts';
import type { TemplateReview } from '../templates/review.ts';
import type { ProviderDirectory } from './directory.ts';

/** `lenient`: what the instance does not support, its limits, and fields that were probably mistyped are warnings. Types and APIs must match in any case. */
export const validationLevels = ['strict', 'lenient'] as const;
export type ValidationLevel = (typeof validationLevels)[number];

/** How a template and a provider instance get on. */
export interface Fit {
  readonly valid: boolean;
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
  /** What the template asks for and the instance can do: `api:EC2Fleet`, `price:spot`, `fleet_type:maintain`, `field:max_price`. */
  readonly supported_features: readonly string[];
  readonly unsupported_features: readonly string[];
}

interface Objection extends Finding {
  /** It stands at every level. */
  readonly hard: boolean;
}

/** Whether an instance can serve a template, and what of it. Asks no provider. Pure. */
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
  const typed = review.check({ ...seen }, 'near').map((finding) => (isKnown(finding, review) ? hardly(finding) : mistyped(finding)));
  const said = [...typed, ...(api ? softly(directory.review(template, instance), seen) : [])];
  const all = [...objections, ...said].map((each) => (level === 'lenient' && !each.hard ? { ...each, level: 'warning' as const } : each));
  const errors = all.filter(isError).map(sentence);
  const features = featuresOf(seen, api, review);
  const refused = new Set([...objections, ...said].filter(isError).map(({ path }) => fieldAt(path)));
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
  const say = (level: Finding['level'], path: string, message: string) => found.push({ level, path, message, hard: true });
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
  if (!instance.enabled) say('warning', '', `'${instance.name}' is disabled: it is not chosen for requests`);
  return found;
}

function beyondLimits({ max_instances }: Template, { name, limits }: ProviderInstance, api: ProviderApi | undefined): readonly Objection[] {
  const bounds = [
    { most: limits.max_instances_per_request, whose: `'${name}'` },
    ...(api ? [{ most: api.capabilities.max_instances, whose: `the API '${api.name}'` }] : []),
  ];
  const over = bounds.find(({ most }) => max_instances !== undefined && max_instances > most);
  if (!over) return [];
  const message = `${max_instances} machines are more than the ${over.most} that ${over.whose} gives to one request`;
  return [{ level: 'error', path: '/max_instances', message, hard: false }];
}

const hardly = (finding: Finding): Objection => ({ ...finding, hard: true });

const isKnown = ({ path }: Finding, review: TemplateReview): boolean =>
  fieldAt(path) === '' || Object.hasOwn(review.schema.properties, fieldAt(path));

/** A field that nobody knows, near one that somebody does: it was meant, and has no effect. */
const mistyped = (finding: Finding): Objection => ({ ...finding, level: 'error', hard: false });

/** What is said of a field that the template has concerns something that could be left out; what it lacks could not. */
const softly = (findings: readonly Finding[], template: Template): readonly Objection[] =>
  findings.map((finding) => ({ ...finding, hard: template[fieldAt(finding.path)] === undefined }));

interface Feature {
  readonly name: string;
  readonly field: string;
  /** What the capabilities say; undefined: nothing. */
  readonly can?: boolean;
}

/** What a template asks of a provider beyond a plain machine. */
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
    ...(price_type !== 'spot' ? [feature('price:ondemand', 'price_type', can?.supports_on_demand)] : []),
    ...(typeof fleet_type === 'string'
      ? [feature(`fleet_type:${fleet_type}`, 'fleet_type', can?.supported_fleet_types.includes(fleet_type))]
      : []),
    ...ownFields.map((field) => feature(`field:${field}`, field)),
  ];
}

const feature = (name: string, field: string, can?: boolean): Feature => ({ name, field, ...(can === undefined ? {} : { can }) });

/** Fields that every provider has, and those that have a feature of their own. */
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
