import type { Finding } from '../../../../core/index.ts';
import type { CloudTemplate } from '../../template/fields.ts';
import { reviewSize } from './review-size.ts';
import { shapeFindings, type Shape } from './shape.ts';
import { machineShape } from './shapes.ts';

/**
 * Reports values of the native specifications that have the wrong form. All other reviews and the launch rely on the
 * form: so this review comes first, and when it reports a finding no other review runs. `call`: the form of the
 * parameters of the launching call.
 */
export function reviewForm({ launch_template_spec, provider_api_spec }: CloudTemplate, call: Shape): Finding[] {
  const tooLarge = Object.entries({ launch_template_spec, provider_api_spec }).flatMap(([name, given]) =>
    reviewSize(given, `/${name}`),
  );
  if (tooLarge.length > 0) return tooLarge;
  return [
    ...(launch_template_spec === undefined
      ? []
      : shapeFindings(machineShape, launch_template_spec, '/launch_template_spec')),
    ...(provider_api_spec === undefined ? [] : shapeFindings(call, provider_api_spec, '/provider_api_spec')),
  ];
}
