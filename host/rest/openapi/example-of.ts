import { isObject } from '../../../core/schema/is-object.ts';
import type { Json } from '../../schema/public-schema.ts';

type Values = Readonly<Record<string, unknown>>;

/**
 * Returns an example of a schema. Each field gets the value of its name (`machine.status` before `status`) when the
 * schema allows it, else the example of the schema, else the simplest value. Optional fields appear only when they
 * have a value. `schemas` resolves references.
 */
export function exampleOf(schema: Json, values: Values, schemas: Json, field = '', owner = ''): unknown {
  const json = deref(schema, schemas);
  const given = valueOf(values, field, owner);
  if (given !== undefined && fits(given, json, schemas)) return given;
  if (Array.isArray(json['examples'])) return json['examples'][0];
  if (json['anyOf']) return exampleOf(json['anyOf'][0], values, schemas, field, owner);
  if ('const' in json) return json['const'];
  if (json['enum']) return json['enum'][0];
  switch (json['type']) {
    case 'object':
      return objectOf(json, values, schemas, field);
    case 'array':
      return [exampleOf(json['items'], values, schemas, field.replace(/s$/, ''))];
    case 'string':
      return json['format'] === 'date-time' ? '2026-01-15T09:30:00.000Z' : 'text';
    case 'integer':
    case 'number':
      return json['minimum'] ?? 0;
    case 'boolean':
      return true;
    default:
      return null;
  }
}

const valueOf = (values: Values, field: string, owner: string): unknown =>
  values[`${owner}.${field}`] ?? values[field];

function objectOf(json: Json, values: Values, schemas: Json, owner: string): Values {
  const required = new Set<string>(json['required'] ?? []);
  const shows = (value: unknown, field: Json) => value !== undefined && fits(value, deref(field, schemas), schemas);
  const shown = Object.entries((json['properties'] ?? {}) as Record<string, Json>).filter(
    ([name, field]) => required.has(name) || shows(valueOf(values, name, owner), field),
  );
  return Object.fromEntries(shown.map(([name, field]) => [name, exampleOf(field, values, schemas, name, owner)]));
}

/** Whether a value fits a schema, as far as examples need it: type, enumeration, and the entries of lists. */
function fits(value: unknown, json: Json, schemas: Json): boolean {
  if (json['anyOf']) return json['anyOf'].some((each: Json) => fits(value, deref(each, schemas), schemas));
  if ('const' in json) return value === json['const'];
  if (json['enum']) return json['enum'].includes(value);
  if (json['type'] === 'array')
    return Array.isArray(value) && value.every((each) => fits(each, deref(json['items'], schemas), schemas));
  if (json['type'] === 'object') return isObject(value) && hasRequired(value, json, schemas);
  if (json['type'] === 'integer') return Number.isInteger(value);
  return json['type'] === undefined || json['type'] === (value === null ? 'null' : typeof value);
}

const hasRequired = (value: object, json: Json, schemas: Json): boolean =>
  (json['required'] ?? []).every((name: string) => name in value) &&
  Object.entries(value).every(
    ([name, each]) => !json['properties']?.[name] || fits(each, deref(json['properties'][name], schemas), schemas),
  );

const deref = (json: Json, schemas: Json): Json => {
  const name = typeof json['$ref'] === 'string' ? json['$ref'].split('/').at(-1) : undefined;
  return name === undefined ? json : (schemas[name] as Json);
};
