import type { LoadedConfiguration } from '../load.ts';

/** Whether the broker runs on the sample configuration: there is no file, and no other source names a provider. */
export function runsOnSamples({ file, origins }: Pick<LoadedConfiguration, 'file' | 'origins'>): boolean {
  return file === undefined && origins.get('/providers/0/name')?.origin === 'default';
}
