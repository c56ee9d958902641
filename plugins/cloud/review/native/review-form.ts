import type { Finding } from '../../../../core/index.ts';
import type { CloudTemplate } from '../../template/fields.ts';
import { reviewSize } from './review-size.ts';
import { unlike, type Shape } from './shape.ts';
import { machineShape } from './shapes.ts';

/**
 * What of the native specifications cannot be read. Everything else that is said of them, and what is made of them,
 * may rest on their form: so whoever reviews a template asks this first, and where there is a finding nothing else.
 * `call`: the form of the parameters of the launching call.
 */
export function reviewForm({ launch_template_spec, provider_api_spec }: CloudTemplate, call: Shape): Finding[] {
  const tooLarge = Object.entries({ launch_template_spec, provider_api_spec }).flatMap(([name, given]) =>
    reviewSize(given, `/${name}`),
  );
  if (tooLarge.length > 0) return tooLarge;
  return [
    ...(launch_template_spec === undefined ? [] : unlike(machineShape, launch_template_spec, '/launch_template_spec')),
    ...(provider_api_spec === undefined ? [] : unlike(call, provider_api_spec, '/provider_api_spec')),
  ];
}
