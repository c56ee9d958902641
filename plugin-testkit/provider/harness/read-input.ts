import assert from 'node:assert/strict';
import {
  commonTemplateFields,
  compile,
  sentences,
  Type,
  type Finding,
  type Template,
  type TObject,
} from '../../../core/index.ts';
import type { Subject } from '../subject.ts';

type Fields = Readonly<Record<string, unknown>>;
const opened = new WeakMap<object, TObject>();

/** The schema of a configuration as the broker reads it: unknown fields are always allowed. */
export function configSchema({ type }: Pick<Subject, 'type'>): TObject {
  const known = opened.get(type.config) ?? ({ ...type.config, additionalProperties: true } as TObject);
  opened.set(type.config, known);
  return known;
}

/** A configuration with its defaults, or the findings. */
export function parseConfig(
  subject: Pick<Subject, 'type'>,
  config: Fields,
): { readonly value?: Fields; readonly findings: readonly Finding[] } {
  const { value, findings = [] } = compile(configSchema(subject)).parse(config);
  return { ...(value === undefined ? {} : { value: value as Fields }), findings };
}

export function readConfig(subject: Pick<Subject, 'type'>, config: Fields): Fields {
  const { value, findings } = parseConfig(subject, config);
  assert.ok(value, `The config of the world must fit the plugin's own schema: ${sentences(findings)}`);
  return JSON.parse(JSON.stringify(value)) as Fields;
}

/** The schema of a template: the common fields, then those of the type and the API. */
export function templateSchema({ type, api }: Pick<Subject, 'type' | 'api'>): TObject {
  const properties = {
    ...type.fields?.properties,
    ...(api.fields as TObject | undefined)?.properties,
    ...commonTemplateFields,
  };
  return { ...Type.Object(properties, { additionalProperties: true }), required: ['template_id'] } as TObject;
}

/** A template as the broker stores it: canonical field names, no defaults. */
export function readTemplate(subject: Pick<Subject, 'type' | 'api'>, fields: Fields): Template {
  const schema = compile(templateSchema(subject));
  const raw = { template_id: 'conformance', provider_api: subject.api.name, ...fields };
  const { findings } = schema.parse(raw);
  assert.ok(
    findings === undefined,
    `The template of the world must fit the plugin's own fields: ${sentences(findings ?? [])}`,
  );
  return JSON.parse(JSON.stringify(schema.canonical(raw).value)) as Template;
}
