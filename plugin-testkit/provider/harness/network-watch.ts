import { AsyncLocalStorage, createHook } from 'node:async_hooks';

/** Asynchronous resources that reach beyond the process, each with a description. */
const doors: Readonly<Record<string, string>> = {
  TCPCONNECTWRAP: 'opened a connection',
  PIPECONNECTWRAP: 'opened a local socket',
  UDPWRAP: 'opened a datagram socket',
  GETADDRINFOREQWRAP: 'looked up a host name',
  QUERYWRAP: 'looked up a host name',
  PROCESSWRAP: 'started a process',
};

const watches = new AsyncLocalStorage<Set<string>>();
let running = 0;
const hook = createHook({
  init(_id, resource) {
    const door = doors[resource];
    if (door !== undefined) watches.getStore()?.add(door);
  },
});

/**
 * Describes each access beyond the process by `act` and by the work that it started. Other checks may use the network
 * at the same time: the asynchronous context tells them apart.
 */
export async function networkUse(act: () => Promise<void>): Promise<string[]> {
  const seen = new Set<string>();
  running += 1;
  hook.enable();
  try {
    await watches.run(seen, act);
  } finally {
    running -= 1;
    if (running === 0) hook.disable();
  }
  return [...seen];
}
