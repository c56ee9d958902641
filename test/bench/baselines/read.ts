/** A process: fastify that answers bytes which it was given, made once. What a read could cost at least. */
import { fastify } from 'fastify';

interface Page {
  readonly path: string;
  readonly type: string;
  /** base64 */
  readonly body: string;
}

process.on('message', ({ pages }: { readonly pages: readonly Page[] }) => void serve(pages));
process.on('disconnect', () => process.exit());

async function serve(pages: readonly Page[]): Promise<void> {
  const app = fastify({ logger: false });
  for (const { path, type, body } of pages) {
    const bytes = Buffer.from(body, 'base64');
    app.get(path, (_, reply) => {
      reply.header('content-type', type).send(bytes);
    });
  }
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  process.send?.({ url });
}
