import { Type, type Static } from 'typebox';

/** The interfaces over which a change comes. `broker`: the broker itself, in its reconciler. */
export const interfaces = ['rest', 'cli', 'sdk', 'mcp', 'hostfactory', 'broker'] as const;
export type Interface = (typeof interfaces)[number];

/** Who caused a change. */
export const Actor = Type.Object(
  {
    interface: Type.Unsafe<Interface>(
      Type.Enum([...interfaces], { description: 'The interface of the call; `broker`: the broker itself.' }),
    ),
    address: Type.Optional(
      Type.String({
        description: 'The address of the client. Absent: a call over the Unix socket or in the process.',
      }),
    ),
    user: Type.Optional(
      Type.String({
        description:
          'What the client says about itself: the user of the operating system who runs it, or the name of an MCP client.',
      }),
    ),
    name: Type.Optional(
      Type.String({ description: 'The caller as the gateway names it, in the header `server.actor_header`.' }),
    ),
  },
  { additionalProperties: false },
);
export type Actor = Static<typeof Actor>;

/** The actor of changes that no call made. */
export const ofBroker: Actor = { interface: 'broker' };
