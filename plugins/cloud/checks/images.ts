import type { Image } from '@aws-sdk/client-ec2';
import { isFault, type Call, type CheckResult, type ProviderCheck } from '../../../core/index.ts';
import { instanceType } from '../catalogue/index.ts';
import type { CloudSession } from '../connection/session.ts';
import { marketsOf, machineTypesOf } from '../launch/pools.ts';
import type { CloudTemplate } from '../template/fields.ts';
import { imageIdOf } from '../template/image-parameter.ts';
import { cloudTemplates, counted, error, named, ok, unlessDenied, usersOf } from './results.ts';

/** Whether the images exist, are available, and fit the machine types. */
export const imagesCheck: ProviderCheck<CloudSession> = {
  name: 'images',
  why: 'A machine starts from an image that exists in the region and was made for the architecture of its type.',
  remedy: 'Correct image_id or machine_types; muster providers discover INSTANCE lists current images.',
  run: (session, checked, call) =>
    unlessDenied('The images', 'ec2:DescribeImages', async () => {
      const users = usersOf(cloudTemplates(checked), ({ image_id }) => (image_id === undefined ? [] : [image_id]));
      const results: CheckResult[] = [];
      for (const [image, templates] of users) results.push(...(await imageResults(session, image, templates, call)));
      const wrong = results.filter(({ level }) => level !== 'ok');
      return wrong.length > 0 || users.size === 0
        ? wrong
        : [ok(`${counted(users.size, 'image')} found, which fit the machine types.`)];
    }),
};

async function imageResults(
  session: CloudSession,
  name: string,
  templates: readonly CloudTemplate[],
  call: Call,
): Promise<readonly CheckResult[]> {
  let image: Image | undefined;
  try {
    const id = await imageIdOf(session, name, call);
    image = (await session.read((ec2) => new ec2.DescribeImagesCommand({ ImageIds: [id] }), call)).Images?.[0];
  } catch (fault) {
    // What is wrong with the name of an image or of a parameter.
    if (isFault(fault) && (fault.kind === 'invalid' || fault.kind === 'gone'))
      return [error(`${fault.message} It is the image of ${named(templates)}.`)];
    throw fault;
  }
  if (!image) return [error(`There is no image ${name}: ${named(templates)}.`)];
  if (image.State !== undefined && image.State !== 'available')
    return [error(`Image ${name} is ${image.State}: ${named(templates)}.`)];
  return templates.flatMap((template) => strangeTypes(template, name, image.Architecture));
}

function strangeTypes(template: CloudTemplate, image: string, arch: string | undefined): readonly CheckResult[] {
  const types = new Set(marketsOf(template).flatMap((market) => machineTypesOf(template, market)));
  const strange = [...types].filter((name) => {
    const known = name === undefined ? undefined : instanceType(name);
    return known !== undefined && arch !== undefined && known.arch !== arch;
  });
  return strange.length === 0
    ? [ok(image)]
    : [
        error(
          `Template '${template.template_id}': image ${image} is for ${arch}, which ${strange.join(', ')} cannot run.`,
        ),
      ];
}
