import type { Tool } from '@modelcontextprotocol/sdk/types.js';
import { answers } from '../../../core/contract/answers.ts';
import { CommonTemplate } from '../../../core/model/template.ts';
import { interactiveInput } from '../../../core/operations/interactive-input.ts';
import type { Operation } from '../../../core/operations/operation.ts';
import { publicSchema, type Json } from '../../schema/public-schema.ts';

/** An operation as agents see it. */
export function toolOf(operation: Operation<any, any>): Tool {
  const { name, kind, summary, destructive = false, repeatable = false, leaves_work = false } = operation;
  const isQuery = kind === 'query';
  return {
    name,
    description: summary,
    inputSchema: inputSchemaOf(operation) as Tool['inputSchema'],
    outputSchema: outputSchemaOf(operation) as NonNullable<Tool['outputSchema']>,
    annotations: {
      readOnlyHint: isQuery,
      destructiveHint: destructive,
      idempotentHint: isQuery || repeatable,
      // What is left to be done is done by a cloud.
      openWorldHint: leaves_work,
    },
  };
}

const plain = (schema: Json): Json => publicSchema(schema, new Map());

/** An open input is a template: the fields that every template has are told too. */
function inputSchemaOf(operation: Operation<any, any>): Json {
  const own = plain(interactiveInput(operation));
  if (own['additionalProperties'] !== true) return own;
  const common = plain(CommonTemplate)['properties'] as Record<string, Json>;
  const merged = Object.entries(own['properties'] as Record<string, Json>).map(([name, field]) => [
    name,
    { ...common[name], ...field },
  ]);
  return {
    ...own,
    description: 'Fields of a template; those that only a provider knows may stand beside the ones named here.',
    properties: { ...common, ...Object.fromEntries(merged) },
  };
}

/**
 * Clients check failures against it too, so it has room for both envelopes. Only the fields of the answer itself are
 * told: a client compiles the schemas of all tools before its first call, and in full they take it five times as long.
 * /
 */
function outputSchemaOf({ name, output }: Operation<any, any>): Json {
  const { properties, required = [] } = plain(
    typeof output === 'string' ? answers[output as keyof typeof answers] : output,
  );
  const fields = Object.entries(properties as Record<string, Json>).map(([field, { type, description }]) => [
    field,
    { ...(type === undefined ? {} : { type }), ...(description === undefined ? {} : { description }) },
  ]);
  return {
    type: 'object',
    properties: {
      success: { const: true },
      data: { type: 'object', properties: Object.fromEntries(fields), required },
      tool: { const: name },
      error: { type: 'object', required: ['type', 'message', 'tool', 'arguments', 'code'] },
    },
    anyOf: [{ required: ['success', 'data', 'tool'] }, { required: ['error'] }],
  };
}
