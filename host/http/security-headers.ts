/**
 * What OWASP asks of the answers of a REST API: nobody keeps, guesses the type of, shows or frames them. As a table, because helmet makes its headers anew for
 * every call; and no more, because each header costs every call. Pages have the whole list, see `rest/docs`. There is no HSTS, since muster speaks plain HTTP
 * and a gateway that adds TLS adds that too; and no Access-Control header, so no other origin's page may read.
 */
export const securityHeaders: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none';frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
};
