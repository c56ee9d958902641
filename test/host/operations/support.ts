import { operations } from '../../../core/operations/registry.ts';
import { bootBroker, type BootedBroker, type BootOptions } from '../../support/boot-broker.ts';

export interface Operated extends BootedBroker {
  /** Runs an operation by its name, as a program does. */
  run(name: string, input?: Record<string, unknown>): Promise<any>;
  /** Requests machines and waits for them; their ids. */
  machines(
    count: number,
    template_id?: string,
  ): Promise<{ readonly request_id: string; readonly ids: readonly string[] }>;
}

/** A broker whose operations are called directly: for those that no route has. */
export async function operate(options: BootOptions = {}): Promise<Operated> {
  const booted = await bootBroker(options);
  const run = async (name: string, input: Record<string, unknown> = {}): Promise<any> => {
    const operation = operations.find((each) => each.name === name);
    if (!operation) throw new Error(`There is no operation '${name}'.`);
    const result = await operation.handle(input as never, booted.broker.services, {});
    return booted.broker.rendering.value(operation, result);
  };
  return {
    ...booted,
    run,
    async machines(count, template_id = 'small') {
      const { request_id } = await run('create_request', { template_id, machine_count: count });
      const status = await booted.until(async () => {
        const now = await run('sync_and_get_request', { request_id, long: true });
        return now.status === 'completed' && now;
      });
      return { request_id, ids: status.machines.map((machine: { machine_id: string }) => machine.machine_id) };
    },
  };
}
