import { isBrokerError } from '../../../core/errors.ts';
import type { MachineRecord } from '../../../core/model/machine.ts';
import type { MachineType } from '../../../core/provider.ts';
import { entriesIn, isObject } from '../input.ts';
import { invalidInput, type Script, type ScriptCall } from '../script.ts';

/** How requests and returns stand, in the order asked for. An id that nobody knows is answered among the others. */
export const getRequestStatus: Script = async (call) => {
  const ids = entriesIn(call.input, 'requests').map(idOf);
  // One that is named often is looked up once.
  const found = new Map([...new Set(ids)].map((id) => [id, entry(id, call)]));
  return { requests: await Promise.all(ids.map((id) => found.get(id))) };
};

function idOf(entry: unknown): string {
  const id = isObject(entry) ? entry['requestId'] : entry;
  if (typeof id !== 'string' || id === '') throw invalidInput();
  return id;
}

async function entry(request_id: string, { services, words }: ScriptCall): Promise<unknown> {
  try {
    const detail = await (await services.requests.status(request_id, true)).load();
    const typeOf = (machine: MachineRecord): MachineType | undefined => {
      const template_id = machine.template_id || 'unknown';
      return machine.machine_type === undefined
        ? undefined
        : services.providers.machineTypeOf({ template_id, machine_type: machine.machine_type });
    };
    return words.listed.entry({ ...detail, typeOf });
  } catch (error) {
    if (!isBrokerError(error) || error.code !== 'REQUEST_NOT_FOUND') throw error;
    return { requestId: request_id, status: 'complete_with_error', message: error.message, machines: [] };
  }
}
