import type { Action } from '../../dispatch/action.ts';
import { isTemplateVisible, templateById, templateByName } from '../../launch/specification/template-data.ts';
import type { LaunchTemplate } from '../../state/templates.ts';
import { type FilterFields, passes, readFilters } from '../../wire/filters.ts';
import { texts } from '../../wire/form.ts';
import { pageOf, pageRequest } from '../../wire/pages.ts';
import { templateXml } from '../../wire/xml/template-xml.ts';
import { itemSet, nextTokenXml } from '../../wire/xml/xml.ts';

const fields: FilterFields<LaunchTemplate> = {
  'create-time': (template) => new Date(template.createdAt).toISOString(),
  'launch-template-name': (template) => template.name,
};

/** Shows launch templates by id, by name, by filters, or all. An unknown id or name refuses the call. */
export const describeLaunchTemplates: Action = {
  name: 'DescribeLaunchTemplates',
  mutating: false,
  handle(call) {
    const { state, params } = call;
    const page = pageRequest(call, { min: 1, max: 200 });
    const filters = readFilters(params, fields, true);
    const ids = texts(params, 'LaunchTemplateId');
    const names = texts(params, 'LaunchTemplateName');
    const named = [...ids.map((id) => templateById(call, id)), ...names.map((name) => templateByName(call, name))];
    const list =
      named.length > 0
        ? [...new Set(named)]
        : [...state.templates.byId.values()].filter((one) => isTemplateVisible(call, one));
    const { entries, next } = pageOf(
      list.filter((template) => passes(template, filters, fields, (one) => one.tags)),
      page,
    );
    return (
      itemSet('launchTemplates', entries, (template) => templateXml(template, state.account)) + nextTokenXml(next)
    );
  },
};
