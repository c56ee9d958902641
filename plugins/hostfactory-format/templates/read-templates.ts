import {
  isError,
  type CanonicalTemplate,
  type Finding,
  type TemplateLayer,
  type TemplatesRead,
  isObject,
  type WrittenKey,
} from '../../../core/index.ts';
import { rawTemplate } from './raw-template.ts';
import { hostFactoryNames } from './field-names.ts';
import { templatesIn } from './recognizes.ts';
import { impliedApi } from './implied-api.ts';
import { keysWithoutEffect } from './keys-without-effect.ts';

/** The template ids that HostFactory accepts. */
const validId = /^[0-9A-Za-z_-]{1,64}$/;

/**
 * Reads template files of the AWS provider of HostFactory, of LSF, and of brokers that use their form. Unknown keys
 * are kept unchanged.
 */
export function readTemplates(
  file: unknown,
  canonical: (raw: Record<string, unknown>) => CanonicalTemplate,
): TemplatesRead {
  const list = templatesIn(file);
  const listPath = Array.isArray(file)
    ? ''
    : isObject(file) && Array.isArray(file['Templates'])
      ? '/Templates'
      : '/templates';
  if (!Array.isArray(file) && !(isObject(file) && Array.isArray(file['templates'] ?? file['Templates']))) {
    return {
      layers: [],
      findings: [
        { level: 'error', path: '', message: 'must be an object with a list of templates under `templates`' },
      ],
    };
  }
  const layers: TemplateLayer[] = [];
  const findings: Finding[] = [];
  const seen = new Set<string>();
  for (const [index, entry] of list.entries()) {
    const at = `${listPath}/${index}`;
    const report = (level: Finding['level'], path: string, message: string) =>
      findings.push({ level, path: `${at}${path}`, message });
    if (!isObject(entry)) {
      report('error', '', 'must be an object with the fields of a template');
      continue;
    }
    // A key with capitals that the canonical spelling keeps is not a known field.
    const isKnown = (key: string) =>
      key === key.toLowerCase() || hostFactoryNames.has(key) || !Object.hasOwn(canonical({ [key]: null }).fields, key);
    const raw = rawTemplate(entry, isKnown);
    const { fields, findings: found } = canonical(raw.fields);
    for (const { level, path, message } of [...raw.findings, ...keysWithoutEffect(entry), ...found])
      report(level, path, message);
    const template_id = fields['template_id'];
    if (typeof template_id !== 'string')
      report('error', '/templateId', template_id === undefined ? 'is required' : 'must be a string');
    else if (seen.has(template_id)) report('error', '/templateId', `'${template_id}' is in this file already`);
    else if (![...raw.findings, ...found].some(isError)) {
      seen.add(template_id);
      if (!validId.test(template_id))
        report('warning', '/templateId', "schedulers accept only ids of up to 64 letters, digits, '-' and '_'");
      const whole: Record<string, unknown> = { ...fields, ...impliedApi(entry, fields) };
      const as_written = writtenKeys(entry, (part) => canonical(rawTemplate(part, isKnown).fields).fields);
      layers.push({
        template_id,
        fields: withSingleType(whole, (message) => report('warning', '/vmTypes', message)),
        as_written,
      });
    }
  }
  return { layers, findings };
}

/** RunInstances takes one type and counts machines, so that a weight has no meaning. */
function withSingleType(fields: Record<string, unknown>, warn: (message: string) => void): Record<string, unknown> {
  const types = fields['machine_types'];
  if (fields['provider_api'] !== 'RunInstances' || !isObject(types)) return fields;
  const [only, ...others] = Object.entries(types);
  if (!only || others.length > 0) return fields;
  const [machine_type, weight] = only;
  if (weight !== 1) warn(`RunInstances counts machines: the weight ${String(weight)} of the only type is ignored`);
  const { machine_types: _, ...rest } = fields;
  return { ...rest, machine_type };
}

type Fields = Readonly<Record<string, unknown>>;

/** Either field names the machine types, and a file may use either form. */
const types = ['machine_type', 'machine_types'];

/** The keys of one entry of a file, unchanged, each with the fields that `read` makes of it. */
const writtenKeys = (entry: Fields, read: (part: Fields) => Fields): WrittenKey[] =>
  Object.entries(entry).map(([key, value]) => {
    const fields = Object.keys(read({ [key]: value }));
    return {
      key,
      value,
      fields: fields.some((field) => types.includes(field) || field === 'vmType') ? types : fields,
    };
  });
