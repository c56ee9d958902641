import type { Action } from '../../dispatch/action.ts';
import { imageOfAlias } from '../../launch/specification/image-alias.ts';
import { AwsError } from '../../wire/errors.ts';
import { text } from '../../wire/form.ts';
import { ssmVersion } from '../../wire/protocols.ts';

// A name or a path, or the ARN of either, with a version or a label after a colon.
const form = /^(arn:aws[\w-]*:ssm:[^:]*:\d{12}:parameter)?(\/?[\w.-]+(?:\/[\w.-]+)*)(?::([\w.-]+))?$/;

/**
 * Systems Manager: returns the value of a parameter: that of the knob `parameters`, else the image id that a launch
 * resolves from the same name. A parameter that the knob does not name exists unless its path has the step `missing`
 * or `strict_ids` is set.
 */
export const getParameter: Action = {
  name: 'GetParameter',
  version: ssmVersion,
  mutating: false,
  handle({ params, knobs, state, now }) {
    const given = text(params, 'Name') ?? '';
    const [, arn = '', name = '', selector] = form.exec(given) ?? [];
    if (name === '')
      throw new AwsError('ValidationException', `Parameter name: '${given}' is not a name, a path or an ARN.`);
    const held = knobs.parameters[name];
    if (held === undefined && (knobs.strict_ids || name.split('/').includes('missing')))
      throw new AwsError('ParameterNotFound', '');
    return JSON.stringify({
      Parameter: {
        ARN: `${arn || `arn:aws:ssm:${state.region}:${state.account}:parameter`}${name.startsWith('/') ? '' : '/'}${name}`,
        DataType: 'aws:ec2:image',
        LastModifiedDate: now / 1000,
        Name: name,
        ...(selector === undefined ? {} : { Selector: `:${selector}` }),
        Type: 'String',
        Value: held ?? imageOfAlias(`resolve:ssm:${given}`),
        Version: /^\d+$/.test(selector ?? '') ? Number(selector) : 1,
      },
    });
  },
};
