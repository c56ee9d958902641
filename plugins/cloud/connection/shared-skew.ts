/** The difference between the clock of AWS and that of this host, which all clients of a session share. */
export interface SharedSkew {
  /** Milliseconds that the clock of AWS is ahead. */
  readonly ms: number;
  /** Makes a client sign with the shared difference, and share what it learns from its answers. */
  share<C extends { readonly config: object }>(client: C): C;
}

/**
 * The SDK learns the difference for each client, from its first answer. AWS refuses signatures that are more than five
 * minutes off, so that on a host with a wrong clock the first change of each client would be refused.
 */
export function sharedSkew(): SharedSkew {
  let ms = 0;
  const property: PropertyDescriptor = {
    enumerable: true,
    configurable: true,
    get: () => ms,
    set: (learned: number) => void (ms = learned),
  };
  return {
    get ms() {
      return ms;
    },
    share(client) {
      Object.defineProperty(client.config, 'systemClockOffset', property);
      return client;
    },
  };
}
