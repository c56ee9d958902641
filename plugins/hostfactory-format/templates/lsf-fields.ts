import type { MachineRecord, RequestDetail } from '../../../core/index.ts';

/** What LSF wants to know of a machine beside what Symphony does; what is not known is left out. */
export function lsfFields(machine: MachineRecord, { request, typeOf }: RequestDetail): Readonly<Record<string, unknown>> {
  const account = request.tags?.['RC_ACCOUNT'];
  const type = typeOf?.(machine);
  return {
    ...(account === undefined ? {} : { rcAccount: account }),
    ...(machine.market === undefined ? {} : { lifeCycleType: machine.market === 'spot' ? 'Spot' : 'OnDemand' }),
    ...(type ? { ncores: type.cores, nthreads: type.vcpus } : {}),
  };
}
