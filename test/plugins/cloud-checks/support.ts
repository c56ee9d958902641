import { compile, type CheckResult, type CheckedTemplate, type Template } from '../../../core/index.ts';
import { cloud } from '../../../plugins/cloud/index.ts';
import { asg } from '../../../plugins/cloud-asg/asg.ts';
import { ec2Fleet } from '../../../plugins/cloud-ec2fleet/ec2-fleet.ts';
import { runInstances } from '../../../plugins/cloud-runinstances/run-instances.ts';
import { spotFleet } from '../../../plugins/cloud-spotfleet/spot-fleet.ts';
import { stage, type Stage } from '../cloud/support.ts';

const apis = [runInstances, ec2Fleet, spotFleet, asg];
const types = { 'm5.large': 1, 'm6i.large': 1 };

/** A template for each API, with the API that serves it. */
export const template = (provider_api: string, fields: object = {}): CheckedTemplate => ({
  template: {
    template_id: provider_api.toLowerCase(),
    provider_api,
    image_id: 'ami-1',
    machine_types: types,
    subnet_ids: ['subnet-1', 'subnet-2'],
    ...fields,
  } as Template,
  api: apis.find(({ name }) => name === provider_api) as CheckedTemplate['api'],
});

/** The results of one check, on a simulated cloud with these knobs. */
export async function check(
  name: string,
  knobs: object,
  templates: readonly CheckedTemplate[],
  config: object = {},
): Promise<{ readonly results: readonly CheckResult[]; readonly stand: Stage }> {
  const stand = await stage(config, {}, { knobs });
  try {
    const found = cloud.checks?.find((each) => each.name === name);
    if (!found) throw new Error(`There is no check ${name}.`);
    const results = await found.run(stand.session, templates, stand.call);
    // The results have the form of the contract.
    const schema = compile((await import('../../../core/index.ts')).CheckResult);
    for (const each of results) if (schema.parse(each).findings) throw new Error(JSON.stringify(each));
    return { results, stand };
  } finally {
    await stand.close();
  }
}
