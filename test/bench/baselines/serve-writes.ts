import { randomUUID } from 'node:crypto';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import { fastify } from 'fastify';
import { Type, type Static } from 'typebox';

const Body = Type.Object(
  {
    template_id: Type.String({ minLength: 1, maxLength: 128 }),
    machine_count: Type.Integer({ minimum: 1, maximum: 10_000 }),
    additional_data: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  },
  { additionalProperties: false },
);

/**
 * Serves the route of a request for machines with a bare fastify: it checks the body, stores something and answers.
 * The process tells its address when it is asked, and ends with its parent.
 */
export async function serveWrites(
  store: (request_id: string, body: Static<typeof Body>) => Promise<void>,
): Promise<void> {
  const app = fastify({ logger: false }).withTypeProvider<TypeBoxTypeProvider>();
  app.post('/api/v1/machines/request', { schema: { body: Body } }, async ({ body }) => {
    const { template_id, machine_count } = body;
    const request_id = `req-${randomUUID()}`;
    await store(request_id, body);
    return {
      request_id,
      template_id,
      machine_count,
      status: 'pending',
      message: `${machine_count} machine of template '${template_id}' requested.`,
    };
  });
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  process.on('message', () => process.send?.({ url }));
  process.on('disconnect', () => process.exit());
}
