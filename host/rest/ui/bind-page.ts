import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Broker } from '../../compose.ts';
import type { PathTable } from '../routes/path-table.ts';
import { bundledPage, readPageFiles, type PageFile, type PageFiles } from './page-files.ts';

/**
 * The Content-Security-Policy of the page: its own script and style sheet, calls to this server, and nothing else. No
 * inline script or style, no form, no frame.
 */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join(';');

const headers: Readonly<Record<string, string>> = {
  'content-security-policy': policy,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  vary: 'accept-encoding',
};

/** Shown instead of the page when it was not bundled. */
const notBundled = `<!doctype html>
<html lang="en">
  <head><meta charset="utf-8"><title>muster</title></head>
  <body>
    <h1>This installation has no page</h1>
    <p>The broker runs and serves everything else. The page is made during the installation by rolldown, an optional
    package that is not installed here. To get the page, install the optional packages (<code>npm install
    --include=optional</code>), run <code>node scripts/bundle-page.ts</code>, and load this address again.</p>
    <p><a href="/docs">The REST interface</a> shows the same state.</p>
  </body>
</html>
`;

/**
 * Binds the operator's page at /ui/, and sends browsers there that ask for /. The routes have no rate limit; what the
 * page reads and changes goes through the public routes. `directory`: where the bundled page is. No address is absolute:
 * a gateway may serve everything below a path of its own.
 */
export function bindPage(app: FastifyInstance, paths: PathTable, broker: Broker, directory = bundledPage): void {
  const { page } = broker.configuration.server;
  if (page === 'off') return;
  let files: PageFiles | undefined;
  // A page that is bundled while the server runs is found at the next load.
  const known = (): PageFiles | undefined => (files ??= readPageFiles(directory, page === 'read_only'));

  function showDocument(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const found = known();
    reply.headers(headers).header('cache-control', 'no-cache');
    if (found) return send(request, reply, found.document(depthOf(request)));
    return reply.code(503).type('text/html; charset=utf-8').send(notBundled);
  }

  app.get('/', (request, reply) =>
    wantsPage(request) ? reply.redirect('ui/', 302) : (reply.callNotFound() as unknown as FastifyReply),
  );
  app.get('/ui', (_, reply) => reply.redirect('ui/', 302));
  app.get<{ Params: { '*': string } }>('/ui/*', (request, reply) => {
    const name = request.params['*'];
    const asset = known()?.assets.get(name);
    if (asset)
      return send(
        request,
        reply.headers(headers).header('cache-control', 'public, max-age=31536000, immutable'),
        asset,
      );
    // An address of the page names a view or a record, never a file.
    return /\.(js|css|map)$/.test(name)
      ? (reply.callNotFound() as unknown as FastifyReply)
      : showDocument(request, reply);
  });
  paths.add('GET', '/ui/', 'detail');
}

const wantsPage = ({ headers: { accept = '' } }: FastifyRequest): boolean => accept.includes('text/html');

/** How many folders below /ui/ the address is, as the browser counts: a slash that is escaped is none. */
function depthOf({ raw: { url = '' } }: FastifyRequest): number {
  const [path = ''] = url.split('?', 1);
  return path.slice('/ui/'.length).split('/').length - 1;
}

function send(request: FastifyRequest, reply: FastifyReply, { type, content, compressed }: PageFile): FastifyReply {
  const gzip = /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''));
  if (gzip) reply.header('content-encoding', 'gzip');
  return reply.type(type).send(gzip ? compressed : content);
}
