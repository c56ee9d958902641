import type { Action } from '../../dispatch/action.ts';
import { AwsError } from '../../wire/errors.ts';
import { texts } from '../../wire/form.ts';
import { ssmVersion } from '../../wire/protocols.ts';
import { isParameterName, parameterOf } from './parameter.ts';

const maxNames = 10;

/** Systems Manager: returns the values of up to ten parameters. Names without a parameter are listed, not refused. */
export const getParameters: Action = {
  name: 'GetParameters',
  version: ssmVersion,
  mutating: false,
  handle(call) {
    const names = texts(call.params, 'Names');
    if (names.length === 0 || names.length > maxNames)
      throw new AwsError(
        'ValidationException',
        `1 validation error detected: Value at 'names' failed to satisfy constraint: Member must have length between 1 and ${maxNames}`,
      );
    if (new Set(names).size < names.length)
      throw new AwsError('ValidationException', 'A parameter can be named once in a call.');
    const found = names.map((name) => (isParameterName(name) ? parameterOf(call, name) : undefined));
    return JSON.stringify({
      Parameters: found.filter((one) => one !== undefined),
      InvalidParameters: names.filter((_, index) => found[index] === undefined),
    });
  },
};
