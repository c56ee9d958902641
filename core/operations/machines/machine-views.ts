import { Type, type Static } from 'typebox';
import { MachineCost, machineCost } from '../../model/cost/cost.ts';
import { isHeld } from '../../model/leases/lease.ts';
import { type MachineRecord, machineMessage } from '../../model/machine.ts';
import { marketWord, marketWords } from '../../model/market.ts';

const nullable = () => Type.Union([Type.String(), Type.Null()]);
const moment = () => Type.Union([Type.String({ format: 'date-time' }), Type.Null()]);

/** A single machine. The same shape for every scheduler. */
export const MachineView = Type.Object({
  machine_id: Type.String(),
  status: Type.String(),
  name: nullable(),
  /** The name that the request gave to the machine. */
  assigned_name: nullable(),
  private_ip: nullable(),
  public_ip: nullable(),
  provider_instance: Type.String(),
  machine_type: nullable(),
  market: Type.Union([Type.Enum([...marketWords]), Type.Null()]),
  zone: nullable(),
  cost: Type.Union([MachineCost, Type.Null()]),
  request_id: Type.String(),
  attempt: Type.Integer({ description: 'The order of the request that started the machine.' }),
  template_id: Type.String(),
  return_id: nullable(),
  message: nullable(),
  created_at: moment(),
  ready_at: moment(),
  /** When muster learned that the machine no longer exists. */
  gone_at: moment(),
  reclaim_at: moment(),
  /** When the provider recommended to replace the machine. */
  rebalance_at: moment(),
  /** The machine that took the place of this one. */
  replaced_by: nullable(),
  /** When a replaced machine ends that is not returned before. */
  release_at: moment(),
  /** The machine whose place this one takes. */
  replaces: nullable(),
  /** When the lease ends. null: the machine has none, or is not ready yet. */
  expires_at: moment(),
  /** Until when a caller holds the machine, and why. */
  held_until: moment(),
  hold_reason: nullable(),
});
export type MachineView = Static<typeof MachineView>;

const iso = (at: number | undefined): string | null => (at === undefined ? null : new Date(at).toISOString());

/** `now`: epoch milliseconds, for the cost until then. */
export function machineView(machine: MachineRecord, now: number): MachineView {
  return {
    machine_id: machine.machine_id,
    status: machine.status,
    name: machine.name ?? null,
    assigned_name: machine.assigned_name ?? null,
    private_ip: machine.private_ip ?? null,
    public_ip: machine.public_ip ?? null,
    provider_instance: machine.provider_instance,
    machine_type: machine.machine_type ?? null,
    market: machine.market === undefined ? null : marketWord(machine.market),
    zone: machine.zone ?? null,
    cost: machineCost(machine, now) ?? null,
    request_id: machine.request_id,
    attempt: machine.attempt,
    template_id: machine.template_id,
    return_id: machine.return_id ?? null,
    message: machineMessage(machine) ?? null,
    created_at: iso(machine.created_at),
    ready_at: iso(machine.ready_at),
    gone_at: iso(machine.gone_at),
    reclaim_at: machine.reclaim_at ?? null,
    rebalance_at: machine.rebalance_at ?? null,
    replaced_by: machine.replaced_by?.machine_id ?? null,
    release_at: iso(machine.release_at),
    replaces: machine.replaces?.machine_id ?? null,
    expires_at: iso(machine.expires_at),
    held_until: isHeld(machine, now) ? iso(machine.held_until) : null,
    hold_reason: isHeld(machine, now) ? (machine.hold_reason ?? null) : null,
  };
}
