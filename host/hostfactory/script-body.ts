import { Type } from 'typebox';
import { dialects } from './client/script-call.ts';

/** The body of a script's route: a ScriptBody. */
export const scriptBody = Type.Object(
  {
    input: Type.Optional(Type.Unknown({ default: {}, description: 'The content of the input file.' })),
    env: Type.Optional(
      Type.Object(
        {
          dialect: Type.Optional(Type.Enum([...dialects], { default: 'symphony', description: 'Who asks.' })),
          provider_name: Type.Optional(
            Type.String({
              description:
                "The scheduler's name of the provider; where it is that of an instance, machines are asked for there.",
            }),
          ),
        },
        { additionalProperties: false, default: {}, description: 'What the script knows of its surroundings.' },
      ),
    ),
  },
  { additionalProperties: false },
);
