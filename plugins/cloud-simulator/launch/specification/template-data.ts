import type { CallContext } from '../../state/call-context.ts';
import { type LaunchTemplate, type TemplateVersion, versionOf } from '../../state/templates.ts';
import { AwsError, invalidCombination, missingParameter } from '../../wire/errors.ts';
import { type Params, text } from '../../wire/form.ts';

/**
 * The template that `LaunchTemplateId` or `LaunchTemplateName` names. Exactly one of them must be given. A template
 * that is not yet visible is not found.
 */
export function findTemplate(context: CallContext, params: Params): LaunchTemplate {
  const id = text(params, 'LaunchTemplateId');
  const name = text(params, 'LaunchTemplateName');
  if (id !== undefined && name !== undefined)
    throw invalidCombination('Only one of launch template ID or launch template name may be specified.');
  if (id !== undefined) return templateById(context, id);
  if (name === undefined) throw missingParameter('LaunchTemplateId or LaunchTemplateName');
  return templateByName(context, name);
}

export function templateById(context: CallContext, id: string): LaunchTemplate {
  if (!/^lt-[0-9a-f]+$/.test(id))
    throw new AwsError('InvalidLaunchTemplateId.Malformed', `Invalid id: "${id}" (expecting "lt-...")`);
  const found = context.state.templates.byId.get(id);
  if (found === undefined || !isTemplateVisible(context, found))
    throw new AwsError(
      'InvalidLaunchTemplateId.NotFound',
      `The specified launch template, with template ID ${id}, does not exist.`,
    );
  return found;
}

export function templateByName(context: CallContext, name: string): LaunchTemplate {
  const found = context.state.templates.byName(name);
  if (found === undefined || !isTemplateVisible(context, found)) {
    throw new AwsError(
      'InvalidLaunchTemplateName.NotFoundException',
      `The specified launch template, with template name ${name}, does not exist.`,
    );
  }
  return found;
}

/** Whether a template is old enough to be visible. */
export function isTemplateVisible(context: CallContext, template: LaunchTemplate): boolean {
  return context.now - template.createdAt >= context.knobs.visible_ms.template;
}

/** Whether a version of a template is old enough to be visible. */
export function isVersionVisible(context: CallContext, version: TemplateVersion): boolean {
  return context.now - version.createdAt >= context.knobs.visible_ms.version;
}

/** The version; throws InvalidLaunchTemplateId.VersionNotFound if it does not exist, or is not visible yet. */
export function findVersion(
  context: CallContext,
  template: LaunchTemplate,
  version: string | undefined,
): TemplateVersion {
  const found =
    version === '$Latest'
      ? [...template.versions.values()].findLast((each) => isVersionVisible(context, each))
      : versionOf(template, version);
  if (found === undefined || !isVersionVisible(context, found)) {
    throw new AwsError(
      'InvalidLaunchTemplateId.VersionNotFound',
      `Could not find the specified version ${version} for the launch template with ID ${template.id}.`,
    );
  }
  return found;
}

/** The id and the name of the template that parameters name; empty if they name none that exists. */
export function templateNames({ state }: CallContext, named: Params | undefined): string[] {
  const id = text(named, 'LaunchTemplateId');
  const name = text(named, 'LaunchTemplateName');
  const found = id === undefined ? state.templates.byName(name ?? '') : state.templates.byId.get(id);
  return found === undefined ? [] : [found.id, found.name];
}
