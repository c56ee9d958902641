import type { Action } from '../../dispatch/action.ts';
import { AwsError } from '../../wire/errors.ts';
import { text } from '../../wire/form.ts';
import { ssmVersion } from '../../wire/protocols.ts';
import { isParameterName, parameterOf } from './parameter.ts';

/** Systems Manager: returns the value of a parameter. */
export const getParameter: Action = {
  name: 'GetParameter',
  version: ssmVersion,
  mutating: false,
  handle(call) {
    const given = text(call.params, 'Name') ?? '';
    if (!isParameterName(given))
      throw new AwsError('ValidationException', `Parameter name: '${given}' is not a name, a path or an ARN.`);
    const parameter = parameterOf(call, given);
    if (parameter === undefined) throw new AwsError('ParameterNotFound', '');
    return JSON.stringify({ Parameter: parameter });
  },
};
