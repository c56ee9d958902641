/**
 * Default values of the server and the storage. They stand apart from the schema, which takes long to load, because
 * the help text of the command line contains them.
 */
export const defaultHost = '127.0.0.1';
export const defaultPort = 8000;
export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];
export const defaultLogLevel: LogLevel = 'info';
export const defaultStorage = 'sqlite';

/** Plugins of a configuration that does not list plugins. */
export const defaultPlugins = [
  'cloud',
  'cloud-runinstances',
  'cloud-ec2fleet',
  'cloud-spotfleet',
  'cloud-asg',
  'cloud-simulator',
  'default-format',
  'hostfactory-format',
  'storage-sqlite',
  'storage-postgres',
  'events-webhook',
  'slurm',
];
