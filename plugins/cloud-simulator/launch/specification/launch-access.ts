import { partitionOf } from '../../state/sessions.ts';
import type { CallContext } from '../../state/call-context.ts';
import { AwsError, invalidCombination, invalidParameter } from '../../wire/errors.ts';
import { type Params, part, text } from '../../wire/form.ts';

/** The key pair of a launch. */
export function readKeyName(context: CallContext, all: Params): string | undefined {
  const name = text(all, 'KeyName');
  if (name !== undefined && isUnknownKey(context, name))
    throw new AwsError('InvalidKeyPair.NotFound', `The key pair '${name}' does not exist`);
  return name;
}

function isUnknownKey({ knobs, state }: CallContext, name: string): boolean {
  if (knobs.key_pairs !== null) return !knobs.key_pairs.includes(name);
  return knobs.strict_ids && !state.network.catalogue.key_names.includes(name);
}

/** The ARN of the instance profile of a launch. */
export function readProfile(context: CallContext, all: Params): string | undefined {
  const profile = part(all, 'IamInstanceProfile');
  const arn = text(profile, 'Arn');
  const name = text(profile, 'Name');
  if (arn === undefined && name === undefined) return undefined;
  if (arn !== undefined && name !== undefined)
    throw invalidCombination(
      "The parameter 'iamInstanceProfile.name' may not be used in combination with 'iamInstanceProfile.arn'",
    );
  const wellFormed =
    arn === undefined
      ? /^[\w+=,.@-]{1,128}$/.test(name as string)
      : /^arn:[\w-]+:iam::\d{12}:instance-profile\/.+$/.test(arn);
  if (context.knobs.strict_ids || !wellFormed) {
    const which = arn === undefined ? 'name' : 'arn';
    throw invalidParameter(
      `Value (${arn ?? name}) for parameter iamInstanceProfile.${which} is invalid. Invalid IAM Instance Profile ${which}`,
    );
  }
  return arn ?? `arn:${partitionOf(context.state.region)}:iam::${context.state.account}:instance-profile/${name}`;
}
