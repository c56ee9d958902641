import { Type } from 'typebox';
import { TemplateAnswer } from '../../contract/answers.ts';
import type { Template } from '../../model/template.ts';
import { answerBytes, fitting } from '../../requests/queries/answer-budget.ts';
import { templateBytes } from '../../templates/template-size.ts';
import { filterFields, sortableTemplateFields } from '../../templates/select-page.ts';
import { p } from '../parameters.ts';
import { operation } from '../operation.ts';
import { isoTime } from '../../schema/iso-time.ts';
import { paging, sortBy } from '../paging.ts';
import type { Services } from '../services.ts';

export const listTemplates = operation('ListTemplatesQuery', {
  summary: 'List the templates for requests.',
  input: Type.Object(
    {
      provider_api: Type.Optional(p.provider_api),
      provider_type: Type.Optional(p.provider_type),
      provider_name: Type.Optional(p.provider_name),
      active_only: Type.Optional(
        Type.Boolean({
          default: true,
          description:
            'Only usable templates: an enabled provider instance may serve them, and `max_instances` is not 0.',
        }),
      ),
      force_refresh: Type.Optional(p.force_refresh),
      limit: Type.Optional(p.limit),
      offset: Type.Optional(p.offset),
      page: Type.Optional(p.page),
      page_size: Type.Optional(p.page_size),
      sort: sortBy(sortableTemplateFields),
    },
    { additionalProperties: false },
  ),
  output: 'templates',
  rest: { method: 'GET', path: '/templates/', limit: 'template', preset: { active_only: false } },
  cli: { command: 'templates list', example: 'muster templates list --provider-api EC2Fleet' },
  async handle(input, { templateLibrary, providers, review, clock }) {
    if (input.force_refresh) await templateLibrary.refresh();
    const given = filterFields(input, review);
    const { offset, limit } = paging(input, 50);
    const found = templateLibrary.list({
      ...given,
      ...(input.active_only ? { keep: (template) => isActive(template, { templateLibrary, providers }) } : {}),
      ...(input.sort === undefined ? {} : { sort: input.sort }),
      offset,
      limit,
    });
    const taken = fitting(found.items, ({ template }) => templateBytes(template), answerBytes);
    const items = found.items.slice(0, taken).map(({ template }) => {
      const machine_type = providers.machineTypeOf(template);
      return { template, ...(machine_type ? { machine_type } : {}) };
    });
    return {
      items,
      total_count: found.total_count,
      ...(taken < found.items.length ? { next_offset: offset + taken } : {}),
      ...(Object.keys(given).length > 0 ? { filters: given } : {}),
      at: clock.now(),
    };
  },
});

const isActive = (
  template: Template,
  { templateLibrary, providers }: Pick<Services, 'templateLibrary' | 'providers'>,
): boolean => providers.mayServe(templateLibrary.placed(template.template_id));

export const getTemplate = operation('GetTemplateQuery', {
  summary: 'Show one template, merged from its layers.',
  input: Type.Object(
    { template_id: p.template_id, include_source: Type.Optional(p.include_source) },
    { additionalProperties: false },
  ),
  output: Type.Object({ template: TemplateAnswer, timestamp: Type.String() }),
  refusals: ['TEMPLATE_NOT_FOUND'],
  rest: { method: 'GET', path: '/templates/{template_id}', limit: 'template' },
  cli: { command: 'templates show', args: ['template_id'], example: 'muster templates show small --include-source' },
  async handle({ template_id, include_source }, { templateLibrary, clock }) {
    const template = templateLibrary.find(template_id) ?? (await templateLibrary.seek(template_id));
    const timestamp = isoTime(clock.now());
    return {
      template: include_source ? { ...template, source_info: templateLibrary.source(template_id) } : template,
      timestamp,
    };
  },
});

export const refreshTemplates = operation('RefreshTemplatesCommand', {
  summary: 'Read the template files again. The answer names broken files; the other files are used.',
  input: Type.Object({}, { additionalProperties: false }),
  output: Type.Object({
    message: Type.String(),
    templateCount: Type.Integer(),
    cacheStats: Type.Record(Type.String(), Type.Unknown()),
    timestamp: Type.String(),
  }),
  rest: { method: 'POST', path: '/templates/refresh', limit: 'template' },
  cli: { command: 'templates refresh', example: 'muster templates refresh' },
  repeatable: true,
  async handle(_, { templateLibrary, clock }) {
    await templateLibrary.refresh();
    const { cacheStats } = templateLibrary;
    const wrong =
      cacheStats.errors.length > 0 ? ` ${cacheStats.errors.length} are invalid: ${cacheStats.errors.join('; ')}` : '';
    return {
      message: `${cacheStats.templates} templates from ${cacheStats.files} files.${wrong}`,
      templateCount: cacheStats.templates,
      cacheStats: { ...cacheStats },
      timestamp: new Date(clock.now()).toISOString(),
    };
  },
});
