import { convertText } from '../../../core/schema/convert.ts';
import { conversionPlanOf, type ConversionPlan } from '../../../core/schema/conversion-plan.ts';
import { camelCase } from '../../../core/schema/spelling.ts';
import { declarations, type DeclaredOperation, type FieldSchema } from './declared-operations.ts';
import { optionKindOf, spellingsOf } from './input-options.ts';

/** An option or argument that cannot be parsed. */
export class UsageError extends Error {}

/**
 * Converts the texts of a command line to the input of an operation, by canonical names. Converts numbers and booleans
 * where that is unambiguous; the operation checks the values.
 */
export function readTexts(
  operation: DeclaredOperation,
  args: readonly unknown[],
  options: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const input: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(operation.input.properties)) {
    const place = operation.args.indexOf(name);
    const byPlace = place < 0 ? undefined : args[place];
    const given: [string, unknown][] =
      byPlace === undefined || (Array.isArray(byPlace) && byPlace.length === 0) ? [] : [[name, byPlace]];
    for (const spelling of spellingsOf(name, field)) {
      const value = options[camelCase(spelling.slice(2).replaceAll('-', '_'))];
      if (value !== undefined && !(field.default === true && value === true)) given.push([spelling, value]);
    }
    const [first, ...others] = given.map(
      ([spelling, value]) => [spelling, valueOf(operation, name, field, spelling, value)] as const,
    );
    if (first === undefined) continue;
    const other = others.find(([, value]) => JSON.stringify(value) !== JSON.stringify(first[1]));
    if (other) throw new UsageError(`'${first[0]}' and '${other[0]}' are the same input and have different values`);
    input[name] = first[1];
  }
  return convertText(conversionPlanOf(operation.input), input) as Record<string, unknown>;
}

function valueOf(
  { input }: DeclaredOperation,
  name: string,
  field: FieldSchema,
  spelling: string,
  given: unknown,
): unknown {
  const kind = optionKindOf(field);
  if (kind === 'list') return (given as readonly string[]).flatMap((text) => listOf(text, spelling));
  if (kind === 'map') return mapOf(given as readonly string[], conversionPlanOf(field as never), spelling);
  if (typeof given !== 'string' || field.type !== undefined || field.enum) return given;
  return input.additionalProperties ? templateValue(name, given) : jsonOrText(given);
}

function listOf(text: string, spelling: string): unknown[] {
  if (!text.trimStart().startsWith('[')) return text.split(',').flatMap((item) => item.trim() || []);
  return json(text, spelling) as unknown[];
}

/** Merges `key=value` pairs and JSON objects. */
export function mapOf(texts: readonly string[], plan: ConversionPlan, spelling: string): Record<string, unknown> {
  const parts = texts.map((text): object => {
    if (text.trimStart().startsWith('{')) return json(text, spelling) as object;
    const at = text.indexOf('=');
    if (at < 1)
      throw new UsageError(`option '${spelling}' takes key=value, or an object in JSON; '${text}' is neither`);
    const value = text.slice(at + 1);
    return { [text.slice(0, at)]: plan.fields || holdsTexts(plan) ? value : jsonOrText(value) };
  });
  return Object.assign({}, ...parts) as Record<string, unknown>;
}

/** Parses `field=value` and `field.key=value` for a template: by the type of a known field, else as JSON or text. */
export function templateFields(texts: readonly string[], spelling: string): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const text of texts) {
    const [, field = '', key, value = ''] = /^([^=.]+)(?:\.([^=]+))?=(.*)$/s.exec(text) ?? [];
    if (field === '') throw new UsageError(`option '${spelling}' takes field=value; '${text}' is not`);
    if (key === undefined) fields[field] = templateValue(field, value);
    else
      fields[field] = {
        ...(fields[field] as object | undefined),
        [key]: holdsTexts(templatePlan(field)) ? value : jsonOrText(value),
      };
  }
  return fields;
}

function templateValue(field: string, text: string): unknown {
  const plan = templatePlan(field);
  if (plan === undefined || text === 'null') return jsonOrText(text);
  return convertText(plan, text);
}

function templatePlan(field: string): ConversionPlan | undefined {
  const { fields, spellings } = conversionPlanOf(declarations().template);
  return fields?.get(spellings?.get(field) ?? field);
}

/** Whether the values of a map are texts. */
function holdsTexts(plan: ConversionPlan | undefined): boolean {
  const { patternProperties, additionalProperties } = (plan?.schema ?? {}) as Readonly<
    Record<string, Readonly<Record<string, unknown>> | undefined>
  >;
  const values = (patternProperties ? Object.values(patternProperties)[0] : additionalProperties) as
    | FieldSchema
    | undefined;
  return values?.type === 'string';
}

function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function json(text: string, spelling: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`'${spelling}' is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}
