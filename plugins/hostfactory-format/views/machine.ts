import { Type, type Static } from 'typebox';
import type { MachineRecord, RequestRecord } from '../../../core/index.ts';
import { results, type MachineResult } from './acquire-result.ts';
import { priceTypeOf } from '../templates/price-type.ts';
import { tagText } from '../templates/tag-text.ts';

const nullable = () => Type.Union([Type.String(), Type.Null()]);

export const Machine = Type.Object({
  machineId: Type.String(),
  name: Type.String(),
  result: Type.Enum([...results]),
  status: Type.String(),
  privateIpAddress: nullable(),
  publicIpAddress: nullable(),
  launchtime: Type.Integer({ description: 'Epoch seconds.' }),
  message: Type.String(),
  instanceType: Type.Optional(Type.String()),
  priceType: Type.Optional(Type.String()),
  instanceTags: Type.String(),
  cloudHostId: nullable(),
});

/**
 * A machine as HostFactory reads it. HostFactory uses `name` as a key, so that the machine id replaces an unknown
 * name. Type and price are those of the machine if its provider reports them, or else those of the template. A return
 * has no template.
 */
export function machineView(
  machine: MachineRecord,
  { result, message }: MachineResult,
  { template, tags }: Pick<RequestRecord, 'template' | 'tags'>,
): Static<typeof Machine> {
  const launched = machine.launched_at === undefined ? Number.NaN : Date.parse(machine.launched_at);
  const priceType =
    machine.market === undefined ? template && priceTypeOf(template) : machine.market === 'spot' ? 'spot' : 'ondemand';
  const machineType = machine.machine_type ?? template?.machine_type;
  return {
    machineId: machine.machine_id,
    name: machine.name || machine.machine_id,
    result,
    status: stateOf(machine),
    privateIpAddress: machine.private_ip ?? null,
    publicIpAddress: machine.public_ip ?? null,
    launchtime: Math.floor((Number.isNaN(launched) ? machine.created_at : launched) / 1000),
    message,
    ...(machineType === undefined ? {} : { instanceType: machineType }),
    ...(priceType === undefined ? {} : { priceType }),
    instanceTags: tagText({ ...template?.tags, ...tags }),
    cloudHostId: null,
  };
}

/** HostFactory has no state for a failed machine: it is being terminated, or gone. */
const stateOf = ({ status, gone_at }: MachineRecord): string => {
  if (status !== 'failed') return status;
  return gone_at === undefined ? 'shutting-down' : 'terminated';
};
