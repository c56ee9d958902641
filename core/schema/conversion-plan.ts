import type { TSchema } from 'typebox';
import { camelCase } from './spelling.ts';

/** What a schema says about spelling, defaults and conversion, computed once. */
export interface ConversionPlan {
  readonly schema: Readonly<Record<string, unknown>>;
  /** Only for objects with fields. */
  readonly fields?: ReadonlyMap<string, ConversionPlan>;
  /** Every spelling of every field, mapped to the field's own name. */
  readonly spellings?: ReadonlyMap<string, string>;
  /** Only for lists. */
  readonly items?: ConversionPlan;
  /** The JSON types that the schema allows. */
  readonly types: ReadonlySet<string>;
  /** The default values, by field. */
  readonly defaults?: readonly (readonly [string, unknown])[];
}

type Json = Readonly<Record<string, any>>;

export function conversionPlanOf(schema: TSchema): ConversionPlan {
  const json = schema as Json;
  const variants: Json[] = json['anyOf'] ?? [json];
  const types = new Set(
    variants.flatMap((v) => v['type'] ?? (v['enum'] ? v['enum'].map((value: unknown) => typeof value) : [])),
  );
  const object = variants.find((v) => v['properties'] && Object.keys(v['properties']).length > 0);
  const list = variants.find((v) => v['items']);
  return {
    schema: json,
    types,
    ...(object ? planFields(object) : {}),
    ...(list ? { items: conversionPlanOf(list['items']) } : {}),
  };
}

function planFields(object: Json): Pick<ConversionPlan, 'fields' | 'spellings' | 'defaults'> {
  const fields = new Map<string, ConversionPlan>();
  const spellings = new Map<string, string>();
  const defaults: [string, unknown][] = [];
  const properties = Object.entries(object['properties'] as Record<string, Json>);
  for (const [name, field] of properties) {
    fields.set(name, conversionPlanOf(field));
    if ('default' in field) defaults.push([name, field['default']]);
    const aliases: readonly string[] = field['aliases'] ?? [];
    for (const spelling of [camelCase(name), ...aliases, ...aliases.map(camelCase)]) {
      // A field's own name always takes precedence over another field's alias.
      if (!object['properties'][spelling] && !spellings.has(spelling)) spellings.set(spelling, name);
    }
  }
  for (const [name] of properties) spellings.set(name, name);
  return { fields, spellings, defaults };
}
