import { Type, type TSchema } from 'typebox';
import { ProviderEntry } from '../../../config/schema.ts';
import { codes, type Code } from '../../../core/contract/errors.ts';
import { CommonTemplate } from '../../../core/model/template.ts';
import { ProviderView } from '../../../core/operations/providers/provider-views.ts';
import type { Broker } from '../../compose.ts';
import { type Json, type Named, unnamed } from '../../schema/public-schema.ts';

/** The components that operations reference. */
export interface Components {
  readonly named: Named;
  readonly schemas: Json;
}

const Detail = Type.Object(
  {
    detail: Type.String({
      description: 'What happened, to which object, and what to do; lists every error with its place.',
    }),
    code: Type.Enum(Object.keys(codes) as [Code, ...Code[]], { description: 'The kind of error, for programs.' }),
  },
  { additionalProperties: false },
);

const ErrorObject = Type.Object({
  error: Type.Object({
    code: Type.Enum(Object.keys(codes) as [Code, ...Code[]]),
    message: Type.String({ description: 'What happened, to which object, and what to do.' }),
    details: Type.Record(Type.String(), Type.Unknown(), {
      description:
        'Details for programs: `findings` with `path` and `message`, `requested_provider`, `available_providers`, `suggestion` and others.',
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
  { description: 'The origin of the template; only with include_source.' },
);

/**
 * Returns the named schemas: templates with the fields of every loaded plugin, provider instances with the settings of
 * their type, and errors.
 */
export function componentsOf({ services }: Broker): Components {
  const types = new Map(
    services.providers.instances.map((instance) => [instance.type, services.providers.type(instance)]),
  );
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
        description:
          'A template: the common fields and the fields of the loaded plugins. Unknown fields are kept unchanged.',
        properties: { ...template['properties'], source_info: unnamed(SourceInfo, named) },
      },
      TemplateFields: {
        ...template,
        description: 'Fields of a template; each name is also accepted in camelCase.',
        required: [],
      },
      Provider: unnamed(ProviderView, named),
      ProviderEntry: {
        ...entry,
        properties: {
          ...entry['properties'],
          ...(references.length > 0 ? { config: { anyOf: references, default: {} } } : {}),
        },
      },
      ...Object.fromEntries(settings.map(([name, schema]) => [name, asWritten(unnamed(schema as Json, named))])),
      Detail: unnamed(Detail, named),
      Error: unnamed(ErrorObject, named),
    },
  };
}

export const pascal = (name: string): string =>
  name.replace(/(?:^|[^A-Za-z0-9])([a-z0-9])/g, (_, first: string) => first.toUpperCase());

/** Returns the schema of the input that callers write: a field with a default is optional, at any depth. */
function asWritten(schema: Json): Json {
  const { properties, required, items } = schema as {
    properties?: Record<string, Json>;
    required?: readonly string[];
    items?: Json;
  };
  const needed = required?.filter((name) => !('default' in (properties?.[name] ?? {})));
  const variants = ['anyOf', 'oneOf', 'allOf'].flatMap((word) =>
    schema[word] ? [[word, (schema[word] as Json[]).map(asWritten)]] : [],
  );
  return {
    ...schema,
    ...(properties
      ? { properties: Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, asWritten(field)])) }
      : {}),
    ...(needed ? { required: needed } : {}),
    ...(items ? { items: asWritten(items) } : {}),
    ...Object.fromEntries(variants),
  };
}
