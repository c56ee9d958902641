import type { ActionCall } from '../../dispatch/action.ts';
import { imageOfAlias } from '../../launch/specification/image-ids.ts';

// A name or a path, or the ARN of either, with a version or a label after a colon.
const form = /^(arn:aws[\w-]*:ssm:[^:]*:\d{12}:parameter)?(\/?[\w.-]+(?:\/[\w.-]+)*)(?::([\w.-]+))?$/;

/** A parameter as the answers of Systems Manager show it. */
export interface Parameter {
  readonly ARN: string;
  readonly DataType: string;
  readonly LastModifiedDate: number;
  readonly Name: string;
  readonly Selector?: string;
  readonly Type: 'String';
  readonly Value: string;
  readonly Version: number;
}

/** Whether a text is a name, a path or an ARN of a parameter. */
export function isParameterName(given: string): boolean {
  return form.test(given);
}

/**
 * The parameter of a name: its value is that of the knob `parameters`, else the image id that a launch resolves from
 * the same name. Undefined if there is none: a parameter that the knob does not name exists unless its path has the
 * step `missing` or `strict_ids` is set.
 */
export function parameterOf({ knobs, state, now }: ActionCall, given: string): Parameter | undefined {
  const [, arn = '', name = '', selector] = form.exec(given) ?? [];
  const held = knobs.parameters[name];
  if (held === undefined && (knobs.strict_ids || name.split('/').includes('missing'))) return undefined;
  return {
    ARN: `${arn || `arn:aws:ssm:${state.region}:${state.account}:parameter`}${name.startsWith('/') ? '' : '/'}${name}`,
    DataType: 'aws:ec2:image',
    LastModifiedDate: now / 1000,
    Name: name,
    ...(selector === undefined ? {} : { Selector: `:${selector}` }),
    Type: 'String',
    Value: held ?? imageOfAlias(`resolve:ssm:${given}`),
    Version: /^\d+$/.test(selector ?? '') ? Number(selector) : 1,
  };
}
