import { randomUUID } from 'node:crypto';
import type { LoadedConfiguration } from '../../config/load.ts';
import type { Log } from '../../core/contract/log.ts';
import type { PrimaryLink } from '../cluster/primary-link.ts';
import type { Family } from '../metrics/family.ts';
import { summedFamilies } from '../metrics/all-families.ts';
import { secretsOf } from '../process/secrets.ts';
import { thisPackage } from '../process/this-package.ts';
import { noTelemetry, openRecorder, openTelemetry, type Telemetry } from './telemetry.ts';

export interface TelemetryParts {
  readonly loaded: Pick<LoadedConfiguration, 'configuration' | 'plugins' | 'telemetry'>;
  readonly log: Log;
  /** The broker of this server. Absent: it runs no reconciler. */
  readonly broker_id?: string | undefined;
  /** Reads the metrics of every thread and process of the server. */
  families(): Promise<readonly (readonly Family[])[]>;
}

/** The telemetry of the process that exports for its server. */
export async function serverTelemetry({ loaded, log, broker_id, families }: TelemetryParts): Promise<Telemetry> {
  const { telemetry: settings } = loaded;
  if (!settings) return noTelemetry;
  return openTelemetry({
    settings,
    resource: {
      'service.name': thisPackage.name,
      'service.version': thisPackage.version,
      'service.instance.id': broker_id ?? randomUUID(),
    },
    log,
    families: async () => summedFamilies(await families()),
    secrets: secretsOf(loaded),
  });
}

/** The telemetry of a worker process, which sends its spans to the primary. */
export async function workerTelemetry(
  loaded: TelemetryParts['loaded'],
  { tracing, spans }: Pick<PrimaryLink, 'tracing' | 'spans'>,
): Promise<Telemetry> {
  if (!tracing) return noTelemetry;
  const recorder = await openRecorder(tracing, spans, secretsOf(loaded));
  return { ...noTelemetry, tracer: recorder, close: async () => recorder.flush() };
}
