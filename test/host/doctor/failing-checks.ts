/** A provider type whose checks for the doctor fail; `HANGS` adds one that never ends. */
import { definePlugin, defineProviderType, Type } from '../../../core/index.ts';

const secret = 'SECRETSECRET1234';
const about = { why: 'w', remedy: 'r' };

export default definePlugin({
  name: 'failing-checks',
  contract: 1,
  providers: [
    defineProviderType({
      type: 'failing',
      config: Type.Object({ key: Type.String({ sensitive: true, default: secret }) }),
      connect: () => ({}),
      checks: [
        {
          ...about,
          name: 'throws',
          run: async () => {
            throw new Error(`key ${secret} refused`);
          },
        },
        {
          ...about,
          name: 'tells',
          run: async () => [
            { level: 'error', message: `a\nok      forged: line\u001b[31m ${secret}`, remedy: `Replace ${secret}.` },
          ],
        },
        ...(process.env['HANGS'] === undefined
          ? []
          : [{ ...about, name: 'hangs', run: () => new Promise<never>(() => undefined) }]),
      ],
    }),
  ],
});
