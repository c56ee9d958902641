/**
 * What helmet would set on every answer of an API that nobody shows in a page: as a table, because helmet makes them anew for every call. There is no
 * HSTS, since muster speaks plain HTTP and a gateway that adds TLS adds that too; and no Access-Control header, so no other origin's page may read.
 */
export const securityHeaders: Readonly<Record<string, string>> = {
  'content-security-policy': "default-src 'none';base-uri 'none';form-action 'none';frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'origin-agent-cluster': '?1',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-dns-prefetch-control': 'off',
  'x-download-options': 'noopen',
  'x-frame-options': 'DENY',
  'x-permitted-cross-domain-policies': 'none',
  'x-xss-protection': '0',
};
