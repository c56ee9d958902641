import { Type } from 'typebox';
import { fitOf, validationLevels, type Fit, type ValidationLevel } from '../../providers/fit.ts';
import { p } from '../parameters.ts';
import { operation } from '../operation.ts';
import type { Services } from '../services.ts';

const level = Type.Optional(
  Type.Enum([...validationLevels] as [ValidationLevel, ...ValidationLevel[]], {
    default: 'strict',
    description: '`lenient`: unsupported features and exceeded limits are warnings.',
  }),
);
const texts = () => Type.Array(Type.String());

/** Checks the template of an id against one instance. */
async function fitAt(template_id: string, name: string, level: ValidationLevel, services: Services): Promise<Fit> {
  await services.templateLibrary.seek(template_id);
  const instance = services.providers.require(name);
  return fitOf(
    services.templateLibrary.forInstance(template_id, name),
    instance,
    services.providers,
    services.review,
    level,
  );
}

export const validateTemplateForProvider = operation('ValidateTemplateForProviderQuery', {
  summary:
    'Check whether one provider instance can serve a template, and which of its features. Does not call the provider.',
  input: Type.Object(
    { template_id: p.template_id, provider_instance: p.provider_instance, validation_level: level },
    { additionalProperties: false },
  ),
  output: Type.Object({
    valid: Type.Boolean(),
    provider_instance: Type.String(),
    validation_level: Type.String(),
    errors: texts(),
    warnings: texts(),
    supported_features: texts(),
    unsupported_features: texts(),
  }),
  refusals: ['TEMPLATE_NOT_FOUND', 'PROVIDER_NOT_FOUND'],
  rest: { method: 'POST', path: '/templates/{template_id}/validate', limit: 'validation', errors: 'error' },
  cli: {
    command: 'templates validate-for',
    args: ['template_id', 'provider_instance'],
    example: 'muster templates validate-for small east',
  },
  async handle({ template_id, provider_instance, validation_level = 'strict' }, services) {
    const { valid, errors, warnings, supported_features, unsupported_features } = await fitAt(
      template_id,
      provider_instance,
      validation_level,
      services,
    );
    return {
      valid,
      provider_instance,
      validation_level,
      errors: [...errors],
      warnings: [...warnings],
      supported_features: [...supported_features],
      unsupported_features: [...unsupported_features],
    };
  },
});

const Result = Type.Object({ valid: Type.Boolean(), errors: texts(), warnings: texts(), supported_features: texts() });

export const validateTemplateForProviders = operation('ValidateTemplateForProvidersQuery', {
  summary: 'Check which provider instances can serve a template. Without a list: all instances.',
  input: Type.Object(
    {
      template_id: p.template_id,
      provider_instances: Type.Optional(
        Type.Array(Type.String({ minLength: 1, maxLength: 255 }), {
          minItems: 1,
          maxItems: 1000,
          description: 'Names of provider instances.',
        }),
      ),
      validation_level: level,
    },
    { additionalProperties: false },
  ),
  output: Type.Object({
    template_id: Type.String(),
    validation_results: Type.Record(Type.String(), Result),
    compatible_providers: texts(),
    incompatible_providers: texts(),
  }),
  refusals: ['TEMPLATE_NOT_FOUND'],
  rest: { method: 'POST', path: '/templates/{template_id}/validate-multi', limit: 'validation', errors: 'error' },
  cli: {
    command: 'templates validate-for-all',
    args: ['template_id', 'provider_instances'],
    example: 'muster templates validate-for-all small east,west',
  },
  async handle({ template_id, provider_instances, validation_level = 'strict' }, services) {
    await services.templateLibrary.seek(template_id);
    const names = [...new Set(provider_instances ?? services.providers.instances.map(({ name }) => name))];
    const results = await Promise.all(
      names.map(async (name) => {
        // An unknown name does not affect the results of the others.
        if (!services.providers.instance(name))
          return [name, { ...nothing, errors: [services.providers.unknown(name).message] }] as const;
        const { valid, errors, warnings, supported_features } = await fitAt(
          template_id,
          name,
          validation_level,
          services,
        );
        const result = {
          valid,
          errors: [...errors],
          warnings: [...warnings],
          supported_features: [...supported_features],
        };
        return [name, result] as const;
      }),
    );
    const fitting = new Set(results.filter(([, { valid }]) => valid).map(([name]) => name));
    return {
      template_id,
      validation_results: Object.fromEntries(results),
      compatible_providers: names.filter((name) => fitting.has(name)),
      incompatible_providers: names.filter((name) => !fitting.has(name)),
    };
  },
});

const nothing = { valid: false, warnings: [], supported_features: [] };
