import type { CatalogueImage } from '../../catalogue.ts';
import type { Action, ActionCall } from '../../action.ts';
import { AwsError } from '../../wire/errors.ts';
import { type FilterFields, passes, readFilters } from '../../wire/filters.ts';
import { texts } from '../../wire/form.ts';
import { pageOf, pageRequest } from '../../wire/pages.ts';
import { itemSet, leaf, nextTokenXml } from '../../wire/xml.ts';

const owner = '137112412989';

const fields: FilterFields<CatalogueImage> = {
  architecture: (image) => image.arch,
  'image-id': (image) => image.image_id,
  'image-type': () => 'machine',
  'is-public': () => 'true',
  name: (image) => image.name,
  'owner-id': () => owner,
  'root-device-type': () => 'ebs',
  state: () => 'available',
  'virtualization-type': () => 'hvm',
};

/** Shows images of the catalogue; by id also images that nobody made, unless `strict_ids`. */
export const describeImages: Action = {
  name: 'DescribeImages',
  mutating: false,
  handle(call) {
    const page = pageRequest(call.params, { min: 1, max: 1000, notWith: 'ImageId' });
    const filters = readFilters(call.params, fields, true);
    const ids = texts(call.params, 'ImageId');
    const images = ids.length > 0 ? ids.map((id) => imageById(call, id)) : call.state.network.catalogue.images;
    const { entries, next } = pageOf(
      images.filter((image) => passes(image, filters, fields)),
      page,
    );
    return itemSet('imagesSet', entries, imageXml) + nextTokenXml(next);
  },
};

function imageById(call: ActionCall, id: string): CatalogueImage {
  if (!/^ami-[\w-]+$/.test(id)) throw new AwsError('InvalidAMIID.Malformed', `Invalid id: "${id}" (expecting "ami-...")`);
  const known = call.state.network.image(id);
  if (known === undefined && call.knobs.strict_ids) throw new AwsError('InvalidAMIID.NotFound', `The image id '[${id}]' does not exist`);
  return known ?? { image_id: id, name: id, arch: 'x86_64' };
}

function imageXml(image: CatalogueImage): string {
  return (
    leaf('imageId', image.image_id) +
    leaf('imageLocation', `amazon/${image.name}`) +
    leaf('imageState', 'available') +
    leaf('imageOwnerId', owner) +
    leaf('creationDate', '2025-01-15T00:00:00.000Z') +
    leaf('isPublic', true) +
    leaf('architecture', image.arch) +
    leaf('imageType', 'machine') +
    leaf('imageOwnerAlias', 'amazon') +
    leaf('name', image.name) +
    leaf('rootDeviceType', 'ebs') +
    leaf('rootDeviceName', '/dev/xvda') +
    leaf('virtualizationType', 'hvm') +
    leaf('hypervisor', 'xen') +
    leaf('enaSupport', true) +
    leaf('platformDetails', 'Linux/UNIX') +
    '<blockDeviceMapping><item><deviceName>/dev/xvda</deviceName><ebs><deleteOnTermination>true</deleteOnTermination><volumeSize>8</volumeSize><volumeType>gp3</volumeType></ebs></item></blockDeviceMapping>'
  );
}
