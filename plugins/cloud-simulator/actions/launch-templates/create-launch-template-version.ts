import type { Action } from '../../dispatch/action.ts';
import { once } from '../../launch/once.ts';
import { readForToken } from '../../launch/unseen.ts';
import { findTemplate, findVersion } from '../../launch/specification/template-data.ts';
import { templateWarnings } from '../../launch/specification/template-warnings.ts';
import { type TemplateVersion, withImage } from '../../state/templates.ts';
import { AwsError } from '../../wire/errors.ts';
import { part, text } from '../../wire/form.ts';
import { templateVersionXml, warningXml } from '../../wire/xml/template-xml.ts';
import { flag } from '../../wire/values.ts';
import { node } from '../../wire/xml/xml.ts';
import { readDescription, readTemplateData } from './create-launch-template.ts';

/**
 * Adds a version. With SourceVersion, each parameter of the new data replaces the parameter of the source as a whole.
 */
export const createLaunchTemplateVersion: Action = {
  name: 'CreateLaunchTemplateVersion',
  mutating: true,
  handle(call) {
    const { state, params } = call;
    const template = readForToken(call, () => findTemplate(call, params));
    const sourceVersion = text(params, 'SourceVersion');
    const source = sourceVersion === undefined ? undefined : findVersion(call, template, sourceVersion);
    // A version that only copies its source has no data parameter: the query protocol omits empty structures.
    const own = source === undefined ? readTemplateData(params) : (part(params, 'LaunchTemplateData') ?? {});
    const description = readDescription(params);

    const { result: version } = once(call, { maxLength: 128, pinFailures: false }, () => {
      const most = call.knobs.quotas.template_versions;
      if (most !== null && template.versions.size >= most)
        throw new AwsError(
          'MaxTemplateVersionLimitExceeded',
          `You have reached the maximum of ${most} versions of this launch template.`,
        );
      const made: TemplateVersion = {
        number: template.nextNumber++,
        description,
        createdAt: call.now,
        data: { ...source?.data, ...own },
      };
      template.versions.set(made.number, made);
      call.touched.push(template.id);
      return made;
    });
    const shown = flag(params, 'ResolveAlias') ? withImage(version) : version;
    return (
      node('launchTemplateVersion', templateVersionXml(template, shown, state.account)) +
      warningXml(templateWarnings(version.data))
    );
  },
};
