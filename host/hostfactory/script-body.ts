import { Type } from 'typebox';
import { dialects } from './client/script-call.ts';

/** The schema of the body of a script's route, a ScriptBody. */
export const scriptBody = Type.Object(
  {
    input: Type.Optional(Type.Unknown({ default: {}, description: 'The content of the input file.' })),
    env: Type.Optional(
      Type.Object(
        {
          dialect: Type.Optional(
            Type.Enum([...dialects], { default: 'symphony', description: 'The scheduler that calls.' }),
          ),
          provider_name: Type.Optional(
            Type.String({
              description:
                'The name of the provider in the scheduler; when a provider instance has this name, requests use that instance.',
            }),
          ),
        },
        { additionalProperties: false, default: {}, description: 'The environment of the script.' },
      ),
    ),
  },
  { additionalProperties: false },
);
