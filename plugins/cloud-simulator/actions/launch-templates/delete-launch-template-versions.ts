import type { Action } from '../../action.ts';
import { findTemplate } from '../../launch/template-data.ts';
import type { LaunchTemplate } from '../../state/templates.ts';
import { invalidParameter, missingParameter } from '../../wire/errors.ts';
import { texts } from '../../wire/form.ts';
import { itemSet, leaf, node } from '../../wire/xml.ts';

const maxVersions = 200;

interface Failure {
  readonly version: string;
  readonly code: string;
  readonly message: string;
}

/** Removes versions one by one; each has its own success or failure. The default version stays. */
export const deleteLaunchTemplateVersions: Action = {
  name: 'DeleteLaunchTemplateVersions',
  mutating: true,
  handle(call) {
    const template = findTemplate(call.state, call.params);
    const versions = texts(call.params, 'LaunchTemplateVersion');
    if (versions.length === 0) throw missingParameter('LaunchTemplateVersion');
    if (versions.length > maxVersions) throw invalidParameter(`You can delete at most ${maxVersions} versions in one call.`);

    const deleted: number[] = [];
    const failed: Failure[] = [];
    for (const version of versions) {
      const failure = objection(template, version);
      if (failure !== undefined) failed.push({ version, ...failure });
      else if (template.versions.delete(Number(version))) deleted.push(Number(version));
    }
    if (deleted.length > 0) call.touched.push(template.id);
    const names = leaf('launchTemplateId', template.id) + leaf('launchTemplateName', template.name);
    return (
      itemSet('successfullyDeletedLaunchTemplateVersionSet', deleted, (number) => names + leaf('versionNumber', number)) +
      itemSet(
        'unsuccessfullyDeletedLaunchTemplateVersionSet',
        failed,
        (one) =>
          names +
          (/^\d+$/.test(one.version) ? leaf('versionNumber', one.version) : '') +
          node('responseError', leaf('code', one.code) + leaf('message', one.message)),
      )
    );
  },
};

function objection(template: LaunchTemplate, version: string): Omit<Failure, 'version'> | undefined {
  const number = /^\d+$/.test(version) ? Number(version) : -1;
  if (!template.versions.has(number)) {
    return { code: 'launchTemplateVersionDoesNotExist', message: `Could not find launch template version ${version} of ${template.id}.` };
  }
  if (number === template.defaultVersion)
    return { code: 'unexpectedError', message: 'You cannot delete the default version of a launch template.' };
  return undefined;
}
