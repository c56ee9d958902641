import { firstOf, isError, sentence, type Finding } from '../contract/findings.ts';
import type { Template } from '../model/template.ts';
import type { ProviderDirectory } from '../providers/directory.ts';
import type { TemplateReview } from './review.ts';

/** The errors and warnings about a template. */
export interface Verdict {
  readonly errors: readonly Finding[];
  readonly warnings: readonly Finding[];
}

/**
 * Checks a template as it would be used: its fields against the schemas of all plugins, and against the APIs of the
 * instances that may serve it. The template is invalid when none of these instances can honor it. A missing instance,
 * type or API is a warning, because it may be configured later; until then requests are refused. `fields` in canonical
 * spelling. Pure.
 */
export function verdictOn(
  fields: Readonly<Record<string, unknown>>,
  review: TemplateReview,
  directory: ProviderDirectory,
): Verdict {
  const general = review.review(fields);
  const findings = general.some(isError) ? general : [...general, ...byInstances(fields as Template, directory)];
  const unique = [...new Map(findings.map((finding) => [sentence(finding), finding])).values()];
  const reported = firstOf([...unique.filter(isError), ...unique.filter((finding) => !isError(finding))]);
  return { errors: reported.filter(isError), warnings: reported.filter((finding) => !isError(finding)) };
}

function byInstances(template: Template, directory: ProviderDirectory): readonly Finding[] {
  const { provider_name, provider_type, provider_api } = template;
  const warn = (path: string, message: string): Finding[] => [{ level: 'warning', path, message }];
  const named = directory.instances.filter(
    ({ name, type }) => (provider_name ?? name) === name && (provider_type ?? type) === type,
  );
  if (provider_name !== undefined && !directory.instance(provider_name))
    return warn('/provider_name', `no provider instance '${provider_name}' is configured`);
  if (named.length === 0) return warn('/provider_type', 'no configured provider instance can serve it');
  const serving = named.filter(({ name }) => directory.apiOf(template, name) !== undefined);
  if (serving.length === 0) return warn('/provider_api', `no configured provider instance offers '${provider_api}'`);
  const reviews = serving.map((instance) =>
    lacking(directory.review(template, instance), directory.templateFor(template, instance)),
  );
  return reviews.find((found) => !found.some(isError)) ?? reviews[0] ?? [];
}

/** Only `template_id` is required to create a template, so a finding about an absent field is a warning. */
const lacking = (findings: readonly Finding[], template: Template): readonly Finding[] =>
  findings.map((finding) =>
    template[fieldAt(finding.path)] === undefined && finding.path !== '' ? { ...finding, level: 'warning' } : finding,
  );

const fieldAt = (path: string): string => (path.split('/')[1] ?? '').replaceAll('~1', '/').replaceAll('~0', '~');
