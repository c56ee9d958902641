import { Type } from 'typebox';
import type { MachineRecord } from '../../model/machine.ts';
import { p } from '../parameters.ts';
import { operation } from '../operation.ts';

const Released = Type.Array(Type.String(), {
  description: 'Machines that began to be released at the same moment. The call has no effect on them.',
});
const nullableMoment = (description: string) =>
  Type.Union([Type.String({ format: 'date-time' }), Type.Null()], { description });

const iso = (at: number): string => new Date(at).toISOString();
const idOf = ({ machine_id }: MachineRecord): string => machine_id;

export const extendMachines = operation('ExtendMachinesCommand', {
  summary:
    'Extend the leases of machines. The seconds are added to the present end of each lease. Refused as a whole when a machine has no lease, is not ready, or is released.',
  input: Type.Object({ machine_ids: p.machine_ids, seconds: p.extension_seconds }, { additionalProperties: false }),
  output: Type.Object({
    machines: Type.Array(
      Type.Object({
        machine_id: Type.String(),
        provider_instance: Type.String(),
        request_id: Type.String(),
        expires_at: Type.String({ format: 'date-time', description: 'When the lease ends now.' }),
      }),
    ),
    released: Released,
  }),
  refusals: ['MACHINE_NOT_FOUND', 'CONFLICT', 'UNAVAILABLE'],
  rest: { method: 'POST', path: '/machines/extend', limit: 'request' },
  cli: {
    command: 'machines extend',
    args: ['machine_ids'],
    example: 'muster machines extend i-09227c8720e055176 --seconds 3600',
  },
  leaves_work: true,
  async handle({ machine_ids, seconds }, { leaseCommands }) {
    const { done, released } = await leaseCommands.extend(machine_ids, seconds);
    return {
      machines: done.map(({ machine: { machine_id, provider_instance, request_id }, expires_at }) => ({
        machine_id,
        provider_instance,
        request_id,
        expires_at: iso(expires_at),
      })),
      released: released.map(idOf),
    };
  },
});

export const holdMachines = operation('HoldMachinesCommand', {
  summary:
    'Hold machines for debugging: neither a return nor the end of a lease releases them before the hold ends. `seconds: 0` ends the hold. A cancellation of their request still releases them.',
  input: Type.Object(
    {
      machine_ids: p.machine_ids,
      seconds: p.hold_seconds,
      reason: Type.String({
        minLength: 1,
        maxLength: 1000,
        description: 'Why the machines are held. Whoever returns one of them reads it.',
      }),
    },
    { additionalProperties: false },
  ),
  output: Type.Object({
    machines: Type.Array(
      Type.Object({
        machine_id: Type.String(),
        provider_instance: Type.String(),
        request_id: Type.String(),
        held_until: nullableMoment('null: the hold was ended.'),
        expires_at: nullableMoment('When the lease ends. null: the machine has none.'),
      }),
    ),
    released: Released,
  }),
  refusals: ['MACHINE_NOT_FOUND', 'CONFLICT', 'UNAVAILABLE'],
  rest: { method: 'POST', path: '/machines/hold', limit: 'request' },
  cli: {
    command: 'machines hold',
    args: ['machine_ids'],
    example: 'muster machines hold i-09227c8720e055176 --seconds 7200 --reason "core dump"',
  },
  leaves_work: true,
  repeatable: true,
  async handle({ machine_ids, seconds, reason }, { leaseCommands }) {
    const { done, released } = await leaseCommands.hold(machine_ids, seconds, reason);
    return {
      machines: done.map(({ machine: { machine_id, provider_instance, request_id }, held_until, expires_at }) => ({
        machine_id,
        provider_instance,
        request_id,
        held_until: held_until === undefined ? null : iso(held_until),
        expires_at: expires_at === undefined ? null : iso(expires_at),
      })),
      released: released.map(idOf),
    };
  },
});
