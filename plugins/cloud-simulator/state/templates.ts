import { imageOfAlias, isImageAlias } from '../launch/specification/image-ids.ts';
import { type Params, text } from '../wire/form.ts';
import type { Tags } from './tags.ts';

/** One version of a launch template. As in AWS, numbers rise by one and are never reused. */
export interface TemplateVersion {
  readonly number: number;
  readonly description: string | undefined;
  readonly createdAt: number;
  /** `LaunchTemplateData` as received, with the parameter names of RunInstances. Not checked before a launch. */
  readonly data: Params;
}

export interface LaunchTemplate {
  readonly id: string;
  readonly name: string;
  readonly createdAt: number;
  readonly versions: Map<number, TemplateVersion>;
  tags: Tags;
  defaultVersion: number;
  /** The number that the next version gets. */
  nextNumber: number;
}

/** The launch templates of a region. */
export interface TemplateTable {
  readonly byId: ReadonlyMap<string, LaunchTemplate>;
  byName(name: string): LaunchTemplate | undefined;
  add(template: LaunchTemplate): void;
  remove(template: LaunchTemplate): void;
}

export function createTemplateTable(): TemplateTable {
  const byId = new Map<string, LaunchTemplate>();
  const byName = new Map<string, LaunchTemplate>();
  return {
    byId,
    byName: (name) => byName.get(name),
    add(template) {
      byId.set(template.id, template);
      byName.set(template.name, template);
    },
    remove(template) {
      byId.delete(template.id);
      byName.delete(template.name);
    },
  };
}

/** The version with its image id, resolved if the data names a Systems Manager parameter. */
export function withImage(version: TemplateVersion): TemplateVersion {
  const image = text(version.data, 'ImageId');
  if (image === undefined || !isImageAlias(image)) return version;
  return { ...version, data: { ...version.data, ImageId: imageOfAlias(image) } };
}

/** The highest version that exists: what `$Latest` means. */
export function latestVersion(template: LaunchTemplate): TemplateVersion {
  return template.versions.get(Math.max(...template.versions.keys())) as TemplateVersion;
}

/** The version that `$Latest`, `$Default`, a number or nothing (= `$Default`) names. */
export function versionOf(template: LaunchTemplate, version: string | undefined): TemplateVersion | undefined {
  if (version === '$Latest') return latestVersion(template);
  if (version === undefined || version === '' || version === '$Default')
    return template.versions.get(template.defaultVersion);
  return template.versions.get(/^\d+$/.test(version) ? Number(version) : -1);
}
