import type { RegionState } from '../state/region-state.ts';
import { type LaunchTemplate, type TemplateVersion, versionOf } from '../state/templates.ts';
import { AwsError, invalidCombination, missingParameter } from '../wire/errors.ts';
import { type Params, text } from '../wire/form.ts';

/** The template that `LaunchTemplateId` or `LaunchTemplateName` names. Exactly one of them must be given. */
export function findTemplate(state: RegionState, params: Params): LaunchTemplate {
  const id = text(params, 'LaunchTemplateId');
  const name = text(params, 'LaunchTemplateName');
  if (id !== undefined && name !== undefined)
    throw invalidCombination('Only one of launch template ID or launch template name may be specified.');
  if (id !== undefined) return templateById(state, id);
  if (name === undefined) throw missingParameter('LaunchTemplateId or LaunchTemplateName');
  return templateByName(state, name);
}

export function templateById(state: RegionState, id: string): LaunchTemplate {
  if (!/^lt-[0-9a-f]+$/.test(id)) throw new AwsError('InvalidLaunchTemplateId.Malformed', `Invalid id: "${id}" (expecting "lt-...")`);
  const found = state.templates.byId.get(id);
  if (found === undefined)
    throw new AwsError('InvalidLaunchTemplateId.NotFound', `The specified launch template, with template ID ${id}, does not exist.`);
  return found;
}

export function templateByName(state: RegionState, name: string): LaunchTemplate {
  const found = state.templates.byName(name);
  if (found === undefined) {
    throw new AwsError(
      'InvalidLaunchTemplateName.NotFoundException',
      `The specified launch template, with template name ${name}, does not exist.`,
    );
  }
  return found;
}

/** The version that a text names; refuses with InvalidLaunchTemplateId.VersionNotFound. */
export function findVersion(template: LaunchTemplate, version: string | undefined): TemplateVersion {
  const found = versionOf(template, version);
  if (found === undefined) {
    throw new AwsError(
      'InvalidLaunchTemplateId.VersionNotFound',
      `Could not find the specified version ${version} for the launch template with ID ${template.id}.`,
    );
  }
  return found;
}
