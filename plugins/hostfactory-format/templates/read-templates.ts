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
import { ours } from './field-names.ts';
import { templatesIn } from './recognises.ts';
import { impliedApi } from './implied-api.ts';
import { keysWithoutEffect, launchKeys } from './launch-keys.ts';

/** What HostFactory promises to take. */
const schedulersId = /^[0-9A-Za-z_-]{1,64}$/;

/**
 * Reads files of HostFactory's AWS provider, of LSF's, and of brokers that took their form over. Unknown keys stay as
 * written.
 */
export function readTemplates(
  file: unknown,
  canonical: (raw: Record<string, unknown>) => CanonicalTemplate,
): TemplatesRead {
  const list = templatesIn(file);
  const under = Array.isArray(file)
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
    const at = `${under}/${index}`;
    const say = (level: Finding['level'], path: string, message: string) =>
      findings.push({ level, path: `${at}${path}`, message });
    if (!isObject(entry)) {
      say('error', '', 'must be an object with the fields of a template');
      continue;
    }
    // What canonical spelling leaves as it is, in spite of its capitals, is no field of ours.
    const isKnown = (key: string) =>
      key === key.toLowerCase() || ours.has(key) || !Object.hasOwn(canonical({ [key]: null }).fields, key);
    const raw = rawTemplate(entry, isKnown);
    const { fields, findings: found } = canonical(raw.fields);
    for (const { level, path, message } of [...raw.findings, ...keysWithoutEffect(entry), ...found])
      say(level, path, message);
    const template_id = fields['template_id'];
    if (typeof template_id !== 'string')
      say('error', '/templateId', template_id === undefined ? 'is required' : 'must be a string');
    else if (seen.has(template_id)) say('error', '/templateId', `'${template_id}' stands in this file already`);
    else if (![...raw.findings, ...found].some(isError)) {
      seen.add(template_id);
      if (!schedulersId.test(template_id))
        say('warning', '/templateId', "schedulers take up to 64 letters, digits, '-' and '_'");
      const whole: Record<string, unknown> = { ...fields, ...impliedApi(entry, fields), ...launchKeys(entry, fields) };
      const as_written = writtenKeys(entry, (part) => canonical(rawTemplate(part, isKnown).fields).fields);
      layers.push({
        template_id,
        fields: oneType(whole, (message) => say('warning', '/vmTypes', message)),
        as_written,
      });
    }
  }
  return { layers, findings };
}

/** RunInstances takes one type and counts machines: a weight would mean nothing. */
function oneType(fields: Record<string, unknown>, warn: (message: string) => void): Record<string, unknown> {
  const types = fields['machine_types'];
  if (fields['provider_api'] !== 'RunInstances' || !isObject(types)) return fields;
  const [only, ...others] = Object.entries(types);
  if (!only || others.length > 0) return fields;
  const [machine_type, weight] = only;
  if (weight !== 1) warn(`one type is launched machine by machine: its weight of ${String(weight)} is ignored`);
  const { machine_types: _, ...rest } = fields;
  return { ...rest, machine_type };
}

type Fields = Readonly<Record<string, unknown>>;

/** Which types may be had is said in either of two ways, and read into either. */
const types = ['machine_type', 'machine_types'];

/** The keys of one entry of a file as they stand there, each with the fields that `read` makes of it. */
const writtenKeys = (entry: Fields, read: (part: Fields) => Fields): WrittenKey[] =>
  Object.entries(entry).map(([key, value]) => {
    const fields = Object.keys(read({ [key]: value }));
    return {
      key,
      value,
      fields: fields.some((field) => types.includes(field) || field === 'vmType') ? types : fields,
    };
  });
