import { randomBytes } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { pagePolicy } from './page-policy.ts';
import { redocBundle } from './redoc-bundle.ts';

/**
 * Redoc creates style elements while it runs, some at load time: each needs the nonce of the page, which this script
 * element carries.
 */
const before = `const { nonce } = document.currentScript;
const make = document.createElement.bind(document);
document.createElement = (name, options) => {
  const element = make(name, options);
  if (element instanceof HTMLStyleElement) element.nonce = nonce;
  return element;
};
`;

/** The search of Redoc is disabled: it would run in a worker created from a text, which the policy forbids. */
const start = `Redoc.init('/openapi.json', { disableSearch: true, expandResponses: '200,201,202', pathInMiddlePanel: true }, document.getElementById('redoc'));
`;

const page = (nonce: string): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>muster</title>
    <link rel="icon" href="data:,">
    <style nonce="${nonce}">body { margin: 0 }</style>
  </head>
  <body>
    <div id="redoc"></div>
    <script nonce="${nonce}" src="/redoc/before.js"></script>
    <script src="/redoc/redoc.standalone.js"></script>
    <script src="/redoc/start.js"></script>
  </body>
</html>
`;

/** Binds the page /redoc and its scripts. */
export function bindRedocPage(app: FastifyInstance): void {
  let bundle: Buffer | undefined;
  const script = 'text/javascript; charset=utf-8';
  app.get('/redoc', (_, reply) => {
    // The page reports a missing script before the browser requests it.
    bundle ??= redocBundle();
    const nonce = randomBytes(16).toString('base64');
    return reply
      .type('text/html; charset=utf-8')
      .header('content-security-policy', pagePolicy(nonce))
      .send(page(nonce));
  });
  app.get('/redoc/', (_, reply) => reply.redirect('/redoc'));
  app.get('/redoc/before.js', (_, reply) => reply.type(script).send(before));
  app.get('/redoc/start.js', (_, reply) => reply.type(script).send(start));
  app.get('/redoc/redoc.standalone.js', (_, reply) =>
    reply
      .type(script)
      .header('cache-control', 'max-age=3600')
      .send((bundle ??= redocBundle())),
  );
}
