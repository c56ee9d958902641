import { marketWord, machineMessage, type MachineAnswer, type MachineRecord } from '../../core/index.ts';
import { iso } from './iso.ts';

/** A machine inside a request, as it stands. */
export function machineView(machine: MachineRecord): MachineAnswer {
  const { launched_at, reclaim_at, return_id } = machine;
  const message = machineMessage(machine);
  return {
    machine_id: machine.machine_id,
    status: machine.status,
    name: machine.name ?? null,
    private_ip: machine.private_ip ?? null,
    public_ip: machine.public_ip ?? null,
    provider_instance: machine.provider_instance,
    machine_type: machine.machine_type ?? null,
    market: machine.market === undefined ? null : marketWord(machine.market),
    zone: machine.zone ?? null,
    created_at: iso(machine.created_at),
    ...(launched_at === undefined ? {} : { launched_at }),
    ...(reclaim_at === undefined ? {} : { reclaim_at }),
    ...(return_id === undefined ? {} : { return_id }),
    ...(message === undefined ? {} : { message }),
  };
}
