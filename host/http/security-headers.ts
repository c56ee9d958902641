/**
 * The headers that OWASP recommends for the answers of a REST API: no caching, no content sniffing, no framing. A
 * constant table, because helmet builds its headers again for every call; no further headers, because each header
 * costs every call. Pages get the whole list, see `rest/docs`. There is no HSTS header, since muster serves plain HTTP
 * and a gateway that adds TLS adds the header too; and no Access-Control header, so that pages of other origins cannot
 * read answers.
 */
export const securityHeaders: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none';frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
};
