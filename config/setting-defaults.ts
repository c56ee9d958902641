/** What the server and the storage are without a setting. Apart from the schema, which takes long to load: the command line names them in its help. */
export const defaultHost = '127.0.0.1';
export const defaultPort = 8000;
export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];
export const defaultLogLevel: LogLevel = 'info';
export const defaultStorage = 'sqlite';
