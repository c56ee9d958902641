import type { MessagePort } from 'node:worker_threads';
import { detectResources, defaultResource, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { setGlobalErrorHandler } from '@opentelemetry/core';
import type { ExportThreadData, FromExport, ToExport } from './export-messages.ts';
import { openMetrics } from './open-metrics.ts';
import { openTraces } from './open-traces.ts';

/** Exports the telemetry of a server until a `close` message. */
export async function runExport(port: MessagePort, { settings, resource }: ExportThreadData): Promise<void> {
  const send = (message: FromExport): void => port.postMessage(message);
  // Failed exports are reported by the exporters themselves.
  setGlobalErrorHandler(() => undefined);
  // What the environment says of the service takes precedence.
  const about = defaultResource()
    .merge(resourceFromAttributes(resource))
    .merge(detectResources({ detectors: [envDetector] }));
  const traces = settings.traces && (await openTraces(settings.traces.protocol, about, send));
  const metrics = settings.metrics && (await openMetrics(settings.metrics.protocol, about, send));

  async function close(): Promise<void> {
    await Promise.allSettled([traces?.close(), metrics?.close()]);
    send({ event: 'closed' });
  }

  port.on('message', (message: ToExport) => {
    if (message.do === 'spans') {
      traces?.add(message.batch);
      send({ event: 'taken' });
    } else if (message.do === 'families') metrics?.answered(message.id, message.families);
    else void close();
  });
  send({ event: 'ready' });
}
