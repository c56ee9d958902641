import { type LaunchTemplate, latestVersion, type TemplateVersion } from '../../state/templates.ts';
import { tagSetXml } from '../../state/tags.ts';
import type { AwsError } from '../errors.ts';
import { isList, type Params } from '../form.ts';
import { lowerFirst } from './echo-xml.ts';
import { escapeXml, itemSet, leaf, node, timestamp } from './xml.ts';

/** The members of a launch template. */
export function templateXml(template: LaunchTemplate, account: string): string {
  return (
    leaf('launchTemplateId', template.id) +
    leaf('launchTemplateName', template.name) +
    timestamp('createTime', template.createdAt) +
    leaf('createdBy', creator(account)) +
    leaf('defaultVersionNumber', template.defaultVersion) +
    leaf('latestVersionNumber', latestVersion(template).number) +
    tagSetXml(template.tags)
  );
}

/** The members of one version, with its data. */
export function templateVersionXml(template: LaunchTemplate, version: TemplateVersion, account: string): string {
  return (
    leaf('launchTemplateId', template.id) +
    leaf('launchTemplateName', template.name) +
    leaf('versionNumber', version.number) +
    leaf('versionDescription', version.description) +
    timestamp('createTime', version.createdAt) +
    leaf('createdBy', creator(account)) +
    leaf('defaultVersion', version.number === template.defaultVersion) +
    node('launchTemplateData', dataXml(version.data))
  );
}

/** `<warning>` with the errors of a launch from the data; empty without errors. */
export function warningXml(warnings: readonly AwsError[]): string {
  if (warnings.length === 0) return '';
  return node(
    'warning',
    itemSet('errorSet', warnings, ({ code, message }) => leaf('code', code) + leaf('message', message)),
  );
}

// Answers name a list `xSet` where requests number `X.1`, with these exceptions.
const setNames: Readonly<Record<string, string>> = { LicenseSpecification: 'licenseSet' };
const interfaceSetNames: Readonly<Record<string, string>> = { SecurityGroupId: 'groupSet' };

/**
 * Request parameters in the spelling of answers: `NetworkInterface.1.SubnetId` is
 * `<networkInterfaceSet><item><subnetId>`.
 */
function dataXml(data: Params, names: Readonly<Record<string, string>> = setNames): string {
  let xml = '';
  for (const [name, value] of Object.entries(data)) {
    if (typeof value === 'string') xml += leaf(lowerFirst(name), value);
    else if (!isList(value)) xml += node(lowerFirst(name), dataXml(value, names));
    else xml += listXml(name, names[name] ?? `${lowerFirst(name)}Set`, Object.values(value));
  }
  return xml;
}

function listXml(name: string, setName: string, entries: readonly (string | Params)[]): string {
  if (setName === 'groupSet') return node(setName, entries.map((entry) => leaf('groupId', String(entry))).join(''));
  const names = name === 'NetworkInterface' ? interfaceSetNames : setNames;
  return itemSet(setName, entries, (entry) => (typeof entry === 'string' ? escapeXml(entry) : dataXml(entry, names)));
}

function creator(account: string): string {
  return `arn:aws:iam::${account}:user/simulated`;
}
