import { Type } from 'typebox';
import { BrokerError } from '../../contract/errors.ts';
import { isError, sentence } from '../../contract/findings.ts';
import { variantFor } from '../../model/template.ts';
import { hint } from '../../schema/spelling.ts';
import { fitOf } from '../../providers/fit.ts';
import { selectionRefusals } from '../../selection/select.ts';
import { p } from '../parameters.ts';
import { operation } from '../operation.ts';
import { templateOf, trySelection } from './try-selection.ts';

const texts = () => Type.Array(Type.String());

export const validateProviderConfiguration = operation('ValidateProviderConfigurationQuery', {
  summary: 'Check provider entries of a configuration. Nothing is connected and nothing is stored.',
  input: Type.Object(
    { providers: Type.Optional(Type.Unknown({ description: 'A list of provider entries.' })) },
    { additionalProperties: false },
  ),
  output: Type.Object({
    valid: Type.Boolean(),
    providers: Type.Array(
      Type.Object({
        name: Type.Union([Type.String(), Type.Null()]),
        valid: Type.Boolean(),
        errors: texts(),
        warnings: texts(),
      }),
    ),
  }),
  refusals: ['INVALID_CONFIGURATION'],
  rest: { method: 'POST', path: '/providers/validate', limit: 'validation', errors: 'error' },
  cli: { command: 'providers validate', example: 'muster providers validate --file muster.config.yaml' },
  async handle({ providers }, { configurationChecks }, { owner = false }) {
    if (!Array.isArray(providers) || providers.length > mostEntries) {
      const message = Array.isArray(providers)
        ? `must not have more than ${mostEntries} entries`
        : 'must be a list of provider entries';
      throw new BrokerError('INVALID_CONFIGURATION', `/providers: ${message}`, {
        findings: [{ path: '/providers', message }],
      });
    }
    const checked = configurationChecks.providers(providers, owner).map(({ name, findings }) => ({
      name: name ?? null,
      valid: !findings.some(isError),
      errors: findings.filter(isError).map(sentence),
      warnings: findings.filter((finding) => !isError(finding)).map(sentence),
    }));
    return { valid: checked.every(({ valid }) => valid), providers: checked };
  },
});

const mostEntries = 1000;

export const validateProviderEnvironment = operation('ValidateProviderEnvironmentQuery', {
  summary:
    'Show the configuration of a provider type that results from environment variables. Secrets are masked in the answer.',
  input: Type.Object(
    {
      provider_type: Type.String({ minLength: 1, maxLength: 255, description: 'Provider type.' }),
      environment_variables: Type.Record(Type.String(), Type.String(), {
        description: 'Variables with their values.',
      }),
    },
    { additionalProperties: false },
  ),
  output: Type.Object({
    valid: Type.Boolean(),
    provider_type: Type.String(),
    resolved_configuration: Type.Record(Type.String(), Type.Unknown()),
    environment_variables: Type.Object({ recognized: texts(), ignored: texts(), invalid: texts() }),
    validation_errors: texts(),
    warnings: texts(),
  }),
  refusals: ['PROVIDER_TYPE_MISMATCH'],
  rest: { method: 'POST', path: '/providers/validate-env', limit: 'validation', errors: 'error' },
  cli: {
    command: 'providers validate-env',
    args: ['provider_type'],
    example: 'muster providers validate-env cloud --environment-variables MUSTER_CLOUD_REGION=us-east-1',
  },
  async handle({ provider_type, environment_variables }, { configurationChecks, review }) {
    const read = configurationChecks.environment(provider_type, environment_variables);
    if (!read) {
      const known = configurationChecks.types;
      throw new BrokerError(
        'PROVIDER_TYPE_MISMATCH',
        `No loaded plugin brings the provider type '${provider_type}'${hint(provider_type, known)}`,
        {
          requested_provider: provider_type,
          available_providers: known,
          suggestion: 'Name a provider type of a loaded plugin.',
        },
      );
    }
    return {
      valid: read.errors.length === 0,
      provider_type: review.typeNamed(provider_type) ?? provider_type,
      resolved_configuration: { ...read.resolved },
      environment_variables: {
        recognized: [...read.recognized],
        ignored: [...read.ignored],
        invalid: [...read.invalid],
      },
      validation_errors: [...read.errors],
      warnings: [...read.warnings],
    };
  },
});

export const testProviderSelection = operation('TestProviderSelectionQuery', {
  summary: 'Show which provider instance a request would get, and why the others are rejected. Makes no request.',
  input: Type.Object(
    {
      template: Type.Optional(
        Type.Record(Type.String(), Type.Unknown(), { description: 'A template; it need not exist.' }),
      ),
      template_id: Type.Optional(p.template_id),
      selection_strategy: Type.Optional(p.selection_strategy),
      provider_instance: Type.Optional(p.provider_instance),
      provider_type: Type.Optional(p.balanced_type),
      machine_count: Type.Optional({ ...p.machine_count, default: 1 }),
      request_id: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 255,
          description: 'The key for sharing by weight. Default: a new id.',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  output: Type.Object({
    provider_type: Type.String(),
    provider_instance: Type.String(),
    selection_strategy: Type.String(),
    selection_reason: Type.String(),
    confidence: Type.Number(),
    alternatives: texts(),
    rejected: Type.Array(Type.Object({ name: Type.String(), code: Type.String(), reason: Type.String() })),
    selection_time_ms: Type.Integer(),
    validation_result: Type.Object({
      valid: Type.Boolean(),
      errors: texts(),
      warnings: texts(),
      supported_features: texts(),
    }),
  }),
  refusals: ['TEMPLATE_NOT_FOUND', ...selectionRefusals],
  rest: { method: 'POST', path: '/providers/select', limit: 'provider', errors: 'error' },
  cli: {
    command: 'providers select',
    args: ['template_id'],
    example: 'muster providers select small --machine-count 10',
  },
  async handle(input, services) {
    const placed = await templateOf(input, services);
    const { selection, took_ms } = trySelection(placed, input, services);
    const { provider_type, provider_instance, strategy, selection_reason, confidence, alternatives, rejected } =
      selection;
    const instance = services.providers.requireSelectable(provider_instance);
    const { valid, errors, warnings, supported_features } = fitOf(
      variantFor(placed, provider_instance),
      instance,
      services.providers,
      services.review,
    );
    return {
      provider_type,
      provider_instance,
      selection_strategy: strategy,
      selection_reason,
      confidence,
      alternatives: [...alternatives],
      rejected: rejected.map((each) => ({ ...each })),
      selection_time_ms: took_ms,
      validation_result: {
        valid,
        errors: [...errors],
        warnings: [...warnings],
        supported_features: [...supported_features],
      },
    };
  },
});
