type Json = Readonly<Record<string, any>>;

const code = (text: unknown): string => `\`${typeof text === 'string' ? text : JSON.stringify(text)}\``;

/** A schema in a few words, for a table: type, choices and bounds. */
export function schemaText(schema: Json): string {
  if (schema['$ref']) return `[${nameOf(schema)}](#${nameOf(schema).toLowerCase()})`;
  if (schema['anyOf']) return [...new Set((schema['anyOf'] as Json[]).map(schemaText))].join(' or ');
  if ('const' in schema) return code(schema['const']);
  if (schema['enum']) return schema['enum'].map(code).join(', ');
  const { type, items, additionalProperties, properties, pattern } = schema;
  if (type === 'array') return `list of ${schemaText(items)}${bounds(schema, 'minItems', 'maxItems', 'entries')}`;
  if (
    type === 'object' &&
    !properties &&
    typeof additionalProperties === 'object' &&
    Object.keys(additionalProperties).length > 0
  )
    return `map to ${schemaText(additionalProperties)}`;
  if (type === 'string' && pattern) return `text like ${code(pattern.replaceAll('|', '\\|'))}`;
  if (type === 'string')
    return schema['format'] === 'date-time'
      ? 'time (ISO 8601)'
      : `text${bounds(schema, 'minLength', 'maxLength', 'characters')}`;
  if (type === 'object' && properties && Object.keys(properties).length > 0)
    return `object of ${Object.keys(properties).map(code).join(', ')}`;
  return type === undefined ? 'anything' : `${type}${bounds(schema, 'minimum', 'maximum', '')}`;
}

function bounds(schema: Json, least: string, most: string, unit: string): string {
  const [from, to] = [schema[least], schema[most]];
  const after = unit === '' ? '' : ` ${unit}`;
  if (from === undefined && to === undefined) return '';
  // The description says that a text or a list is not empty.
  if (to === undefined) return unit === '' ? `, at least ${from}` : '';
  return `, ${from === undefined ? 'at most ' : `${from} to `}${to}${after}`;
}

const nameOf = (schema: Json): string => (schema['$ref'] as string).split('/').at(-1) ?? '';

/** Rows of a table: the fields of an object, with their defaults. */
export function fieldRows(schema: Json): string[][] {
  const required = new Set<string>(schema['required'] ?? []);
  return Object.entries((schema['properties'] ?? {}) as Record<string, Json>).map(([name, field]) => [
    code(name),
    schemaText(field),
    required.has(name) ? 'required' : 'default' in field ? code(field['default']) : '',
    (field['description'] ?? '').replaceAll('|', '\\|'),
  ]);
}

/** A table of Markdown. */
export const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  rows.length === 0
    ? ''
    : `${[head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |\n`).join('')}\n`;
