import { destination, pino, stdTimeFunctions, type Logger } from 'pino';

/** A log of JSON lines on stderr; stdout is for people. Written at once, so that the last line before a crash is there. */
export function stderrLog(level: string): Logger {
  return pino(
    { level, base: null, timestamp: stdTimeFunctions.isoTime, formatters: { level: (label) => ({ level: label }) } },
    destination({ dest: 2, sync: true }),
  );
}
