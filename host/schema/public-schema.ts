import type { TSchema } from 'typebox';
import { camelCase } from '../../core/schema/spelling.ts';

export type Json = Readonly<Record<string, any>>;

/** Named schemas, by their properties: an optional field is a copy of its schema that shares the properties. */
export type Named = ReadonlyMap<object, string>;

/** Keywords that are copied unchanged. All others are muster's or a plugin's own, and control how input is parsed. */
const standardKeywords = new Set(
  `type enum const required default examples deprecated format pattern minLength maxLength minimum maximum exclusiveMinimum exclusiveMaximum
  multipleOf minItems maxItems uniqueItems minProperties maxProperties additionalProperties title`.split(/\s+/),
);

/**
 * Converts a schema to JSON Schema 2020-12. Descriptions mention further spellings of fields and values; a schema in
 * `named` becomes a reference, except at the top.
 */
export function publicSchema(schema: TSchema | Json, named: Named, field?: string): Json {
  const json = schema as Json;
  const name = json['properties'] && named.get(json['properties'] as object);
  if (name !== undefined) return { $ref: `#/components/schemas/${name}` };
  return unnamed(json, named, field);
}

/** As `publicSchema`, for a named schema itself. */
export function unnamed(json: Json, named: Named, field?: string): Json {
  const { patternProperties } = json;
  const description = described(json, field);
  return {
    ...Object.fromEntries(Object.entries(json).filter(([word]) => standardKeywords.has(word))),
    ...(description === '' ? {} : { description }),
    ...(json['sensitive'] ? { 'x-sensitive': true } : {}),
    ...(json['properties']
      ? {
          properties: mapped(json['properties'] as Record<string, Json>, (value, key) =>
            publicSchema(value, named, key),
          ),
        }
      : {}),
    ...(json['items'] ? { items: publicSchema(json['items'], named) } : {}),
    ...Object.fromEntries(
      ['anyOf', 'oneOf', 'allOf'].flatMap((word) =>
        json[word] ? [[word, json[word].map((each: Json) => publicSchema(each, named))]] : [],
      ),
    ),
    // A map: every name is allowed.
    ...(patternProperties
      ? {
          additionalProperties: publicSchema(Object.values(patternProperties as Record<string, Json>)[0] ?? {}, named),
        }
      : {}),
  };
}

function described({ description = '', aliases = [], value_aliases = {}, sensitive }: Json, field = ''): string {
  const spellings = (aliases as string[]).filter((alias) => alias !== field && alias !== camelCase(field));
  const values = Object.entries(value_aliases as Record<string, string>);
  return [
    description,
    spellings.length > 0 ? `Also written ${spellings.map(code).join(', ')}.` : '',
    values.length > 0 ? `${values.map(([alias, value]) => `${code(alias)} means ${code(value)}`).join(', ')}.` : '',
    sensitive ? 'Masked in answers.' : '',
  ]
    .filter((sentence) => sentence !== '')
    .join(' ');
}

const code = (text: string): string => `\`${text}\``;

const mapped = <T, U>(record: Readonly<Record<string, T>>, change: (value: T, key: string) => U): Record<string, U> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value, key)]));
