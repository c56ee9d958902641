import type { Action, ActionCall } from '../../action.ts';
import { findTemplate, findVersion } from '../../launch/template-data.ts';
import { type LaunchTemplate, type TemplateVersion, versionOf } from '../../state/templates.ts';
import { invalidCombination, invalidParameter, missingParameter } from '../../wire/errors.ts';
import { type FilterFields, passes, readFilters } from '../../wire/filters.ts';
import { part, text, texts } from '../../wire/form.ts';
import { pageOf, pageRequest } from '../../wire/pages.ts';
import { templateVersionXml } from '../../wire/template-xml.ts';
import { integer } from '../../wire/values.ts';
import { itemSet, nextTokenXml } from '../../wire/xml.ts';

interface Row {
  readonly template: LaunchTemplate;
  readonly version: TemplateVersion;
}

const fields: FilterFields<Row> = {
  'create-time': (row) => new Date(row.version.createdAt).toISOString(),
  'ebs-optimized': (row) => text(row.version.data, 'EbsOptimized'),
  'iam-instance-profile': (row) => text(part(row.version.data, 'IamInstanceProfile'), 'Arn'),
  'image-id': (row) => text(row.version.data, 'ImageId'),
  'instance-type': (row) => text(row.version.data, 'InstanceType'),
  'is-default-version': (row) => String(row.version.number === row.template.defaultVersion),
  'kernel-id': (row) => text(row.version.data, 'KernelId'),
  'ram-disk-id': (row) => text(row.version.data, 'RamDiskId'),
};

/** Shows versions of one template, newest first; without a template the `$Latest` or `$Default` of all. */
export const describeLaunchTemplateVersions: Action = {
  name: 'DescribeLaunchTemplateVersions',
  mutating: false,
  handle(call) {
    const page = pageRequest(call.params, { min: 1, max: 200, notWith: 'LaunchTemplateVersion' });
    const filters = readFilters(call.params, fields, false);
    const { entries, next } = pageOf(
      rows(call).filter((row) => passes(row, filters, fields)),
      page,
    );
    return (
      itemSet('launchTemplateVersionSet', entries, (row) => templateVersionXml(row.template, row.version, call.state.account)) +
      nextTokenXml(next)
    );
  },
};

function rows(call: ActionCall): Row[] {
  const { state, params } = call;
  const wanted = texts(params, 'LaunchTemplateVersion');
  const named = text(params, 'LaunchTemplateId') !== undefined || text(params, 'LaunchTemplateName') !== undefined;
  if (!named) return rowsOfAll(call, wanted);

  const template = findTemplate(state, params);
  const min = integer(params, 'MinVersion');
  const max = integer(params, 'MaxVersion');
  if (wanted.length > 0 && (min !== undefined || max !== undefined)) {
    throw invalidCombination('Versions cannot be combined with MinVersion or MaxVersion.');
  }
  if (wanted.length > 0)
    return [...new Set(wanted.map((version) => findVersion(template, version)))].map((version) => ({ template, version }));
  return [...template.versions.values()]
    .filter((version) => version.number >= (min ?? 1) && version.number <= (max ?? version.number))
    .toSorted((a, b) => b.number - a.number)
    .map((version) => ({ template, version }));
}

function rowsOfAll(call: ActionCall, wanted: readonly string[]): Row[] {
  if (wanted.length === 0) throw missingParameter('LaunchTemplateId or LaunchTemplateName');
  if (wanted.some((version) => version !== '$Latest' && version !== '$Default')) {
    throw invalidParameter('Without a launch template the versions can only be $Latest and $Default.');
  }
  return [...call.state.templates.byId.values()].flatMap((template) => {
    const versions = new Set(wanted.map((version) => versionOf(template, version) as TemplateVersion));
    return [...versions].map((version) => ({ template, version }));
  });
}
