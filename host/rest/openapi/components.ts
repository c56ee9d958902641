import { Type, type TSchema } from 'typebox';
import { ProviderEntry } from '../../../config/schema.ts';
import { codes, type Code } from '../../../core/contract/errors.ts';
import { CommonTemplate } from '../../../core/model/template.ts';
import { ProviderView } from '../../../core/operations/providers/provider-views.ts';
import type { Broker } from '../../compose.ts';
import { type Json, type Named, unnamed } from '../../schema/public-schema.ts';

/** The parts that operations refer to. */
export interface Components {
  readonly named: Named;
  readonly schemas: Json;
}

const Detail = Type.Object(
  {
    detail: Type.String({ description: 'What happened, to which thing, and what to do; everything that is wrong, with its place.' }),
    code: Type.Enum(Object.keys(codes) as [Code, ...Code[]], { description: 'For programs: what kind of refusal it is.' }),
  },
  { additionalProperties: false },
);

const ErrorObject = Type.Object({
  error: Type.Object({
    code: Type.Enum(Object.keys(codes) as [Code, ...Code[]]),
    message: Type.String({ description: 'What happened, to which thing, and what to do.' }),
    details: Type.Record(Type.String(), Type.Unknown(), {
      description:
        'For programs: `findings` with `path` and `message`, `requested_provider`, `available_providers`, `suggestion` and others.',
    }),
    timestamp: Type.String({ format: 'date-time' }),
    request_id: Type.String({ description: 'The X-Request-Id of this call.' }),
  }),
});

const SourceInfo = Type.Object(
  {
    source_file: Type.String(),
    file_type: Type.String(),
    priority: Type.Integer(),
    override_chain: Type.Array(Type.Object({ file: Type.String(), fields: Type.Array(Type.String()) }), {
      description: 'From the base file to the most specific layer.',
    }),
  },
  { description: 'Where the template comes from; with include_source alone.' },
);

/** The schemas that have a name: templates with the fields of every loaded plugin, provider instances with the settings of their type, failures. */
export function componentsOf({ services }: Broker): Components {
  const types = new Map(services.providers.instances.map((instance) => [instance.type, services.providers.type(instance)]));
  const settings = [...types].flatMap(([type, found]) =>
    found ? [[`${pascal(type)}Configuration`, found.config as TSchema] as const] : [],
  );
  const named: Named = new Map<object, string>([
    [CommonTemplate.properties, 'Template'],
    [ProviderView.properties, 'Provider'],
    [ProviderEntry.properties, 'ProviderEntry'],
    ...settings.map(([name, schema]) => [(schema as Json)['properties'] as object, name] as const),
  ]);
  const template = unnamed(services.review.schema, named);
  const entry = asWritten(unnamed(ProviderEntry, named));
  const references = settings.map(([name]) => ({ $ref: `#/components/schemas/${name}` }));
  return {
    named,
    schemas: {
      Template: {
        ...template,
        description: 'A template: the common fields and those of the loaded plugins. Fields that nobody knows are kept as they are.',
        properties: { ...template['properties'], source_info: unnamed(SourceInfo, named) },
      },
      TemplateFields: { ...template, description: 'Fields of a template; each also in camelCase.', required: [] },
      Provider: unnamed(ProviderView, named),
      ProviderEntry: {
        ...entry,
        properties: { ...entry['properties'], ...(references.length > 0 ? { config: { anyOf: references, default: {} } } : {}) },
      },
      ...Object.fromEntries(settings.map(([name, schema]) => [name, asWritten(unnamed(schema as Json, named))])),
      Detail: unnamed(Detail, named),
      Error: unnamed(ErrorObject, named),
    },
  };
}

export const pascal = (name: string): string => name.replace(/(?:^|[^A-Za-z0-9])([a-z0-9])/g, (_, first: string) => first.toUpperCase());

/** A schema of what callers write: a field that has a default may be left out, at any depth. */
function asWritten(schema: Json): Json {
  const { properties, required, items } = schema as { properties?: Record<string, Json>; required?: readonly string[]; items?: Json };
  const needed = required?.filter((name) => !('default' in (properties?.[name] ?? {})));
  const variants = ['anyOf', 'oneOf', 'allOf'].flatMap((word) => (schema[word] ? [[word, (schema[word] as Json[]).map(asWritten)]] : []));
  return {
    ...schema,
    ...(properties ? { properties: Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, asWritten(field)])) } : {}),
    ...(needed ? { required: needed } : {}),
    ...(items ? { items: asWritten(items) } : {}),
    ...Object.fromEntries(variants),
  };
}
