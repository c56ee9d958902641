import type { FastifyInstance } from 'fastify';
import type { HostileCall } from './recipe.ts';

/** What became of a call. */
export interface Outcome {
  readonly status: number;
  /** Processor time of this thread, which in a server answers everybody. */
  readonly cpu_ms: number;
  readonly bytes: number;
  readonly body: string;
}

/** Sends a call to an app in this thread, where nothing else may be under way. */
export async function play(app: FastifyInstance, { method, path, text }: HostileCall): Promise<Outcome> {
  const headers = {
    accept: 'application/json, text/event-stream',
    ...(text === undefined ? {} : { 'content-type': 'application/json' }),
  };
  const before = process.threadCpuUsage();
  const answer = await app.inject({ method, url: path, headers, ...(text === undefined ? {} : { payload: text }) });
  const { user, system } = process.threadCpuUsage(before);
  return {
    status: answer.statusCode,
    cpu_ms: (user + system) / 1000,
    bytes: answer.rawPayload.length,
    body: answer.body,
  };
}
