import { Type, type Static } from 'typebox';

/** `storage: {type: postgres}`. */
export const PostgresOptions = Type.Object({
  url: Type.Optional(
    Type.String({
      minLength: 1,
      sensitive: true,
      path: false,
      description:
        'The database: postgres://USER:PASSWORD@HOST:5432/DATABASE. Absent: PGHOST, PGPORT, PGDATABASE, PGUSER, PGPASSWORD and the other variables of PostgreSQL.',
    }),
  ),
  schema: Type.String({
    pattern: '^[a-z_][a-z0-9_]{0,62}$',
    default: 'muster',
    description:
      'The schema of the tables. All brokers of an installation name the same one. A missing schema is created.',
  }),
  pool: Type.Integer({
    minimum: 3,
    maximum: 200,
    default: 10,
    description:
      'The most connections of one process or thread: one commits, one hears notifications, and the others do the rest. They are opened when they are needed.',
  }),
  listen: Type.Boolean({
    default: true,
    description:
      'Whether changes of other brokers are notified by LISTEN and NOTIFY. Set it to false behind a pooler in transaction mode, such as PgBouncer; then they are found by polling.',
  }),
  poll_ms: Type.Integer({
    minimum: 20,
    maximum: 60_000,
    default: 1_000,
    description:
      'Milliseconds between two looks for changes of other brokers. It matters where notifications do not arrive.',
  }),
  migrate: Type.Boolean({
    default: true,
    description:
      'Whether a start updates the tables to the present version. With false, a start with outdated tables is refused; `muster storage migrate` updates them.',
  }),
  tls: Type.Optional(
    Type.Object(
      {
        verify: Type.Boolean({ default: true, description: 'Whether the certificate of the server is checked.' }),
        ca_file: Type.Optional(
          Type.String({ description: 'The certificate authority of the server, as PEM. Default: those of Node.' }),
        ),
        cert_file: Type.Optional(Type.String({ description: 'The certificate of this client, as PEM.' })),
        key_file: Type.Optional(Type.String({ description: 'The key of the certificate of this client, as PEM.' })),
      },
      { description: 'Encrypts the connections. Absent: as the URL or PGSSLMODE says.' },
    ),
  ),
});
export type PostgresOptions = Static<typeof PostgresOptions>;
