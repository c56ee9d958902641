import type { SamplerSettings } from '../../config/telemetry/telemetry-settings.ts';
import { noTracer, type Tracer } from '../../core/tracing/tracer.ts';
import { hiding } from '../process/secrets.ts';
import type { Exporter, ExporterOptions } from './exporter.ts';
import type { SpanBatch } from './batch/span-batch.ts';

/** How the threads and processes of a server trace: what each of them needs, as plain data. */
export interface TracingData {
  readonly sampler: SamplerSettings;
}

/** The traces and metrics of one process. */
export interface Telemetry {
  readonly tracer: Tracer;
  /** For the other threads and processes of the server. Absent: traces are off. */
  readonly tracing?: TracingData;
  /** Takes the spans of another thread or process. */
  add(batch: SpanBatch): void;
  /** Exports what is left, within three seconds. Idempotent. */
  close(): Promise<void>;
}

export const noTelemetry: Telemetry = { tracer: noTracer, add: () => {}, close: async () => {} };

/** Opens the export of telemetry. Loads its code now, and OpenTelemetry in the thread that exports. */
export async function openTelemetry(
  options: ExporterOptions & { readonly secrets: readonly string[] },
): Promise<Telemetry> {
  const { Exporter } = await import('./exporter.ts');
  const exporter: Exporter = new Exporter(options);
  const add = (batch: SpanBatch): void => exporter.add(batch);
  const { traces } = options.settings;
  if (!traces) return { tracer: noTracer, add, close: () => exporter.close() };
  const tracing = { sampler: traces.sampler };
  const recorder = await openRecorder(tracing, add, options.secrets);
  return {
    tracer: recorder,
    tracing,
    add,
    close() {
      recorder.flush();
      return exporter.close();
    },
  };
}

/** Opens the recording of spans in this thread, for an exporter elsewhere. */
export async function openRecorder(
  { sampler }: TracingData,
  send: (batch: SpanBatch) => void,
  secrets: readonly string[],
) {
  const [{ SpanRecorder }, { samplerOf }] = await Promise.all([import('./span-recorder.ts'), import('./sampler.ts')]);
  return new SpanRecorder({ sampler: samplerOf(sampler), send, mask: hiding(secrets) });
}
