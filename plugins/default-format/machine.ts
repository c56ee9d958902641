import { Type, type Static } from 'typebox';
import type { MachineRecord } from '../../core/index.ts';
import { iso } from './iso.ts';

const optional = () => Type.Optional(Type.String());

export const Machine = Type.Object({
  machine_id: Type.String(),
  status: Type.String(),
  name: Type.Union([Type.String(), Type.Null()]),
  private_ip: Type.Union([Type.String(), Type.Null()]),
  public_ip: Type.Union([Type.String(), Type.Null()]),
  provider_instance: Type.String(),
  created_at: Type.String({ format: 'date-time' }),
  launched_at: optional(),
  reclaim_at: optional(),
  return_id: optional(),
  message: optional(),
});

/** A machine inside a request, as it stands. */
export function machineView(machine: MachineRecord): Static<typeof Machine> {
  const { launched_at, reclaim_at, return_id, message } = machine;
  return {
    machine_id: machine.machine_id,
    status: machine.status,
    name: machine.name ?? null,
    private_ip: machine.private_ip ?? null,
    public_ip: machine.public_ip ?? null,
    provider_instance: machine.provider_instance,
    created_at: iso(machine.created_at),
    ...(launched_at === undefined ? {} : { launched_at }),
    ...(reclaim_at === undefined ? {} : { reclaim_at }),
    ...(return_id === undefined ? {} : { return_id }),
    ...(message === undefined ? {} : { message }),
  };
}
