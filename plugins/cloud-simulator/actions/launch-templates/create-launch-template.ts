import type { Action } from '../../dispatch/action.ts';
import { once } from '../../launch/once.ts';
import { templateWarnings } from '../../launch/specification/template-warnings.ts';
import { noTags, readTagSpecifications } from '../../state/tags.ts';
import type { LaunchTemplate } from '../../state/templates.ts';
import { AwsError, invalidParameter, missingParameter } from '../../wire/errors.ts';
import { type Params, part, text } from '../../wire/form.ts';
import { templateXml, warningXml } from '../../wire/xml/template-xml.ts';
import { required } from '../../wire/values.ts';
import { node } from '../../wire/xml/xml.ts';

const maxDescription = 255;

/**
 * Creates a launch template with version 1. As in EC2, its data is not checked: an error in it appears at the launch.
 */
export const createLaunchTemplate: Action = {
  name: 'CreateLaunchTemplate',
  mutating: true,
  handle(call) {
    const { state, params, now } = call;
    const name = required(params, 'LaunchTemplateName');
    if (!/^[A-Za-z0-9\-_./()]{3,128}$/.test(name)) {
      throw new AwsError(
        'InvalidLaunchTemplateName.MalformedException',
        `A launch template name must be between 3 and 128 characters of letters, numbers and -_./(): '${name}'`,
      );
    }
    const data = readTemplateData(params);
    const description = readDescription(params);
    const byType = readTagSpecifications(params);
    const wrong = [...byType.keys()].find((type) => type !== 'launch-template');
    if (wrong !== undefined)
      throw invalidParameter(`'${wrong}' is not a valid taggable resource type for this operation.`);

    const { result: template } = once(call, { maxLength: 128, pinFailures: false }, () => {
      if (state.templates.byName(name) !== undefined) {
        throw new AwsError('InvalidLaunchTemplateName.AlreadyExistsException', `Launch template name already in use.`);
      }
      const most = call.knobs.quotas.templates;
      if (most !== null && state.templates.byId.size >= most)
        throw new AwsError('MaxTemplateLimitExceeded', `You have reached the maximum of ${most} launch templates.`);
      const made: LaunchTemplate = {
        id: `lt-0${call.random.hex(16)}`,
        name,
        createdAt: now,
        versions: new Map([[1, { number: 1, description, createdAt: now, data }]]),
        tags: byType.get('launch-template') ?? noTags,
        defaultVersion: 1,
        nextNumber: 2,
      };
      state.templates.add(made);
      call.touched.push(made.id);
      return made;
    });
    return node('launchTemplate', templateXml(template, state.account)) + warningXml(templateWarnings(data));
  },
};

/** The data of a template or a version; a call without data is refused. */
export function readTemplateData(params: Params): Params {
  const data = part(params, 'LaunchTemplateData');
  if (data === undefined) throw missingParameter('LaunchTemplateData');
  return data;
}

/** The description of a version. */
export function readDescription(params: Params): string | undefined {
  const description = text(params, 'VersionDescription');
  if (description !== undefined && description.length > maxDescription)
    throw invalidParameter(`A version description can have at most ${maxDescription} characters.`);
  return description;
}
