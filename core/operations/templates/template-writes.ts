import { Type } from 'typebox';
import { sentence } from '../../contract/findings.ts';
import { p } from '../parameters.ts';
import { operation } from '../operation.ts';

/** Accepts all template fields, the common ones and those of plugins. */
const open = { additionalProperties: true } as const;
const written = Type.Object({
  message: Type.String(),
  templateId: Type.String(),
  timestamp: Type.String({ format: 'date-time' }),
});
/** Without a type here, because the template service checks all fields together and reports all errors at once. */
const field = (description: string) => Type.Unsafe<string>({ description });
const stamp = (now: number) => new Date(now).toISOString();

export const createTemplate = operation('CreateTemplateCommand', {
  summary: 'Create a template. It is stored as the top layer; template files are never written.',
  input: Type.Object(
    {
      template_id: field('Unique identifier.'),
      image_id: field('Machine image.'),
      provider_api: field('Provider API that launches the machines.'),
      description: Type.Optional(field('What the template is for.')),
      configuration: Type.Optional(
        Type.Record(Type.String(), Type.Unknown(), {
          description: 'Template fields in one object. Fields beside it take precedence.',
        }),
      ),
    },
    open,
  ),
  output: written,
  refusals: ['TEMPLATE_INVALID', 'ALREADY_EXISTS', 'CONFLICT'],
  rest: {
    method: 'POST',
    path: '/templates/',
    status: 201,
    limit: 'template',
    optional: ['template_id', 'image_id', 'provider_api'],
  },
  cli: {
    command: 'templates create',
    args: ['template_id'],
    example: 'muster templates create small --file small.yaml --set max_instances=5',
  },
  async handle(fields, { templateService, clock }) {
    const template_id = await templateService.create(fields);
    return {
      message: `Template '${template_id}' was created.`,
      templateId: template_id,
      timestamp: stamp(clock.now()),
    };
  },
});

export const updateTemplate = operation('UpdateTemplateCommand', {
  summary:
    'Change a template. Absent fields stay; null removes a field. The changes are a layer over the template files.',
  input: Type.Object(
    {
      template_id: p.template_id,
      configuration: Type.Optional(
        Type.Record(Type.String(), Type.Unknown(), {
          description: 'Template fields in one object. Fields beside it take precedence.',
        }),
      ),
    },
    open,
  ),
  output: written,
  refusals: ['TEMPLATE_NOT_FOUND', 'TEMPLATE_INVALID', 'CONFLICT'],
  rest: { method: 'PUT', path: '/templates/{template_id}', limit: 'template' },
  cli: {
    command: 'templates update',
    args: ['template_id'],
    example: 'muster templates update small --set key_name=ops --set tags.team=blue',
  },
  repeatable: true,
  async handle({ template_id, ...fields }, { templateService, clock }) {
    await templateService.update(template_id, fields);
    return {
      message: `Template '${template_id}' was updated.`,
      templateId: template_id,
      timestamp: stamp(clock.now()),
    };
  },
});

export const deleteTemplate = operation('DeleteTemplateCommand', {
  summary: 'Delete a template that was created over the API. The definition in a template file becomes visible again.',
  input: Type.Object({ template_id: p.template_id }, { additionalProperties: false }),
  output: written,
  refusals: ['TEMPLATE_NOT_FOUND', 'CONFLICT'],
  rest: { method: 'DELETE', path: '/templates/{template_id}', limit: 'template' },
  cli: { command: 'templates delete', args: ['template_id'], example: 'muster templates delete small' },
  destructive: true,
  repeatable: true,
  async handle({ template_id }, { templateService, clock }) {
    await templateService.remove(template_id);
    return {
      message: `Template '${template_id}' was deleted.`,
      templateId: template_id,
      timestamp: stamp(clock.now()),
    };
  },
});

export const validateTemplate = operation('ValidateTemplateQuery', {
  summary: 'Check a template without storing it: its fields, and whether a provider instance can honor it.',
  input: Type.Object({ template_id: Type.Optional(field('Template id.')) }, open),
  output: Type.Object({
    valid: Type.Boolean(),
    templateId: Type.Union([Type.String(), Type.Null()]),
    validationErrors: Type.Array(Type.String()),
    validationWarnings: Type.Array(Type.String()),
    timestamp: Type.String({ format: 'date-time' }),
  }),
  rest: { method: 'POST', path: '/templates/validate', limit: 'validation' },
  cli: { command: 'templates validate', example: 'muster templates validate --file templates.json' },
  async handle(given, { templateService, clock }) {
    const { fields, errors, warnings } = templateService.judge(given);
    const { template_id } = fields;
    return {
      valid: errors.length === 0,
      templateId: typeof template_id === 'string' ? template_id : null,
      validationErrors: errors.map(sentence),
      validationWarnings: warnings.map(sentence),
      timestamp: stamp(clock.now()),
    };
  },
});
