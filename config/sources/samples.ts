import type { LoadedConfiguration } from '../load.ts';

/** Whether a configuration is the one that stands for a missing one: no file, and nobody else named a provider. */
export function runsOnSamples({ file, origins }: Pick<LoadedConfiguration, 'file' | 'origins'>): boolean {
  return file === undefined && origins.get('/providers/0/name')?.origin === 'default';
}
