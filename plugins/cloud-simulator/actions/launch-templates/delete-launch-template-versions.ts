import type { Action, ActionCall } from '../../dispatch/action.ts';
import { findTemplate } from '../../launch/specification/template-data.ts';
import type { LaunchTemplate } from '../../state/templates.ts';
import { AwsError, invalidParameter, missingParameter } from '../../wire/errors.ts';
import { text, texts } from '../../wire/form.ts';
import { itemSet, leaf, node } from '../../wire/xml/xml.ts';
import { endDryRun } from '../../dispatch/dry-run.ts';

const maxVersions = 200;

interface Failure {
  readonly code: string;
  readonly message: string;
}

/** The error code of each version if its template is refused with the code on the left. */
const templateCodes: Readonly<Record<string, string>> = {
  'InvalidLaunchTemplateId.NotFound': 'launchTemplateIdDoesNotExist',
  'InvalidLaunchTemplateId.Malformed': 'launchTemplateIdMalformed',
  'InvalidLaunchTemplateName.NotFoundException': 'launchTemplateNameDoesNotExist',
};

/**
 * Deletes versions one by one. Each version has its own result, even if the template is not found. The default
 * version cannot be deleted.
 */
export const deleteLaunchTemplateVersions: Action = {
  name: 'DeleteLaunchTemplateVersions',
  mutating: true,
  handle(call) {
    const versions = texts(call.params, 'LaunchTemplateVersion');
    if (versions.length === 0) throw missingParameter('LaunchTemplateVersion');
    if (versions.length > maxVersions)
      throw invalidParameter(`You can delete at most ${maxVersions} versions in one call.`);

    endDryRun(call);
    const template = findOrFail(call);
    const found = 'versions' in template ? template : undefined;
    const deleted: string[] = [];
    const failed: (Failure & { readonly version: string })[] = [];
    for (const version of versions) {
      const failure = 'versions' in template ? objection(template, version) : template;
      if (failure !== undefined) failed.push({ version, code: failure.code, message: failure.message });
      else if (found?.versions.delete(Number(version))) deleted.push(version);
    }
    if (found !== undefined && deleted.length > 0) call.touched.push(found.id);
    const names =
      leaf('launchTemplateId', found?.id ?? text(call.params, 'LaunchTemplateId')) +
      leaf('launchTemplateName', found?.name ?? text(call.params, 'LaunchTemplateName'));
    const number = (version: string) => (/^\d+$/.test(version) ? leaf('versionNumber', version) : '');
    return (
      itemSet('successfullyDeletedLaunchTemplateVersionSet', deleted, (version) => names + number(version)) +
      itemSet(
        'unsuccessfullyDeletedLaunchTemplateVersionSet',
        failed,
        (one) =>
          names + number(one.version) + node('responseError', leaf('code', one.code) + leaf('message', one.message)),
      )
    );
  },
};

function findOrFail(call: ActionCall): LaunchTemplate | Failure {
  try {
    return findTemplate(call, call.params);
  } catch (error) {
    const code = error instanceof AwsError ? templateCodes[error.code] : undefined;
    if (code === undefined) throw error;
    return { code, message: (error as AwsError).message };
  }
}

function objection(template: LaunchTemplate, version: string): Failure | undefined {
  const number = /^\d+$/.test(version) ? Number(version) : -1;
  if (!template.versions.has(number)) {
    return {
      code: 'launchTemplateVersionDoesNotExist',
      message: `Could not find launch template version ${version} of ${template.id}.`,
    };
  }
  if (number === template.defaultVersion)
    return { code: 'unexpectedError', message: 'You cannot delete the default version of a launch template.' };
  return undefined;
}
