import type { Action } from '../../action.ts';
import { once } from '../../launch/once.ts';
import { findTemplate, findVersion } from '../../launch/template-data.ts';
import type { TemplateVersion } from '../../state/templates.ts';
import { AwsError } from '../../wire/errors.ts';
import { text } from '../../wire/form.ts';
import { templateVersionXml } from '../../wire/template-xml.ts';
import { node } from '../../wire/xml.ts';
import { readTemplateData } from './create-launch-template.ts';

const maxVersions = 10_000;

/** Adds a version. With SourceVersion its data lie under the new ones, parameter by parameter; nothing inside a parameter is merged. */
export const createLaunchTemplateVersion: Action = {
  name: 'CreateLaunchTemplateVersion',
  mutating: true,
  handle(call) {
    const { state, params } = call;
    const template = findTemplate(state, params);
    const own = readTemplateData(params);
    const sourceVersion = text(params, 'SourceVersion');
    const source = sourceVersion === undefined ? undefined : findVersion(template, sourceVersion);

    const { result: version } = once(call, { maxLength: 128, pinFailures: false }, () => {
      if (template.versions.size >= maxVersions) {
        throw new AwsError(
          'MaxTemplateVersionLimitExceeded',
          `You have reached the maximum of ${maxVersions} versions of this launch template.`,
        );
      }
      const made: TemplateVersion = {
        number: template.nextNumber++,
        description: text(params, 'VersionDescription'),
        createdAt: call.now,
        data: { ...source?.data, ...own },
      };
      template.versions.set(made.number, made);
      call.touched.push(template.id);
      return made;
    });
    return node('launchTemplateVersion', templateVersionXml(template, version, state.account));
  },
};
