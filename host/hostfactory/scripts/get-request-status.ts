import { isBrokerError } from '../../../core/contract/errors.ts';
import type { MachineRecord } from '../../../core/model/machine.ts';
import { answerBytes, machineBytes } from '../../../core/requests/queries/answer-budget.ts';
import type { MachineType } from '../../../core/contract/provider/resources.ts';
import { entriesIn } from '../input.ts';
import { isObject } from '../../../core/schema/is-object.ts';
import { invalidInput, scriptRefusal, type Script, type ScriptCall } from '../client/script.ts';

/** Returns the status of requests and returns, in the order of the input. An unknown id has an entry too. */
export const getRequestStatus: Script = async (call) => {
  const ids = entriesIn(call.input, 'requests').map(idOf);
  const times = new Map<string, number>();
  for (const id of ids) times.set(id, (times.get(id) ?? 0) + 1);
  const maxBytes = call.local ? ownersBytes : answerBytes;
  // A repeated id is looked up once. The protocol has no pages, so an answer that would be too large is refused before
  // it is built.
  const found = new Map<string, unknown>();
  let bytes = 0;
  for (const [id, named] of times) {
    const { shown, machines } = await entry(id, call);
    bytes += named * (entryBytes + machines * machineBytes);
    if (bytes > maxBytes && ids.length > 1)
      throw scriptRefusal('The requests in the input file have too many machines for one answer; name fewer of them.');
    found.set(id, shown);
  }
  return { requests: ids.map((id) => found.get(id)) };
};

/** Approximate size in bytes of an entry without machines. */
const entryBytes = 300;
/** Maximum size of an answer to the owner: a scheduler on the host of the broker asks for all its requests at once. */
const ownersBytes = 64 * 1024 * 1024;

function idOf(entry: unknown): string {
  const id = isObject(entry) ? entry['requestId'] : entry;
  if (typeof id !== 'string' || id === '') throw invalidInput();
  return id;
}

async function entry(
  request_id: string,
  { services, strategy }: ScriptCall,
): Promise<{ readonly shown: unknown; readonly machines: number }> {
  try {
    const detail = await (await services.requestQueries.status(request_id, true)).load();
    const typeOf = (machine: MachineRecord): MachineType | undefined => {
      const template_id = machine.template_id || 'unknown';
      return machine.machine_type === undefined
        ? undefined
        : services.providers.machineTypeOf({ template_id, machine_type: machine.machine_type });
    };
    return { shown: strategy.listed.entry({ ...detail, typeOf }), machines: detail.machines?.length ?? 0 };
  } catch (error) {
    if (!isBrokerError(error) || error.code !== 'REQUEST_NOT_FOUND') throw error;
    return {
      shown: { requestId: request_id, status: 'complete_with_error', message: error.message, machines: [] },
      machines: 0,
    };
  }
}
