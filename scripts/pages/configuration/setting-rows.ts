import { schemaText } from '../../markdown/schema-text.ts';

type Json = Readonly<Record<string, any>>;

const code = (text: unknown): string => `\`${typeof text === 'string' ? text : JSON.stringify(text)}\``;
const cell = (text: string): string => text.replaceAll(/(?<!\\)\|/g, '\\|');

/**
 * A row for every field of an object, those of objects inside it too: its path, type, default, variable and meaning.
 * Without `under` no variable sets it, and its other spellings stand in that place. /
 */
export function settingRows(schema: Json, at: string, under?: string): readonly (readonly string[])[] {
  const required = new Set<string>(schema['required'] ?? []);
  return Object.entries((schema['properties'] ?? {}) as Record<string, Json>).flatMap(([name, field]) => {
    const path = `${at}${name}`;
    const variable = under === undefined ? undefined : `${under}${name.toUpperCase().replace(/[^A-Z0-9]/g, '_')}`;
    const fallback =
      required.has(name) && !('default' in field) ? 'required' : 'default' in field ? code(field['default']) : '';
    const aliases = ((field['aliases'] ?? []) as readonly string[]).map(code).join(', ');
    const inner = objectIn(field);
    const own = [code(path), typeText(name, field), inner && fallback === '`{}`' ? '' : cell(fallback)];
    const row = [...own, variable === undefined ? aliases : code(variable), cell(field['description'] ?? '')];
    if (inner)
      return [row, ...settingRows(inner, `${path}.`, variable === undefined ? undefined : `${nested(variable, at)}`)];
    const entry = objectIn(field['items']);
    // No variable reaches into a list.
    return entry ? [row, ...settingRows(entry, `${path}[].`).map((each) => each.with(3, ''))] : [row];
  });
}

/** A section is followed by one underscore, what lies in it by two. */
const nested = (variable: string, at: string): string => `${variable}${at === '' ? '_' : '__'}`;

/** The variant that is an object with fields. */
function objectIn(field: Json | undefined): Json | undefined {
  const variants: readonly Json[] = field?.['anyOf'] ?? (field ? [field] : []);
  return variants.find((each) => Object.keys(each['properties'] ?? {}).length > 0);
}

function typeText(name: string, field: Json): string {
  const words = [
    objectIn(field) && !field['anyOf'] ? 'object' : objectIn(field['items']) ? 'list of objects' : schemaText(field),
    field['sensitive'] ? '**secret**' : '',
    (field['path'] ?? (/(^path|_file|_path|_directory)$/.test(name) && /string/.test(JSON.stringify(field))))
      ? 'a path'
      : '',
  ];
  return cell(words.filter(Boolean).join(', '));
}
