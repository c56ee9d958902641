import type { BrokerService, ServiceJob } from '../../core/contract/service/service.ts';
import type { Fence } from '../../core/contract/storage.ts';
import type { BrokerRecord } from '../../core/model/broker.ts';
import { Job } from '../../core/reconciler/background/job.ts';
import { accessOf, type ServiceParts } from './service-operations.ts';

interface JobsParts {
  readonly parts: () => ServiceParts;
  readonly broker_id: string;
  readonly lease_ms: number;
}

/** Runs the jobs of the configured services until it is stopped: each by one broker at a time, under a lease. */
export function startServiceJobs(
  services: readonly BrokerService<any>[],
  given: JobsParts,
): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const running = services.flatMap((service) =>
    (service.jobs ?? []).map((job) => repeat(service, job, given, stopping.signal)),
  );
  return {
    async stop() {
      stopping.abort();
      await Promise.all(running);
    },
  };
}

async function repeat(
  service: BrokerService<any>,
  job: ServiceJob,
  { parts, broker_id, lease_ms }: JobsParts,
  signal: AbortSignal,
): Promise<void> {
  const { store, clock, log } = parts();
  let broker: BrokerRecord | undefined;
  const lease = new Job(`${service.name}/${job.name}`, {
    store,
    clock,
    settings: { lease_ms },
    broker: () => broker as BrokerRecord,
  });
  let fence: Fence | undefined;
  const every_ms = job.every_ms(parts().sections[service.name]);
  while (!signal.aborted) {
    try {
      // The loop begins the lease of the broker, and may replace its thread.
      broker = (await store.brokers()).find((each) => each.broker_id === broker_id);
      fence = broker ? await lease.take() : undefined;
      if (fence) {
        const held = fence;
        await job.run(
          accessOf(service, parts, () => held),
          signal,
        );
      }
    } catch (error) {
      if (!signal.aborted)
        log.warn({ err: error, job: job.name }, `A run of '${service.name}' failed; it is repeated.`);
    }
    await clock.sleep(fence ? every_ms : Math.min(every_ms, 1_000), signal);
  }
  await lease.free();
}
