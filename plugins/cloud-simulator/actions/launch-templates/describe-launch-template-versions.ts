import type { Action, ActionCall } from '../../dispatch/action.ts';
import {
  findTemplate,
  findVersion,
  isTemplateVisible,
  isVersionVisible,
} from '../../launch/specification/template-data.ts';
import { type LaunchTemplate, type TemplateVersion, versionOf, withImage } from '../../state/templates.ts';
import { invalidCombination, invalidParameter, missingParameter } from '../../wire/errors.ts';
import { type FilterFields, passes, readFilters, withoutValue } from '../../wire/filters.ts';
import { part, parts, text, texts } from '../../wire/form.ts';
import { pageOf, pageRequest } from '../../wire/pages.ts';
import { templateVersionXml } from '../../wire/xml/template-xml.ts';
import { flag, integer } from '../../wire/values.ts';
import { itemSet, nextTokenXml } from '../../wire/xml/xml.ts';

interface Row {
  readonly template: LaunchTemplate;
  readonly version: TemplateVersion;
}

const fields: FilterFields<Row> = {
  ...withoutValue('host-resource-group-arn'),
  'create-time': (row) => new Date(row.version.createdAt).toISOString(),
  'ebs-optimized': (row) => text(row.version.data, 'EbsOptimized'),
  'http-endpoint': (row) => text(part(row.version.data, 'MetadataOptions'), 'HttpEndpoint'),
  'http-protocol-ipv4': (row) => text(part(row.version.data, 'MetadataOptions'), 'HttpEndpoint'),
  'http-tokens': (row) => text(part(row.version.data, 'MetadataOptions'), 'HttpTokens'),
  'iam-instance-profile': (row) => text(part(row.version.data, 'IamInstanceProfile'), 'Arn'),
  'image-id': (row) => text(row.version.data, 'ImageId'),
  'instance-type': (row) => text(row.version.data, 'InstanceType'),
  'is-default-version': (row) => String(row.version.number === row.template.defaultVersion),
  'kernel-id': (row) => text(row.version.data, 'KernelId'),
  'license-configuration-arn': (row) =>
    parts(row.version.data, 'LicenseSpecification').flatMap((one) => text(one, 'LicenseConfigurationArn') ?? []),
  'network-card-index': (row) =>
    parts(row.version.data, 'NetworkInterface').flatMap((one) => text(one, 'NetworkCardIndex') ?? []),
  'ram-disk-id': (row) => text(row.version.data, 'RamDiskId'),
};

/**
 * Shows versions of one template, newest first; without a template, the `$Latest` or `$Default` versions of all
 * templates.
 */
export const describeLaunchTemplateVersions: Action = {
  name: 'DescribeLaunchTemplateVersions',
  mutating: false,
  handle(call) {
    const page = pageRequest(call, { min: 1, max: 200 });
    const filters = readFilters(call.params, fields, false);
    const { entries, next } = pageOf(
      rows(call).filter((row) => passes(row, filters, fields)),
      page,
    );
    const shown = flag(call.params, 'ResolveAlias') ? withImage : (version: TemplateVersion) => version;
    return (
      itemSet('launchTemplateVersionSet', entries, (row) =>
        templateVersionXml(row.template, shown(row.version), call.state.account),
      ) + nextTokenXml(next)
    );
  },
};

function rows(call: ActionCall): Row[] {
  const { params } = call;
  const wanted = texts(params, 'LaunchTemplateVersion');
  const named = text(params, 'LaunchTemplateId') !== undefined || text(params, 'LaunchTemplateName') !== undefined;
  if (!named) return rowsOfAll(call, wanted);

  const template = findTemplate(call, params);
  const min = integer(params, 'MinVersion');
  const max = integer(params, 'MaxVersion');
  if (wanted.length > 0 && (min !== undefined || max !== undefined)) {
    throw invalidCombination('Versions cannot be combined with MinVersion or MaxVersion.');
  }
  if (wanted.length > 0)
    return [...new Set(wanted.map((version) => findVersion(call, template, version)))].map((version) => ({
      template,
      version,
    }));
  return [...template.versions.values()]
    .filter((version) => isVersionVisible(call, version))
    .filter((version) => version.number >= (min ?? 1) && version.number <= (max ?? version.number))
    .toSorted((a, b) => b.number - a.number)
    .map((version) => ({ template, version }));
}

function rowsOfAll(call: ActionCall, wanted: readonly string[]): Row[] {
  if (wanted.length === 0) throw missingParameter('LaunchTemplateId or LaunchTemplateName');
  if (wanted.some((version) => version !== '$Latest' && version !== '$Default')) {
    throw invalidParameter('Without a launch template the versions can only be $Latest and $Default.');
  }
  const templates = [...call.state.templates.byId.values()].filter((template) => isTemplateVisible(call, template));
  return templates.flatMap((template) => {
    const versions = new Set(wanted.map((version) => versionOf(template, version) as TemplateVersion));
    return [...versions].map((version) => ({ template, version }));
  });
}
