import type { Tool } from '@modelcontextprotocol/sdk/types.js';
import { CommonTemplate } from '../../../core/model/template.ts';
import { interactiveInput } from '../../../core/operations/interactive-input.ts';
import type { Operation } from '../../../core/operations/operation.ts';
import { publicSchema, type Json } from '../../schema/public-schema.ts';

/**
 * Returns the tool of an operation. An agent reads the list of all tools before its first call, in each of its
 * sessions, so a tool has only what an agent needs to call it: no schema of the result, which the result shows, no
 * other spellings, and no hint that a client assumes without it.
 */
export function toolOf(operation: Operation<any, any>): Tool {
  const { name, kind, summary, destructive = false, repeatable = false, leaves_work = false } = operation;
  return {
    name,
    description: summary,
    inputSchema: inputSchemaOf(operation) as Tool['inputSchema'],
    annotations: {
      ...(kind === 'query' ? { readOnlyHint: true } : { destructiveHint: destructive }),
      ...(repeatable ? { idempotentHint: true } : {}),
      // The remaining work is done by a cloud. A client assumes this of every tool.
      ...(leaves_work ? {} : { openWorldHint: false }),
    },
  };
}

/**
 * The schema of the input. An open input is a template: the fields of every template are included, but for commands
 * that are about an existing template, whose fields `get_template` shows.
 */
function inputSchemaOf(operation: Operation<any, any>): Json {
  const own = withoutPages(brief(interactiveInput(operation)));
  if (own['additionalProperties'] !== true) return own;
  if (operation.name !== 'create_template')
    return { ...own, description: 'Further fields: those of a template, as create_template lists them.' };
  const common = brief(CommonTemplate)['properties'] as Record<string, Json>;
  const merged = Object.entries(own['properties'] as Record<string, Json>).map(([name, field]) => [
    name,
    { ...common[name], ...field },
  ]);
  return {
    ...own,
    description: 'Fields of a template; fields that only a provider knows are also accepted.',
    properties: { ...common, ...Object.fromEntries(merged) },
  };
}

/** A list whose part `limit` and `offset` name. An agent needs no second way. */
function withoutPages(schema: Json): Json {
  const { page: _, page_size, ...properties } = schema['properties'] as Record<string, Json>;
  return 'limit' in properties && page_size !== undefined ? { ...schema, properties } : schema;
}

const spellings = new Set(['aliases', 'value_aliases']);
/** Bounds that a reasonable value keeps; a refusal names them. */
const bounds = new Set([
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'uniqueItems',
  'pattern',
  'title',
  'examples',
]);

/** Other fields are refused, which a refusal tells, or may have any value. */
const isNoRule = (others: unknown): boolean => others === false || JSON.stringify(others) === '{}';

/** A schema without other spellings, without the bounds of values, and without rules for other fields. */
const brief = (schema: Json): Json =>
  without(bounds, publicSchema(without(spellings, schema) as Json, new Map())) as Json;

function without(words: ReadonlySet<string>, schema: unknown, isMap = false): unknown {
  if (Array.isArray(schema)) return schema.map((each) => without(words, each));
  if (typeof schema !== 'object' || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([word, value]) => isMap || !(words.has(word) || (word === 'additionalProperties' && isNoRule(value))))
      .map(([word, value]) => [word, without(words, value, !isMap && word === 'properties')]),
  );
}
