import type { CatalogueImage } from '../../catalogue.ts';
import type { Action, ActionCall } from '../../dispatch/action.ts';
import { rootDevice, rootGib } from '../../launch/specification/launch-volumes.ts';
import { AwsError, invalidParameter } from '../../wire/errors.ts';
import { type FilterFields, passes, readFilters, withoutValue } from '../../wire/filters.ts';
import { texts } from '../../wire/form.ts';
import { pageOf, pageRequest } from '../../wire/pages.ts';
import { itemSet, leaf, nextTokenXml } from '../../wire/xml/xml.ts';
import { isImageId, snapshotOf } from '../../launch/specification/image-ids.ts';

/** An image with its owner. */
interface OwnedImage extends CatalogueImage {
  readonly owner: string;
  readonly alias: 'amazon' | undefined;
}

const amazon = '137112412989';
const canonical = '099720109477';

const fields: FilterFields<OwnedImage> = {
  ...withoutValue(
    'boot-mode',
    'description',
    'image-watermark.source-image-creation-time',
    'image-watermark.source-image-id',
    'image-watermark.source-image-region',
    'image-watermark.watermark-creation-time',
    'image-watermark.watermark-key',
    'instance-type-specification.supported-instance-type',
    'instance-type-specification.unsupported-instance-type',
    'kernel-id',
    'product-code',
    'product-code.type',
    'public-ssm-parameter-name',
    'ramdisk-id',
    'scan-result.critical-fix-available-since',
    'scan-result.finding-scan-date',
    'scan-result.high-fix-available-since',
    'scan-result.highest-finding-severity-label',
    'scan-result.informational-fix-available-since',
    'scan-result.low-fix-available-since',
    'scan-result.medium-fix-available-since',
    'source-image-id',
    'source-image-region',
    'source-instance-id',
    'sriov-net-support',
    'state-reason-code',
    'state-reason-message',
  ),
  architecture: (image) => image.arch,
  'block-device-mapping.delete-on-termination': () => 'true',
  'block-device-mapping.device-name': () => rootDevice,
  'block-device-mapping.encrypted': () => 'false',
  'block-device-mapping.snapshot-id': (image) => snapshotOf(image.image_id),
  'block-device-mapping.volume-size': () => String(rootGib),
  'block-device-mapping.volume-type': () => 'gp3',
  'creation-date': createdAt,
  'ena-support': () => 'true',
  'free-tier-eligible': (image) => String(image.alias === 'amazon'),
  hypervisor: () => 'xen',
  'image-allowed': () => 'true',
  'image-id': (image) => image.image_id,
  'image-type': () => 'machine',
  'is-public': (image) => String(isPublic(image)),
  'manifest-location': locationOf,
  name: (image) => image.name,
  'owner-alias': (image) => image.alias,
  'owner-id': (image) => image.owner,
  platform: () => undefined,
  'root-device-name': () => rootDevice,
  'root-device-type': () => 'ebs',
  state: () => 'available',
  'virtualization-type': () => 'hvm',
};

/** Shows the images of the catalogue. Without `strict_ids`, any other id names an image that the caller owns. */
export const describeImages: Action = {
  name: 'DescribeImages',
  mutating: false,
  handle(call) {
    const page = pageRequest(call, { min: 1, max: 1000, notWith: 'ImageId' });
    const filters = readFilters(call.params, fields, true);
    const ids = texts(call.params, 'ImageId');
    const owners = readOwners(call);
    const images =
      ids.length > 0 ? ids.map((id) => imageById(call, id)) : call.state.network.catalogue.images.map(owned);
    const { entries, next } = pageOf(
      images.filter(
        (image) =>
          (owners.length === 0 || owners.includes(image.owner) || owners.includes(image.alias ?? '')) &&
          passes(image, filters, fields),
      ),
      page,
    );
    return itemSet('imagesSet', entries, imageXml) + nextTokenXml(next);
  },
};

function readOwners(call: ActionCall): string[] {
  return texts(call.params, 'Owner').map((owner) => {
    if (owner === 'self') return call.state.account;
    if (!/^(amazon|aws-marketplace|aws-backup-vault|\d{12})$/.test(owner))
      throw invalidParameter(`Value (${owner}) for parameter owner is invalid.`);
    return owner;
  });
}

function imageById(call: ActionCall, id: string): OwnedImage {
  if (!isImageId(id)) throw new AwsError('InvalidAMIID.Malformed', `Invalid id: "${id}" (expecting "ami-...")`);
  const known = call.state.network.image(id);
  if (known !== undefined) return owned(known);
  if (call.knobs.strict_ids) throw new AwsError('InvalidAMIID.NotFound', `The image id '[${id}]' does not exist`);
  return { image_id: id, name: id, arch: 'x86_64', owner: call.state.account, alias: undefined };
}

function owned(image: CatalogueImage): OwnedImage {
  return image.name.startsWith('ubuntu/')
    ? { ...image, owner: canonical, alias: undefined }
    : { ...image, owner: amazon, alias: 'amazon' };
}

function isPublic(image: OwnedImage): boolean {
  return image.owner === amazon || image.owner === canonical;
}

/** The creation date, which publishers write into the name of an image. */
function createdAt(image: CatalogueImage): string {
  const [, year, month, day] = /(20\d\d)(\d\d)(\d\d)/.exec(image.name) ?? ['', '2025', '01', '15'];
  return `${year}-${month}-${day}T00:00:00.000Z`;
}

function locationOf(image: OwnedImage): string {
  return `${image.alias ?? image.owner}/${image.name}`;
}

function imageXml(image: OwnedImage): string {
  return (
    leaf('imageId', image.image_id) +
    leaf('imageLocation', locationOf(image)) +
    leaf('imageState', 'available') +
    leaf('imageOwnerId', image.owner) +
    leaf('creationDate', createdAt(image)) +
    leaf('isPublic', isPublic(image)) +
    leaf('architecture', image.arch) +
    leaf('imageType', 'machine') +
    leaf('imageOwnerAlias', image.alias) +
    leaf('name', image.name) +
    leaf('rootDeviceType', 'ebs') +
    leaf('rootDeviceName', rootDevice) +
    leaf('virtualizationType', 'hvm') +
    leaf('hypervisor', 'xen') +
    leaf('enaSupport', true) +
    leaf('platformDetails', 'Linux/UNIX') +
    `<blockDeviceMapping><item><deviceName>${rootDevice}</deviceName><ebs><deleteOnTermination>true</deleteOnTermination><snapshotId>${snapshotOf(image.image_id)}</snapshotId><volumeSize>${rootGib}</volumeSize><volumeType>gp3</volumeType><encrypted>false</encrypted></ebs></item></blockDeviceMapping>`
  );
}
