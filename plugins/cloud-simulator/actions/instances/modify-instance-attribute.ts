import { instanceType } from '../../catalogue.ts';
import type { Action, ActionCall } from '../../dispatch/action.ts';
import { endDryRun } from '../../dispatch/dry-run.ts';
import { readGroups } from '../../launch/specification/launch-network.ts';
import type { LaunchSpec } from '../../launch/specification/launch-spec.ts';
import { checkUserData } from '../../launch/specification/user-data.ts';
import { type Instance, stateOf } from '../../state/instances/instance.ts';
import { AwsError, invalidCombination, invalidParameter, missingParameter } from '../../wire/errors.ts';
import { type Params, part, parts, text } from '../../wire/form.ts';
import { flag, oneOf, required } from '../../wire/values.ts';
import { leaf } from '../../wire/xml/xml.ts';
import { instancesById } from './instance-ids.ts';

type Change = (spec: LaunchSpec) => LaunchSpec;

/** Attributes that can change only while the machine is stopped. */
const whileStopped = new Set(['InstanceType', 'UserData', 'EbsOptimized']);

/**
 * Changes one attribute of a machine, named by its parameter or by `Attribute` with `Value`. The change concerns this
 * machine alone.
 */
export const modifyInstanceAttribute: Action = {
  name: 'ModifyInstanceAttribute',
  mutating: true,
  handle(call) {
    const [instance] = instancesById(call, [required(call.params, 'InstanceId')]) as [Instance];
    const params = withNamedAttribute(call.params);
    const named = Object.keys(changes).filter((name) => params[name] !== undefined);
    const [name] = named;
    if (name === undefined) throw missingParameter('Attribute');
    if (named.length > 1)
      throw invalidCombination(`Only one attribute can be modified in one call, and ${named.join(', ')} are given.`);
    const change = changes[name]?.(call, params) as Change;
    if (stateOf(instance, call.now) === 'terminated')
      throw new AwsError('IncorrectInstanceState', `The instance '${instance.id}' is terminated.`);
    if (whileStopped.has(name) && stateOf(instance, call.now) !== 'stopped')
      throw new AwsError('IncorrectInstanceState', `The instance '${instance.id}' is not in the 'stopped' state.`);
    const spec = change(instance.reservation.spec);
    endDryRun(call);
    instance.reservation = { ...instance.reservation, spec };
    call.touched.push(instance.id);
    return leaf('return', true);
  },
};

/** `Attribute=instanceType` with `Value=x` means `InstanceType.Value=x`. */
function withNamedAttribute(params: Params): Params {
  const name = text(params, 'Attribute');
  const value = text(params, 'Value');
  if (name === undefined || value === undefined) return params;
  return { ...params, [name.charAt(0).toUpperCase() + name.slice(1)]: { Value: value } };
}

/** The change that each parameter means, if it is given; throws if its value is wrong. */
const changes: Readonly<Record<string, (call: ActionCall, params: Params) => Change>> = {
  BlockDeviceMapping: (_call, params) => volumeChange(parts(params, 'BlockDeviceMapping')),
  DisableApiStop: (_call, params) => option('stopGuarded', truth(params, 'DisableApiStop')),
  DisableApiTermination(_call, params) {
    const guarded = truth(params, 'DisableApiTermination');
    return (spec) => ({ ...spec, guarded });
  },
  EbsOptimized: (_call, params) => option('ebsOptimized', truth(params, 'EbsOptimized')),
  EnaSupport: () => (spec) => spec,
  GroupId(call, params) {
    const groups = readGroups(call, { SecurityGroupId: part(params, 'GroupId') ?? {} });
    return (spec) => ({ ...spec, network: { ...spec.network, groups } });
  },
  InstanceInitiatedShutdownBehavior(_call, params) {
    const wanted = oneOf(part(params, 'InstanceInitiatedShutdownBehavior'), 'Value', ['stop', 'terminate']);
    if (wanted === undefined) throw missingParameter('InstanceInitiatedShutdownBehavior.Value');
    return option('shutdownBehavior', wanted);
  },
  InstanceType(_call, params) {
    const name = required(part(params, 'InstanceType') ?? {}, 'Value');
    const type = instanceType(name);
    if (type === undefined) throw invalidParameter(`Invalid value '${name}' for InstanceType.`);
    return (spec) => {
      if (type.arch !== spec.type.arch)
        throw invalidParameter(
          `The architecture '${type.arch}' of the instance type does not match '${spec.type.arch}'.`,
        );
      return { ...spec, type };
    };
  },
  SourceDestCheck: (_call, params) => option('sourceDestCheck', truth(params, 'SourceDestCheck')),
  SriovNetSupport: () => (spec) => spec,
  UserData(_call, params) {
    const userData = text(part(params, 'UserData'), 'Value');
    checkUserData(userData);
    return (spec) => ({ ...spec, userData });
  },
};

function option<Name extends keyof LaunchSpec['options']>(name: Name, value: LaunchSpec['options'][Name]): Change {
  return (spec) => ({ ...spec, options: { ...spec.options, [name]: value } });
}

function truth(params: Params, name: string): boolean {
  const value = flag(part(params, name), 'Value');
  if (value === undefined) throw missingParameter(`${name}.Value`);
  return value;
}

function volumeChange(mappings: readonly Params[]): Change {
  return (spec) => {
    const volumes = [...spec.volumes];
    for (const mapping of mappings) {
      const device = text(mapping, 'DeviceName');
      const at = volumes.findIndex((one) => one.device === device);
      const volume = volumes[at];
      if (volume === undefined)
        throw new AwsError('InvalidInstanceAttributeValue', `No device is currently mapped at ${device}`);
      const deleteOnTermination = flag(part(mapping, 'Ebs'), 'DeleteOnTermination') ?? volume.deleteOnTermination;
      volumes[at] = { ...volume, deleteOnTermination };
    }
    return { ...spec, volumes };
  };
}
