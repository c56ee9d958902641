import { type CatalogueInstanceType, instanceType } from '../../catalogue.ts';
import type { CallContext } from '../../state/call-context.ts';
import { AwsError, invalidCombination, invalidParameter, missingParameter } from '../../wire/errors.ts';
import { type Params, part, text } from '../../wire/form.ts';
import { imageOfAlias, isImageAlias, isImageId } from './image-ids.ts';

/**
 * The instance type to launch. `chosen`: a fleet has already selected it by attributes, which the template may
 * contain.
 */
export function readType(all: Params, chosen: boolean): CatalogueInstanceType {
  const name = text(all, 'InstanceType');
  if (!chosen && part(all, 'InstanceRequirements') !== undefined) {
    if (name !== undefined)
      throw invalidCombination('InstanceType and InstanceRequirements may not be specified together.');
    throw invalidParameter('InstanceRequirements cannot be used here; name an InstanceType.');
  }
  if (name === undefined || name === '') throw missingParameter('InstanceType');
  const type = instanceType(name);
  if (type === undefined) throw invalidParameter(`Invalid value '${name}' for InstanceType.`);
  return type;
}

/** The image to launch, which the type must be able to run. */
export function readImage(context: CallContext, all: Params, type: CatalogueInstanceType): string {
  const given = text(all, 'ImageId');
  if (given === undefined || given === '') throw missingParameter('ImageId');
  if (isImageAlias(given)) return imageOfAlias(given);
  if (!isImageId(given)) throw new AwsError('InvalidAMIID.Malformed', `Invalid id: "${given}" (expecting "ami-...")`);
  const image = context.state.network.image(given);
  if (image === undefined && context.knobs.strict_ids)
    throw new AwsError('InvalidAMIID.NotFound', `The image id '[${given}]' does not exist`);
  if (image !== undefined && image.arch !== type.arch) {
    throw invalidParameter(
      `The architecture '${type.arch}' of the specified instance type does not match the architecture '${image.arch}' of the specified AMI.`,
    );
  }
  return image?.image_id ?? given;
}
