import type { TSchema } from 'typebox';
import { camelCase } from '../../core/schema/spelling.ts';

export type Json = Readonly<Record<string, any>>;

/**
 * Schemas with a name of their own, by their properties: an optional field is a copy of its schema that shares these.
 */
export type Named = ReadonlyMap<object, string>;

/** Words that are taken over as they stand. All others are our own or a plugin's, and say how input is read. */
const plainWords = new Set(
  `type enum const required default examples deprecated format pattern minLength maxLength minimum maximum exclusiveMinimum exclusiveMaximum
  multipleOf minItems maxItems uniqueItems minProperties maxProperties additionalProperties title`.split(/\s+/),
);

/**
 * A schema as the world reads it: JSON Schema 2020-12. Other spellings of fields and of values are told in the
 * description; a schema that is `named` becomes a reference, except where it stands by itself. /
 */
export function publicSchema(schema: TSchema | Json, named: Named, field?: string): Json {
  const json = schema as Json;
  const name = json['properties'] && named.get(json['properties'] as object);
  if (name !== undefined) return { $ref: `#/components/schemas/${name}` };
  return unnamed(json, named, field);
}

/** The same for the schema that has the name. */
export function unnamed(json: Json, named: Named, field?: string): Json {
  const { patternProperties } = json;
  const description = described(json, field);
  return {
    ...Object.fromEntries(Object.entries(json).filter(([word]) => plainWords.has(word))),
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
    // A free map: every name is allowed.
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
