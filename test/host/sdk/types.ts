import type { BrokerClient, Methods } from '../../../host/sdk/index.ts';

// Nothing here runs: the type check is the test.

type IsAny<T> = 0 extends 1 & T ? true : false;
/** `never` unless there is an `any` in it, however deep. */
type AnyIn<T, Depth extends 0[] = []> =
  IsAny<T> extends true
    ? 'any'
    : Depth['length'] extends 5
      ? never
      : T extends readonly (infer E)[]
        ? AnyIn<E, [...Depth, 0]>
        : T extends object
          ? { [F in keyof T]-?: AnyIn<T[F], [...Depth, 0]> }[keyof T]
          : never;
type Loose = {
  [N in keyof Methods]: [AnyIn<Parameters<Methods[N]>[0]>, AnyIn<Awaited<ReturnType<Methods[N]>>>] extends [
    never,
    never,
  ]
    ? never
    : N;
}[keyof Methods];
type Unknown = { [N in keyof Methods]: unknown extends Awaited<ReturnType<Methods[N]>> ? N : never }[keyof Methods];

/** No input and no answer is loose, by either spelling. */
export const tight: [Loose, Unknown] extends [never, never] ? true : [Loose, Unknown] = true;

export async function spellings(muster: BrokerClient): Promise<void> {
  await muster.create_request({ template_id: 'small', machine_count: 1 });
  await muster.create_request({ template_id: 'small', count: 1, timeout: 60 });
  await muster.create_request({ template_id: 'small', requested_count: 1 });
  await muster.createRequest({ templateId: 'small', machineCount: 1, additionalData: { job: 7 } });
  await muster.createRequest({ templateId: 'small', requestedCount: 1 });
  await muster.createRequest({ template_id: 'small', count: 1 });
  await muster.get_provider({ provider: 'east' });
  await muster.listMachines({ provider: 'east', pageSize: 10 });
  await muster.list_machines();
  // @ts-expect-error: the count is missing
  await muster.create_request({ template_id: 'small' });
  // @ts-expect-error: no such field
  await muster.create_request({ template_id: 'small', machine_count: 1, tag: {} });
  // @ts-expect-error: no such status
  await muster.list_active_requests({ status: 'done' });
  // @ts-expect-error: an id is needed
  await muster.get_template();
  // @ts-expect-error: no such method
  await muster.get_templates();
}

export async function templates(muster: BrokerClient): Promise<void> {
  await muster.create_template({
    template_id: 'a',
    image_id: 'ami-1',
    provider_api: 'RunInstances',
    machine_type: 't3.small',
    iops: 3000,
  });
  await muster.createTemplate({
    templateId: 'a',
    imageId: 'ami-1',
    providerApi: 'RunInstances',
    instanceType: 't3.small',
  });
  await muster.update_template({ template_id: 'a', name: null, max_instances: 7 });
  await muster.validate_template({ template_id: 7, anything: ['goes'] });
  const many = 'many';
  // @ts-expect-error: a known field has its type
  await muster.create_template({ template_id: 'a', image_id: 'b', provider_api: 'RunInstances', max_instances: many });
  // @ts-expect-error: the image is missing
  await muster.create_template({ template_id: 'a', provider_api: 'RunInstances' });
  const { template } = await muster.get_template({ template_id: 'a', include_source: true });
  const known: number | undefined = template.max_instances;
  const plugins: unknown = template['iops'];
  const source: string | undefined = template.source_info?.override_chain[0]?.file;
  void [known, plugins, source];
}
